package measured

import (
	"slices"
	"strings"
)

// flags is the words of a row's column flags that are known, as a set. They
// say which rows to look at apart; none reaches a prediction.
type flags uint16

const (
	inconsistent flags = 1 << iota // a skip: the row contradicts itself
	suspect
	composed
	slowState
	slowStateLikely
	nearLimit
	embeddingBalanced
	near3
)

// flagWords are the flags that are reported, in the order of reports.
var flagWords = []struct {
	flag flags
	word string
}{
	{suspect, "suspect"}, {composed, "composed"}, {slowState, "slow_state"}, {slowStateLikely, "slow_state_likely"},
	{nearLimit, "near_limit"}, {embeddingBalanced, "embedding_balanced"}, {near3, "near3"},
}

// doubtful is the flags of rows that are left out of what is called clean;
// near3 only says how a row was chosen.
const doubtful = suspect | composed | slowState | slowStateLikely | nearLimit | embeddingBalanced

// unflagged is the name of the rows without a doubtful flag.
const unflagged = "unflagged"

// flagsOf reads the cell: words apart by blanks. A word that is not known is
// not read.
func flagsOf(cell string) flags {
	var f flags
	words := strings.Fields(strings.ToLower(cell))
	if slices.Contains(words, "inconsistent") {
		f |= inconsistent
	}
	for _, w := range flagWords {
		if slices.Contains(words, w.word) {
			f |= w.flag
		}
	}
	return f
}

// words are the reported flags of the set, nil of none.
func (f flags) words() []string {
	var list []string
	for _, w := range flagWords {
		if f&w.flag != 0 {
			list = append(list, w.word)
		}
	}
	return list
}

// clean are the rows without a doubtful flag.
func clean(rows []*scored) []*scored {
	return slices.DeleteFunc(slices.Clone(rows), func(s *scored) bool { return s.flags&doubtful != 0 })
}

// byFlag judges the rows of each flag that occurs, then those without a
// doubtful one. A row of two flags is in both parts.
func byFlag(rows []*scored, part func(*scored) string) []FlagReport {
	var list []FlagReport
	for _, w := range flagWords {
		of := slices.DeleteFunc(slices.Clone(rows), func(s *scored) bool { return s.flags&w.flag == 0 })
		if len(of) > 0 {
			list = append(list, FlagReport{w.word, partOf(of, part)})
		}
	}
	return append(list, FlagReport{unflagged, partOf(clean(rows), part)})
}
