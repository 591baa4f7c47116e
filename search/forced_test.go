package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"meshplan/framework"
)

// bruteForced is the answer for a degree from the list of all plans.
func bruteForced(j *job, list []leaf, g memoryGroup, best *leaf, d degree) (by string, factor float64) {
	v := d.of(&best.point)
	below := slices.DeleteFunc(slices.Clone(list), func(l leaf) bool { return d.of(&l.point) >= v })
	switch fit := ranked(below, 1, g); {
	case len(fit) > 0:
		return ByTime, float64(fit[0].figures.Step) / float64(best.figures.Step)
	case len(below) > 0:
		return ByMemory, 0
	}
	return "a rule", 0
}

func TestForcedAnswersEqualBruteForce(t *testing.T) {
	inParts(t, 120, func(t *testing.T, seed uint64) {
		p, e := small(t, seed+20_000)
		p.Forced, p.Jobs = true, int(seed%2)+1
		j, s := mustSession(t, p)
		list := everything(t, j, e)
		want, g := byGroup(list, p.Top)
		if len(want) == 0 {
			return
		}
		r, err := s.best(context.Background(), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Plans[0].Forced
		for _, d := range forcible {
			v := d.of(&want[0].point)
			if v == 1 {
				continue
			}
			if len(got) == 0 || got[0].Degree != d.name || got[0].Value != v {
				t.Fatalf("seed %d: no answer for %s %d", seed, d.name, v)
			}
			checkForced(t, seed, j, &got[0], list, g, &want[0], d)
			got = got[1:]
		}
		if len(got) > 0 {
			t.Fatalf("seed %d: an answer for %s, which is 1", seed, got[0].Degree)
		}
	})
}

func checkForced(t *testing.T, seed uint64, j *job, f *Forced, list []leaf, g memoryGroup, best *leaf, d degree) {
	t.Helper()
	by, factor := bruteForced(j, list, g, best, d)
	switch by {
	case ByTime:
		if f.By != by || f.Factor == nil || *f.Factor != factor {
			t.Fatalf("seed %d: %+v, want factor %v", seed, f, factor)
		}
		if strings.Contains(f.Text, HardlyMatters) != (factor < hardly) {
			t.Fatalf("seed %d: %q of factor %v", seed, f.Text, factor)
		}
	case ByMemory:
		if f.By != by || f.Factor != nil {
			t.Fatalf("seed %d: %+v, want memory", seed, f)
		}
	default:
		rule := f.By == layerSplit || f.By == gridRule || slices.ContainsFunc(j.rules, func(r framework.Rule) bool { return strings.Contains(f.By, r.ID) })
		if !rule || f.Factor != nil {
			t.Fatalf("seed %d: %+v, want a rule", seed, f)
		}
	}
	if !strings.Contains(f.Text, f.Degree) {
		t.Fatalf("seed %d: text %q does not name %s", seed, f.Text, f.Degree)
	}
}

func TestForcedNamesThePinThatAllowsNothingBelow(t *testing.T) {
	p := toy(t, "gpus=16,tp=4,pp<=2")
	p.Forced = true
	r := mustBest(t, p, 0)
	if r.Status != Optimal {
		t.Fatal(r.Status, r.Reasons)
	}
	i := slices.IndexFunc(r.Plans[0].Forced, func(f Forced) bool { return f.Degree == "tp" })
	if i < 0 || r.Plans[0].Forced[i].By != "pin/tp=4" {
		t.Fatalf("forced: %+v, want tp by its pin", r.Plans[0].Forced)
	}
	if got, want := r.Plans[0].Forced[i].Text, "tp 4: the pin tp=4 allows no tp below 4"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestForcedIsNotProvenWhenCutShort(t *testing.T) {
	p := toy(t, "gpus=16")
	_, s := mustSession(t, p)
	out, err := s.walk(context.Background(), query{top: 1})
	if err != nil || len(out.held) == 0 {
		t.Fatal("no plan", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	answers, err := s.forced(ctx, fits, &out.held[0])
	if err != nil || len(answers) == 0 {
		t.Fatal(answers, err)
	}
	for _, f := range answers {
		if f.By != NotProven || f.Factor != nil {
			t.Errorf("%+v, want not proven", f)
		}
	}
}
