package strict

import (
	"strings"
	"testing"
)

func TestANumberOfANumberedKeyIsReplacedAndNothingElse(t *testing.T) {
	const text = "# kept\nx = { value = 1, note = \"value = 1\" } # kept\n[[v]]\ny = { value = 2 }\n[[v]]\ny = { note = 'n', value = 3e-4 }\nz = 7\n"
	var into struct {
		X struct {
			Value float64 `toml:"value"`
			Note  string  `toml:"note"`
		} `toml:"x"`
		V []struct {
			Y struct {
				Value float64 `toml:"value"`
				Note  string  `toml:"note"`
			} `toml:"y"`
			Z int `toml:"z"`
		} `toml:"v"`
	}
	d, err := Decode("f.toml", []byte(text), &into)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, number, old, new string }{
		{"x.value", "8", "x = { value = 1,", "x = { value = 8,"},
		{"v[0].y.value", "0.25", "value = 2 }", "value = 0.25 }"},
		{"v[1].y.value", "5", "3e-4", "5"},
		{"v[1].z", "9", "z = 7", "z = 9"},
	} {
		got, err := d.SetNumber(c.path, c.number)
		if want := strings.Replace(text, c.old, c.new, 1); err != nil || got != want {
			t.Errorf("%s: %q, %v", c.path, got, err)
		}
		if !d.HasElement(c.path) || !strings.HasPrefix(d.AtElement(c.path), "f.toml:") {
			t.Errorf("%s is not found", c.path)
		}
	}
	for _, path := range []string{"v[2].y.value", "x", "v[1].y.note", ""} {
		if _, err := d.SetNumber(path, "1"); err == nil {
			t.Errorf("%q was set", path)
		}
	}
}
