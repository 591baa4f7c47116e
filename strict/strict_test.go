package strict

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// amount is read from text by its own method.
type amount float64

func (a *amount) UnmarshalText(text []byte) error {
	if string(text) == "much" {
		*a = 100
		return nil
	}
	return errors.New("want much")
}

type shape struct {
	Name   string   `toml:"name"`
	Size   int      `toml:"size"`
	Weight *float64 `toml:"weight,omitempty"`
	Soft   bool     `toml:"soft"`
	Tags   []string `toml:"tags"`
	Much   amount   `toml:"much"`
	Parts  []part   `toml:"part"`
	Cover  *part    `toml:"cover"`
	secret int
}

type part struct {
	Width float64 `toml:"width"`
	Inner struct {
		Depth int `toml:"depth"`
	} `toml:"inner"`
}

const good = `# a shape
name = "box" # its name
size = 3
weight = 2
tags = ["a", 'b',
  "c"]
much = "much"

[[part]]
width = 1.5
inner.depth = 2

[[part]]
width = 2
[part.inner]
depth = 3

[cover]
inner = { depth = 4 }
`

func TestAGoodFileIsReadAndItsKeysHaveTheirPlaces(t *testing.T) {
	var s shape
	d, err := Decode("s.toml", []byte(good), &s)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "box" || *s.Weight != 2 || len(s.Parts) != 2 || s.Parts[1].Inner.Depth != 3 || s.Cover.Inner.Depth != 4 || s.Much != 100 || s.secret != 0 {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct{ path, want string }{
		{"name", "s.toml:2:1"}, {"size", "s.toml:3:1"}, {"part", "s.toml:9:3"}, {"part.width", "s.toml:10:1"},
		{"part.inner", "s.toml:15:2"}, {"part.inner.depth", "s.toml:11:1"}, {"cover", "s.toml:18:2"},
		{"cover.inner.depth", "s.toml:19:11"}, {"soft", "s.toml"}, {"cover.width", "s.toml"},
	} {
		path := strings.Split(c.path, ".")
		if at := d.At(path...); at != c.want {
			t.Errorf("%s is at %s, want %s", c.path, at, c.want)
		}
		if has := d.Has(path...); has != (c.want != "s.toml") {
			t.Errorf("has %s: %v", c.path, has)
		}
	}
	want := "name size weight tags much part part.width part.inner.depth part part.width part.inner part.inner.depth cover cover.inner cover.inner.depth"
	var got []string
	for _, path := range d.Keys() {
		got = append(got, strings.Join(path, "."))
	}
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
}

func TestAMistakeIsOneErrorWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an unknown key names the nearest", "name = 1\n  sizze = 2\n", `f:2:3: unknown key "sizze"; nearest: size`},
		{"a key like no other gets the list", "zzzzzzzz = 2\n", `f:1:1: unknown key "zzzzzzzz"; known: name, size, weight, soft, tags, much, part, cover`},
		{"a key in capitals", "Size = 2\n", `f:1:1: unknown key "Size"; nearest: size`},
		{"a key of a field without a tag", "secret = 2\n", `f:1:1: unknown key "secret"; known: name`},
		{"an empty key", "\"\" = 2\n", `f:1:1: unknown key "\"\""; known: name`},
		{"an unknown table", "[parts]\nwidth = 1\n", `f:1:2: unknown key "parts"; nearest: part`},
		{"an unknown key of a table", "[cover]\nwdith = 1\n", `f:2:1: unknown key "cover.wdith"; nearest: width`},
		{"an unknown key of the second table of a list", "[[part]]\nwidth = 1\n[[part]]\nwidht = 1\n", `f:4:1: unknown key "part.widht"; nearest: width`},
		{"an unknown key of an inline table", "cover = { inner = { deep = 1 } }", `f:1:21: unknown key "cover.inner.deep"; nearest: depth`},
		{"an unknown key in quotes", `"si\u007Ae." = 1`, `f:1:1: unknown key "\"size.\""; nearest: size`},
		{"a dotted key below a value", "size.len = 4\n", `f:1:1: unknown key "size.len": size is not a table`},
		{"a string for a number", "size = \"3\"\n", `f:1:1: size wants a whole number, not "3"`},
		{"a fraction for a whole number", "size = 4.5\n", `f:1:1: size wants a whole number, not 4.5`},
		{"a float for a whole number", "size = 4.0\n", `f:1:1: size wants a whole number, not 4.0`},
		{"not a number for a whole number", "size = nan\n", `f:1:1: size wants a whole number, not NaN`},
		{"a number for a string", "name = 3\n", `f:1:1: name wants a string, not 3`},
		{"a boolean for a number", "weight = true\n", `f:1:1: weight wants a number, not true`},
		{"a string for a boolean", "soft = \"on\"\n", `f:1:1: soft wants true or false, not "on"`},
		{"a date for a string", "name = 2020-01-01\n", `f:1:1: name wants a string, not a date`},
		{"a string for a list", "tags = \"a\"\n", `f:1:1: tags wants a list of strings only, not "a"`},
		{"a list with a number in it", "tags = [\"a\", 1]\n", `f:1:1: tags wants a list of strings only, not a list`},
		{"a table for a list of tables", "[part]\nwidth = 1\n", `f:1:2: part wants a list of tables, not a table`},
		{"a list for a table", "[[cover]]\nwidth = 1\n", `f:1:3: cover wants a table, not a list`},
		{"a number for a table", "cover = 3\n", `f:1:1: cover wants a table, not 3`},
		{"a quantity that its reader refuses", "much = \"little\"\n", `f:1:1: much is wrong: want much`},
		{"a list for a quantity", "much = []\n", `f:1:1: much wants a string, not a list`},
		{"the wrong type in the first of two tables", "[[part]]\nwidth = \"x\"\n[[part]]\nwidth = 1\n", `f:2:1: part.width wants a number, not "x"`},
		{"the wrong type in an inline list of tables", "part = [{ width = 1 },\n { width = \"x\" }]\n", `f:2:4: part.width wants a number, not "x"`},
		{"of many mistakes the first", "weight = true\nname = 3\nsize = 4.5\nsoft = 1\ntags = 1\n", `f:1:1: weight wants a number, not true`},
		{"no TOML", "name = \"a\"\nsize 3\n", "f:2:"},
		{"JSON", `{"name": "a"}`, "f:1:1: not TOML: "},
		{"a key given twice", "size = 1\nsize = 2\n", "f:2:"},
		{"a number beyond 64 bits", "size = 99999999999999999999\n", "f:1:8: not TOML: "},
		{"text that stops within a string", "name = \"a", "f:1:"},
		{"random bytes", "\x8f\x00\xc3\x28{", "f:1:1: not TOML: "},
		{"a file that is too large", strings.Repeat("#", MaxFile+1), "f: larger than 256 KiB"},
		{"a key of thousands of parts", "\n" + strings.Repeat("a.", 30_000) + "a = 1\n", "f:2:18: nested too deeply: at most 8 brackets and dots around a value"},
		{"a table of thousands of parts", "[" + strings.Repeat("a . ", 30_000) + "a]\n", "nested too deeply"},
		{"thousands of inline tables", "a = " + strings.Repeat("{a=", 30_000), "f:1:29: nested too deeply"},
		{"thousands of lists", "a = " + strings.Repeat("[", MaxFile-10), "f:1:13: nested too deeply"},
		{"long keys in inline tables", "cover = { inner.x.y = { a.b.c = { d.e.f = 1 } } }", "f:1:38: nested too deeply"},
		{"depth behind a string that looks open", "name = \"\"\"a\"b\"\"\"\nsize = " + strings.Repeat("[", 30_000), "f:2:16: nested too deeply"},
		{"depth behind a string that ends in quotes", "name = '''a'''''\nsize = " + strings.Repeat("[", 30_000), "f:2:16: nested too deeply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Decode("f", []byte(c.text), new(shape))
			if err == nil || d != nil {
				t.Fatal("accepted")
			}
			if !strings.HasPrefix(err.Error(), "f:") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q, want %q", err, c.want)
			}
			if len(err.Error()) > 400 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("not one short line: %q", err)
			}
		})
	}
}

func TestBracketsAndDotsInStringsAndCommentsAreNotDepth(t *testing.T) {
	deep := strings.Repeat("[a.", 100)
	text := "# " + deep + "\nname = \"" + deep + "\\\"" + deep + "\"\ntags = ['" + deep + "', \"\"\"\n\"" + deep + "\"\"\"]\n"
	var s shape
	if _, err := Decode("f", []byte(text), &s); err != nil {
		t.Error(err)
	}
	if len(s.Tags) != 2 || s.Tags[0] != deep {
		t.Errorf("%.200q", s.Tags)
	}
}

func TestFieldsAreTheNamesOfTheTags(t *testing.T) {
	if d := cmp.Diff([]string{"width", "inner"}, Fields(reflect.TypeFor[part]())); d != "" {
		t.Error(d)
	}
}
