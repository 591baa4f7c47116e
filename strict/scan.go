package strict

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// key is a key or table of a file.
type key struct {
	path   []string
	number string // the path with the numbers of list elements: "level[1].size"
	at     int    // byte offset
}

// scan lists the keys and tables of a valid TOML text in its order, with their
// places: the parser of package toml tells places in errors only.
func scan(text string) []key {
	s := &scanner{text: text, lists: map[string]int{}}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} { // byte order marks, which the parser skips
		if strings.HasPrefix(text, mark) {
			s.at = len(mark)
			break
		}
	}
	for s.space(" \t\r\n"); s.at < len(s.text); s.space(" \t\r\n") {
		if s.text[s.at] == '[' {
			s.header()
		} else {
			s.setting(s.table)
		}
	}
	return s.keys
}

// scanner is the state of scan. Every step moves forward, also in text that is
// not TOML.
type scanner struct {
	text  string
	at    int
	table key            // that of the last header
	lists map[string]int // lists of tables by number, with their lengths
	keys  []key
}

// header reads "[table]" or "[[list]]".
func (s *scanner) header() {
	s.at++
	list := s.at < len(s.text) && s.text[s.at] == '['
	if list {
		s.at++
	}
	s.space(" \t")
	start := s.at
	k := s.below(key{at: start}, s.path())
	if list {
		n := s.lists[k.number]
		s.lists[k.number]++
		k.number = element(k.number, n)
	}
	s.keys = append(s.keys, k)
	s.table = k
	s.at = lineEnd(s.text, s.at)
}

// setting reads "key = value" of a table.
func (s *scanner) setting(table key) {
	start := s.at
	k := s.below(key{table.path, table.number, start}, s.path())
	s.keys = append(s.keys, k)
	if s.at < len(s.text) && s.text[s.at] == '=' || s.at == start {
		s.at++
	}
	s.value(k)
}

// value reads one value and the keys of the inline tables in it.
func (s *scanner) value(k key) {
	s.space(" \t")
	if s.at >= len(s.text) {
		return
	}
	switch s.text[s.at] {
	case '"', '\'':
		s.at = stringEnd(s.text, s.at)
	case '[':
		n := 0
		s.list(']', func() {
			s.value(key{k.path, element(k.number, n), s.at})
			n++
		})
	case '{':
		s.list('}', func() { s.setting(k) })
	default:
		for s.at < len(s.text) && strings.IndexByte(",]}#\n", s.text[s.at]) < 0 {
			s.at++
		}
	}
}

// list reads the elements up to the closing bracket; it stands on the opening
// one.
func (s *scanner) list(end byte, read func()) {
	s.at++
	for s.space(" \t\r\n,"); s.at < len(s.text); s.space(" \t\r\n,") {
		start := s.at
		if s.text[s.at] == end {
			s.at++
			return
		}
		read()
		s.at = max(s.at, start+1)
	}
}

// path reads a dotted key.
func (s *scanner) path() (parts []string) {
	for s.at < len(s.text) {
		start := s.at
		if c := s.text[s.at]; c == '"' || c == '\'' {
			s.at = stringEnd(s.text, s.at)
			parts = append(parts, unquoted(s.text[start:s.at]))
		} else {
			for s.at < len(s.text) && strings.IndexByte(" \t\r\n.=]", s.text[s.at]) < 0 {
				s.at++
			}
			parts = append(parts, s.text[start:s.at])
		}
		s.blank()
		if s.at >= len(s.text) || s.text[s.at] != '.' {
			break
		}
		s.at++
		s.blank()
	}
	return parts
}

// below is the key of a dotted key inside a table. Of a list of tables it
// means the last one.
func (s *scanner) below(table key, parts []string) key {
	k := key{append(append([]string(nil), table.path...), parts...), table.number, table.at}
	for i, part := range parts {
		if k.number != "" {
			k.number += "."
		}
		k.number += part
		if n := s.lists[k.number]; n > 0 && i < len(parts)-1 {
			k.number = element(k.number, n-1)
		}
	}
	return k
}

func (s *scanner) blank() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

// space skips the characters of the set, and comments.
func (s *scanner) space(set string) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '#':
			s.at = lineEnd(s.text, s.at)
		case strings.IndexByte(set, c) >= 0:
			s.at++
		default:
			return
		}
	}
}

// element is the number of an element of a list.
func element(list string, n int) string { return fmt.Sprintf("%s[%d]", list, n) }

// unquoted is the text of a quoted key.
func unquoted(quoted string) string {
	if !strings.Contains(quoted, `\`) {
		return strings.Trim(quoted, quoted[:1])
	}
	var v struct{ K string }
	if _, err := toml.Decode("K = "+quoted, &v); err != nil {
		return quoted
	}
	return v.K
}
