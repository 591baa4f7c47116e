package profile

import "testing"

// TestEveryLimitIsOfAConstant: a limit whose key is misspelt would bind
// nothing.
func TestEveryLimitIsOfAConstant(t *testing.T) {
	known := map[string]bool{}
	for key := range new(Profile).constants() {
		known[key] = true
	}
	for key, l := range limits {
		if !known[key] || l.least > l.most {
			t.Errorf("%s: %+v", key, l)
		}
	}
}
