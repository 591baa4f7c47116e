package models

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestJSONIsReadAsEncodingJSONReadsIt(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Float64Range(-1e18, 1e18), func(f float64) any { return f }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, false, 0.0, -1.0}),
	)
	tree := rapid.Deferred(func() *rapid.Generator[any] { return leaf })
	for range 3 {
		below := tree
		tree = rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(below, 0, 4), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.String(), below, 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.MarshalIndent(tree.Draw(t, "tree"), "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := parseJSON(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(plainValue(t, &v))
		again, _ := json.Marshal(want)
		if err != nil || string(got) != string(again) {
			t.Fatalf("%s read as %s", again, got)
		}
	})
}

// plainValue is the value as encoding/json represents it.
func plainValue(t *rapid.T, v *jsonValue) any {
	switch v.kind {
	case jsonBool:
		return v.yes
	case jsonNumber:
		var f float64
		if err := json.Unmarshal([]byte(v.text), &f); err != nil {
			t.Fatal(err)
		}
		return f
	case jsonString:
		return v.text
	case jsonArray:
		list := []any{}
		for i := range v.items {
			list = append(list, plainValue(t, &v.items[i]))
		}
		return list
	case jsonObject:
		object := map[string]any{}
		for i := range v.members {
			object[v.members[i].key] = plainValue(t, &v.members[i].value)
		}
		return object
	}
	return nil
}

func TestTextThatIsNoJSONIsRefusedWhereItGoesWrong(t *testing.T) {
	for _, c := range []struct {
		name, text string
		at         int
	}{
		{"a comma at the end", `{"a": 1,}`, 8},
		{"a missing comma", `[1 2]`, 3},
		{"a missing colon", `{"a" 1}`, 5},
		{"a key without quotes", `{a: 1}`, 1},
		{"a second value", `{} {}`, 3},
		{"a number with a leading zero", `[012]`, 1},
		{"a bare word", `[nul]`, 1},
		{"a bad escape", `["\q"]`, 1},
		{"a key given twice", `{"a": 1, "a": 2}`, 9},
		{"a line break in a string", "[\"a\n\"]", 1},
	} {
		_, err := parseJSON([]byte(c.text))
		var bad *jsonError
		if !errors.As(err, &bad) || bad.at != c.at {
			t.Errorf("%s: %v at %+v, want it at %d", c.name, err, bad, c.at)
		}
	}
}
