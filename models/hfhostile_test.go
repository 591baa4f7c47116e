package models

import (
	"os"
	"path/filepath"
	"testing"
)

// hostile are values that a key of a config.json should not have.
var hostile = []string{
	"0", "-1", "1", "2.5", "1e999", "9223372036854775807", "-9223372036854775808", "100000", "1000000", "NaN",
	"null", "true", "false", `""`, `"x"`, "[]", "[0]", "[1, 1]", `["full_attention"]`, "{}", `{"a": 1}`,
}

func TestAnyValueOfAnyKeyIsAnErrorOrAValidModel(t *testing.T) {
	seen := map[string]bool{} // one file a family
	for _, pattern := range hfFixtures {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(err, len(paths))
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			root, err := parseJSON(text)
			kind := root.get("model_type")
			if err != nil || kind == nil || seen[kind.value.text] {
				continue
			}
			seen[kind.value.text] = true
			replaceEach(t, text, &root)
		}
	}
}

// replaceEach parses the text with each value under v replaced by each hostile
// one.
func replaceEach(t *testing.T, text []byte, v *jsonValue) {
	t.Helper()
	for i := range v.members {
		member := &v.members[i]
		end := valueEnd(text, member.value.at)
		for _, value := range hostile {
			changed := append(append(append([]byte{}, text[:member.value.at]...), value...), text[end:]...)
			m, err := ParseHF("config.json", changed)
			if err == nil {
				checkModel(t, m)
			} else if len(err.Error()) > 700 {
				t.Errorf("%s = %s: %d bytes of error", member.key, value, len(err.Error()))
			}
		}
		replaceEach(t, text, &member.value)
	}
}

// valueEnd is where the JSON value that starts at the offset ends.
func valueEnd(text []byte, at int) int {
	p := &jsonParser{text: text, at: at}
	if _, err := p.value(0); err != nil {
		return at
	}
	return p.at
}
