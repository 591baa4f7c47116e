package search

import "math"

// sides are the directions in which an input changes, each with the factors that are
// tried, the nearest first.
var sides = [...]side{{Less, [...]int{1, 0}}, {More, [...]int{2, 3}}}

type side struct {
	name  string
	tried [2]int // of factors
}

// The directions of a flip.
const (
	Less = "less"
	More = "more"
)

// flip is a change of an input by which another plan, or none, becomes the best.
type flip struct {
	side
	keeps, flips float64   // factors: the same plan is the best at one, not at the other
	kept, other  *solution // there
	stopped      bool      // before they were as close as they were to be
}

// flipRatio is how close the two factors of a flip are to be: 1 %.
const flipRatio = 1.01

// flip looks for the change of an input by which another plan becomes the best,
// within the interval in which that happens first among the changes tried. It is nil
// where there is none, or the search was stopped before one was seen.
func (st *study) flip(in *input, s side) (*flip, error) {
	f := flip{side: s, keeps: 1, kept: st.base}
	for _, i := range s.tried {
		if c := in.cases[i]; f.other == nil && c.proven() {
			f.put(factors[i], c, c.same(st.base))
		} else if f.other == nil && c.impossible == "" {
			return nil, nil
		}
	}
	if f.other == nil {
		return nil, nil
	}
	for n := 0; !in.Whole && apart(f.flips, f.keeps) > math.Log(flipRatio); n++ {
		at := math.Sqrt(f.keeps * f.flips)
		if n < predictions {
			at = f.predicted(st, in, at)
		}
		c, err := st.solveAt(in, at, f.kept, f.other)
		if err != nil {
			return nil, err
		}
		if f.stopped = !c.proven(); f.stopped {
			break
		}
		f.put(at, c, c.same(st.base))
	}
	return &f, nil
}

// put moves one end of the interval.
func (f *flip) put(factor float64, s *solution, same bool) {
	if same {
		f.keeps, f.kept = factor, s
	} else {
		f.flips, f.other = factor, s
	}
}

// apart is how far two factors are from each other.
func apart(a, b float64) float64 { return math.Abs(math.Log(a / b)) }

// predictions is how often a flip is predicted before its interval is halved.
const predictions = 4

// predicted is where to look next: a little outside of where the plans of the two
// ends are equal, then a little inside of it. If no third plan matters, that is all
// it takes. Where they are not equal within the interval it is the middle.
func (f *flip) predicted(st *study, in *input, middle float64) float64 {
	lo, hi := math.Log(f.keeps), math.Log(f.flips)
	for math.Abs(hi-lo) > 1e-4 {
		at := (lo + hi) / 2
		if st.overtakes(in, math.Exp(at), f.kept, f.other) {
			hi = at
		} else {
			lo = at
		}
	}
	step := math.Log(flipRatio)
	for _, at := range []float64{math.Exp(lo + math.Copysign(0.45*step, hi-lo)), math.Exp(lo - math.Copysign(0.45*step, hi-lo))} {
		between := (at-f.keeps)*(f.flips-at) > 0
		if between && apart(at, f.keeps) > step/10 && apart(at, f.flips) > step/10 {
			return at
		}
	}
	return middle
}

// overtakes reports whether another solution's plan is better than that of one where
// there is so many times as much of an input: it fits and the one does not, or takes
// less time. That nothing fits is better than a plan that does not.
func (st *study) overtakes(in *input, factor float64, one, other *solution) bool {
	p, err := in.at(factor)
	if err != nil {
		return false
	}
	price, err := p.price()
	if err != nil {
		return false
	}
	step := func(s *solution) float64 {
		if s.best == nil {
			return math.MaxFloat64
		}
		figures := price.Price(&s.best.plan)
		if figures.Verdict > s.best.figures.Verdict {
			return inf
		}
		return float64(figures.Step)
	}
	return step(other) < step(one)
}
