package strict

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOnlyARegularFileOfBoundedSizeIsRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, bytes int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", bytes)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, path string
		limit      int64
		want       string // of the error; "" for none
	}{
		{"a file", write("small", 10), 1 << 10, ""},
		{"an empty file", write("empty", 0), 1 << 10, ""},
		{"a file of just the limit", write("full", 2<<10), 2 << 10, ""},
		{"a file above the limit", write("kib", 2<<10+1), 2 << 10, "kib: larger than 2 KiB"},
		{"a file above a limit in MiB", write("mib", 1<<20+1), 1 << 20, "mib: larger than 1 MiB"},
		{"a directory", dir, 1 << 10, dir + ": is a directory, not a file"},
		{"a missing file", filepath.Join(dir, "none"), 1 << 10, "none: no such file"},
		{"a path below a file", filepath.Join(dir, "small", "x"), 1 << 10, "x: not a directory"},
		{"an empty path", "", 1 << 10, ": no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := ReadFile(c.path, c.limit)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path+": ")):
				t.Errorf("%d bytes, error %v; want %q", len(text), err, c.want)
			}
		})
	}
	if _, err := ReadFile("none", 1<<10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestADeviceIsNotRead(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile("/dev/zero", 1<<10); err == nil || err.Error() != "/dev/zero: not a regular file" {
		t.Error(err)
	}
}

func TestAReaderIsReadUpToTheLimit(t *testing.T) {
	if text, err := Read("-", strings.NewReader("abc"), 1<<10); err != nil || string(text) != "abc" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read("-", strings.NewReader(strings.Repeat("x", 5000)), 1<<10); err == nil || err.Error() != "-: larger than 1 KiB" {
		t.Error(err)
	}
	if _, err := Read("-", iotest.ErrReader(errors.New("broken pipe")), 1<<10); err == nil || err.Error() != "-: broken pipe" {
		t.Error(err)
	}
}
