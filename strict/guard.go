package strict

import "strings"

// maxDepth is the most brackets, braces and dots of a key around one value
// that are parsed; real files have four. The time and memory that the TOML
// parser takes grow with the square of their number: a file of some hundred
// kilobytes of "a.a.a." or "{a={a=" would take minutes.
const maxDepth = 8

// tooDeep is the offset of the first byte that nests too deeply, -1 where none
// does. Up to the first syntax error, where the parser stops, it agrees with
// the parser on what is a string and what a comment.
func tooDeep(text string) int {
	var around []int // of each open bracket: the depth of its key
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			i = stringEnd(text, i) - 1
		case '#':
			i = lineEnd(text, i) - 1
		case '[', '{':
			around = append(around, depth)
			depth++
		case ']', '}':
			if n := len(around); n > 0 {
				depth, around = around[n-1], around[:n-1]
			}
		case '.':
			depth++
		case ',', '\n':
			depth = 0
			if n := len(around); n > 0 {
				depth = around[n-1] + 1
			}
		}
		if depth > maxDepth {
			return i
		}
	}
	return -1
}

// stringEnd is the offset behind the string that starts at i. A string of one
// line that is not closed ends with its line, any other with the text.
func stringEnd(text string, i int) int {
	quote := text[i]
	triple := strings.Repeat(text[i:i+1], 3)
	long := strings.HasPrefix(text[i:], triple)
	if long {
		i += 2
	}
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == '\n' && !long:
			return i
		case text[i] == quote && !long:
			return i + 1
		case text[i] == quote && strings.HasPrefix(text[i:], triple):
			// Two more quotes at the end are part of the string.
			for i += 3; i < len(text) && text[i] == quote; i++ {
			}
			return i
		}
	}
	return len(text)
}

// lineEnd is the offset of the line break behind i, or of the text's end.
func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}
