package measured

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestFlagsAreWordsOfOneCell(t *testing.T) {
	for _, c := range []struct {
		cell, words string
		inconsist   bool
	}{
		{"", "", false},
		{"suspect", "suspect", false},
		{"  Slow_State   slow_state_likely ", "slow_state slow_state_likely", false},
		{"slow_state_likely", "slow_state_likely", false},
		{"near3 near_limit", "near_limit near3", false},
		{"inconsistent composed", "composed", true},
		{"unheard_of suspected", "", false},
	} {
		f := flagsOf(c.cell)
		if got := strings.Join(f.words(), " "); got != c.words || (f&inconsistent != 0) != c.inconsist {
			t.Errorf("%q: %q, inconsistent %t", c.cell, got, f&inconsistent != 0)
		}
	}
}

// flagged is a sweep of four plans, of which the flags and times are given.
func flagged(cells ...string) string {
	var b strings.Builder
	b.WriteString(header + ",flags\n")
	for i, plan := range []string{"1,1", "2,1", "4,1", "1,2"} {
		seconds, flags, _ := strings.Cut(cells[i], " ")
		b.WriteString(strings.Replace(line, "1,2,1,7.5,0", "1,"+plan+","+seconds+",0,"+flags, 1) + "\n")
	}
	return b.String()
}

func TestFlaggedRowsAreJudgedApart(t *testing.T) {
	r := validate(t, flagged("7 ", "8 near3 composed", "9 near3", "60 composed suspect"))
	var got []string
	rows := map[string]int{}
	for _, f := range r.ByFlag {
		got = append(got, f.Flag)
		rows[f.Flag] = f.Scored
	}
	if want := "suspect composed near3 unflagged"; strings.Join(got, " ") != want {
		t.Errorf("flags %v, want %s", got, want)
	}
	for flag, want := range map[string]int{"suspect": 1, "composed": 2, "near3": 2, "unflagged": 2} {
		if rows[flag] != want {
			t.Errorf("%s: %d rows, want %d", flag, rows[flag], want)
		}
	}
	if s := r.BySource[0]; s.Scored != 4 || s.Clean.Scored != 2 || s.Time.N != 4 || s.Clean.Time.N != 2 {
		t.Errorf("%d rows scored, %d of them clean; %d and %d times", s.Scored, s.Clean.Scored, s.Time.N, s.Clean.Time.N)
	}
}

func TestTheRankingOfCleanRowsLeavesOutFlaggedPlans(t *testing.T) {
	for _, c := range []struct {
		name        string
		cells       []string
		groups      int
		told, clean float64 // regret of a rule that picks tp 1 and pp 1
	}{
		{"the fastest is flagged", []string{"7 ", "8 ", "9 ", "5.6 near_limit"}, 1, 0.2, 0},
		{"too few are left", []string{"7 ", "8 ", "9 slow_state", "5.6 near_limit"}, 0, 0.2, math.NaN()},
		{"near3 is no reason", []string{"7 near3", "8 near3", "9 near3", "5.6 near3"}, 1, 0.2, 0.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := validate(t, flagged(c.cells...)).BySource[0]
			if s.Ranking.Groups != 1 || s.Clean.Ranking.Groups != c.groups {
				t.Errorf("%d sweeps, %d of clean rows", s.Ranking.Groups, s.Clean.Ranking.Groups)
			}
			near(t, "regret of all rows", s.Ranking.Baselines.LeastModelParallel.ToldWhatRan.MeanRegret, c.told)
			near(t, "regret of clean rows", s.Clean.Ranking.Baselines.LeastModelParallel.ToldWhatRan.MeanRegret, c.clean)
		})
	}
}

func TestATableWithoutFlagsIsCleanAsAWhole(t *testing.T) {
	r := validate(t, edit(t))
	if len(r.ByFlag) != 1 || r.ByFlag[0].Flag != unflagged {
		t.Fatalf("%+v", r.ByFlag)
	}
	want := fmt.Sprintf("%+v", r.Part)
	for name, p := range map[string]Part{"unflagged": r.ByFlag[0].Part, "clean": r.BySource[0].Clean} {
		if got := fmt.Sprintf("%+v", p); got != want {
			t.Errorf("%s: %s, all: %s", name, got, want)
		}
	}
}

func TestNoFlagReachesAPrediction(t *testing.T) {
	want := validate(t, edit(t)).Lines[0]
	for _, w := range flagWords {
		if got := validate(t, edit(t, "flags="+w.word)).Lines[0]; got != want {
			t.Errorf("%s: %+v, without it %+v", w.word, got, want)
		}
	}
}
