package solver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// history asks a session many things and writes down every answer.
func history(t *testing.T) string {
	var log strings.Builder
	for seed := range uint64(8) {
		s, on := puzzle(seed)
		s.patience = 5
		xs := []Int{}
		for _, d := range s.ints[:6] {
			xs = append(xs, Int{d})
		}
		nogoods := s.Group("nogoods")
		status, m, err := s.Lazy(context.Background(), Budget{}, append(slices.Clone(on), nogoods), func(m Model) bool {
			var box []Span
			for _, x := range xs {
				box = append(box, Span{x, m.Value(x), m.Value(x)})
			}
			s.Exclude(nogoods, box[:4])
			return m.Value(xs[4])+m.Value(xs[5]) > 10
		})
		fmt.Fprintln(&log, status, m.values, err)
		core, err := s.Core(context.Background(), Budget{}, append(slices.Clone(on), nogoods)...)
		for _, g := range core {
			fmt.Fprint(&log, g.g.id, " ")
		}
		fmt.Fprintln(&log, err)
		c := &collector{p: &problem{s: s, xs: xs}}
		err = Walk(context.Background(), s, on[:1], nil, xs, c)
		fmt.Fprintln(&log, c.leaves, err)
		fmt.Fprintf(&log, "%+v\n", s.Stats())
	}
	return log.String()
}

func TestTheSameQuestionsGetTheSameAnswersAndCounts(t *testing.T) {
	if a, b := history(t), history(t); a != b {
		t.Errorf("first\n%s\nthen\n%s", a, b)
	}
}
