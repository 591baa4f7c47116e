package models

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"meshplan/strict"
)

func TestLoadTakesCatalogueNamesAndFiles(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(mine, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"llama-3.1-70b": "llama-3.1-70b", "meta-llama/Llama-3.1-70B": "llama-3.1-70b", "Qwen2.5-7B": "qwen2.5-7b",
		mine: "small", "testdata/hf/read/gpt2.json": "gpt2",
	} {
		m, err := Load(given)
		if err != nil {
			t.Error(err)
		} else if m.Name != want {
			t.Errorf("%s is %s, want %s", given, m.Name, want)
		}
	}
}

func TestLoadRefusesWhatIsNoModelWithOneClearError(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder := filepath.Join(dir, "folder.json")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, given, want string }{
		{"nothing", " ", "no model given"},
		{"a name that is unknown", "llama-9", "no model \"llama-9\" in the catalogue; nearest: llama"},
		{"a path to nowhere", "no/such", "nor is there such a file"},
		{"a file to nowhere", "no/such.toml", "no/such.toml: no such file or directory"},
		{"a directory", dir, "is a directory; give the file in it"},
		{"a directory called .json", folder, "is a directory; give the file in it"},
		{"a file of another kind", write("x.yaml", "a: b"), "ends in .toml"},
		{"a tokenizer", write("tokenizer.json", strings.Repeat("x", maxJSON+1)), "it is a tokenizer's"},
		{"10 MB of nested lists", write("deep.json", strings.Repeat("[", 10<<20)), "deep.json: larger than 4 MiB"},
		{"4 MB of nested lists", write("nested.json", strings.Repeat("[", 4<<20)), "nested.json:1:66: not JSON that can be read: nested deeper than 64 levels"},
		{"4 MB of values", write("wide.json", "["+strings.Repeat("1,", 2<<20-2)+"1]"), "more than 200000 values"},
		{"an empty file", write("empty.json", ""), "empty.json:1:1: not JSON that can be read: the file ends here"},
		{"a truncated file", write("cut.json", "{\n \"model_type\": \"llama\",\n \"hidden_size\": 8192"), "cut.json:3:21: not JSON that can be read: the file ends here, where a comma or '}' should be"},
		{"a truncated string", write("str.json", "{\n \"model_ty"), "str.json:2:11: not JSON that can be read: the file ends here, where the closing quote"},
		{"random bytes", write("noise.json", "\x8f\x00\xc3\x28{"), "noise.json:1:1: not JSON that can be read: unexpected character"},
		{"a list", write("list.json", "[1, 2]"), "it holds a list, not an object"},
		{"an object of something else", write("else.json", `{"a": 1}`), "neither model_type nor architectures"},
		{"a large TOML file", write("large.toml", strings.Repeat("#\n", strict.MaxFile)), "large.toml: larger than 256 KiB"},
	} {
		_, err := Load(c.given)
		checkError(t, c.name, err, c.want)
	}
}

func TestADeviceIsNotReadAsAModel(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no device files")
	}
	link := filepath.Join(t.TempDir(), "zero.json")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Skip(err)
	}
	_, err := Load(link)
	checkError(t, "a device", err, "not a regular file")
}
