package cluster

import (
	"sort"
	"strings"
)

// joinedLine is a line of Slurm's files with those that continue it.
type joinedLine struct {
	text  string // without comments
	parts []linePart
}

// linePart is where a line of the file begins in a joined one.
type linePart struct{ line, at int }

// joinContinued joins lines that end in a backslash with the next ones, as
// Slurm does (src/common/parse_config.c): a comment is cut off first, blanks
// may follow the backslash, and two backslashes are one of the text.
func joinContinued(lines []string) []joinedLine {
	var list []joinedLine
	var text strings.Builder
	var parts []linePart
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		parts = append(parts, linePart{i, text.Len()})
		body := strings.TrimRight(line, " \t\r")
		slashes := len(body) - len(strings.TrimRight(body, `\`))
		open := slashes%2 == 1
		if open {
			line = body[:len(body)-1]
		}
		text.WriteString(line)
		if open && i < len(lines)-1 {
			continue
		}
		list = append(list, joinedLine{text.String(), parts})
		text.Reset()
		parts = nil
	}
	return list
}

// place is the line and the column of a byte of the text, from 0.
func (j *joinedLine) place(at int) (line, column int) {
	i := sort.Search(len(j.parts), func(i int) bool { return j.parts[i].at > at }) - 1
	return j.parts[i].line, at - j.parts[i].at
}
