package cluster

import "strings"

// plain is a name without its spelling: lower case, letters and digits only,
// without what stands in brackets and without the maker's name. Names with
// the same plain form are the same name.
func plain(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), "(")
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	for _, maker := range []string{"nvidia", "amd", "intel", "tesla", "geforce", "instinct"} {
		name = strings.TrimPrefix(name, maker)
	}
	return name
}
