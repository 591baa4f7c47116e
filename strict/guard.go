package strict

import "strings"

// The deepest nesting of brackets and braces and the most parts of one dotted
// key that are parsed; real files have three and four. The time and memory
// that the TOML parser takes grow with the square of either: a file of some
// hundred kilobytes of "a.a.a." or "{a={a=" would take minutes.
const (
	maxBrackets = 16
	maxParts    = 16
)

// tooDeep is the offset of the first byte that nests too deeply, -1 where none
// does. Up to the first syntax error, where the parser stops, it agrees with
// the parser on what is a string and what a comment.
func tooDeep(text string) int {
	open, parts := 0, 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			i = stringEnd(text, i) - 1
		case '#':
			i = lineEnd(text, i) - 1
		case '[', '{':
			open, parts = open+1, 1
		case ']', '}':
			open, parts = max(0, open-1), 1
		case '.':
			parts++
		case '=', ',', '\n':
			parts = 1
		}
		if open > maxBrackets || parts > maxParts {
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
