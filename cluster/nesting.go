package cluster

import "fmt"

// Deepest nesting of brackets and most dots of one line outside strings: a
// cluster file needs three and a dozen. The TOML parser takes time that grows
// with the square of either, minutes for a file of a few hundred kilobytes.
const (
	maxBrackets = 16
	maxDots     = 100
)

// shallow refuses text that nests too deeply to be parsed in reasonable time.
// It needs to be no better than roughly right about strings: the parser is
// the judge of everything else.
func shallow(file string, text []byte) error {
	line, open, dots := 1, 0, 0
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			line, dots = line+1, 0
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '[' || c == '{':
			open++
		case c == ']' || c == '}':
			open = max(0, open-1)
		case c == '.':
			dots++
		}
		if open > maxBrackets || dots > maxDots {
			return fmt.Errorf("%s:%d: nested too deeply for a cluster file", file, line)
		}
	}
	return nil
}
