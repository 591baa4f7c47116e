package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/plan"
)

// relation is what becomes of the best plan's time when a problem changes.
type relation struct {
	change func(*rand.Rand, *Problem) bool // false where the problem has nothing to change
	holds  func(before, after float64) bool
	least  int32 // problems in which the time changes, of all
	alike  bool  // is about levels of equal links
}

// A hair is allowed for sums in another order.
func notSlower(before, after float64) bool { return after <= before*(1+1e-12) }
func notFaster(before, after float64) bool { return notSlower(after, before) }
func unmoved(before, after float64) bool {
	return notSlower(before, after) && notFaster(before, after)
}

var relations = map[string]relation{
	"a pin":                        {pinned, notFaster, 20, false},
	"rules of another framework":   {ruled, notFaster, 5, false},
	"equal levels change places":   {exchanged, unmoved, 0, true},
	"a level of one is taken away": {flattened, unmoved, 0, true},
}

// pinned holds a degree or an option at one of its values.
func pinned(r *rand.Rand, p *Problem) bool {
	c := pick(r, plan.Coord(plan.TP), plan.Coord(plan.CP), plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.EP),
		plan.VPP, plan.MicroBatch, plan.SP, plan.Zero, plan.RecomputeC)
	values := framework.NewDomains(&p.Facts, p.Framework, p.Pins).Values[c]
	p.Pins = append(slices.Clone(p.Pins), framework.Pin{Coord: c, Op: "=", Value: values[r.IntN(len(values))]})
	return framework.CheckPins(&p.Facts, p.Pins) == nil
}

// stricter is a framework with more rules.
type stricter struct {
	framework.Framework
	more []framework.Rule
}

func (s stricter) Rules() []framework.Rule {
	return append(slices.Clone(s.Framework.Rules()), s.more...)
}

// ruled adds rules that another framework has, each one time in two.
func ruled(r *rand.Rand, p *Problem) bool {
	var more []framework.Rule
	for _, rule := range pick(r, all.List()...).Rules() {
		if rule.ID = "added/" + rule.ID; !rule.Implied && r.IntN(2) == 0 {
			more = append(more, rule)
		}
	}
	p.Framework = stricter{p.Framework, more}
	return len(more) > 0
}

// exchanged gives two levels above the innermost the same links and then changes their
// order; the cluster before has them in the other.
func exchanged(r *rand.Rand, p *Problem) bool {
	c := p.Facts.Cluster
	if len(c.Levels) < 3 {
		return false
	}
	i := 1 + r.IntN(len(c.Levels)-2)
	c.Levels[i], c.Levels[i+1] = c.Levels[i+1], c.Levels[i]
	return true
}

// flattened takes away a level above the innermost whose domains hold one of the level
// below.
func flattened(_ *rand.Rand, p *Problem) bool {
	c := p.Facts.Cluster
	for l := 1; l < len(c.Levels); l++ {
		if c.Levels[l].Size == 1 {
			c.Levels = slices.Delete(c.Levels, l, l+1)
			return true
		}
	}
	return false
}

// related is a problem at real prices on a cluster of its own, with the links above
// the innermost level alike if the relation is about their order. Relations share the
// problems.
func related(t *testing.T, alike bool, seed uint64) *Problem {
	t.Helper()
	shared, ok := relatedBefore.Load(seed)
	if !ok {
		p, _ := real(t, seed+120_000)
		p.Top, p.Pins = 1, slices.DeleteFunc(p.Pins, func(pin framework.Pin) bool { return pin.Op == "in" })
		shared, _ = relatedBefore.LoadOrStore(seed, p)
	}
	q := onCopy(shared.(*Problem))
	if levels := q.Facts.Cluster.Levels; alike {
		for l := 2; l < len(levels); l++ {
			levels[l].Bandwidth, levels[l].Latency = levels[1].Bandwidth, levels[1].Latency
		}
	}
	return q
}

var relatedBefore sync.Map // a *Problem by seed

// onCopy is the problem on a copy of its cluster.
func onCopy(p *Problem) *Problem {
	q, c, gpu := *p, *p.Facts.Cluster, *p.Facts.Cluster.GPU
	c.Levels, c.GPU = slices.Clone(c.Levels), &gpu
	q.Facts.Cluster = &c
	return &q
}

// relatedProblems is the number of problems of each relation.
const relatedProblems = 102

func TestChangesThatCannotGainOrCannotCost(t *testing.T) {
	for name, rel := range relations {
		t.Run(name, func(t *testing.T) {
			var asked, feasible, moved atomic.Int32
			t.Run("random problems", func(t *testing.T) {
				// problems to which the change does not apply are replaced by later ones
				inParts(t, relatedProblems, func(t *testing.T, seed uint64) {
					for try := uint64(0); try < 40; try++ {
						before := related(t, rel.alike, seed+try*relatedProblems)
						after := onCopy(before)
						if !rel.change(rand.New(rand.NewPCG(seed, try)), after) {
							continue
						}
						asked.Add(1)
						b, a := fastest(t, before), fastest(t, after)
						if !rel.holds(b, a) {
							t.Errorf("seed %d: %v s before, %v s after; %v", seed, b, a, after.Facts.Cluster.Levels)
						}
						if !math.IsInf(min(a, b), 1) {
							feasible.Add(1)
						}
						if a != b {
							moved.Add(1)
						}
						return
					}
				})
			})
			t.Logf("%d problems, %d with a plan, %d with another time", asked.Load(), feasible.Load(), moved.Load())
			if testing.Short() {
				return
			}
			if asked.Load() < 100 || feasible.Load() < asked.Load()/3 || moved.Load() < rel.least {
				t.Errorf("the problems are one-sided: %d, %d of them with a plan, %d change", asked.Load(), feasible.Load(), moved.Load())
			}
		})
	}
}
