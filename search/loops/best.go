package loops

import (
	"context"

	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// Query says which plans are sought.
type Query struct {
	Top   int         // classes
	Runs  bool        // accept borderline plans too
	Most  units.Bytes // of memory that a plan may reserve besides; 0 means no such limit
	First bool        // stop at the first plan found
}

// Answer is what a search by loops found.
type Answer struct {
	Best  []Found // the best plan of each class, best first
	Seen  float64 // plans priced
	Nodes float64 // boxes bounded
	Done  bool    // not stopped by the context
}

// checkEvery is the number of plans between two looks at the context.
const checkEvery = 1024

// Plain prices every valid plan.
func (e *Enumerator) Plain(ctx context.Context, q Query) Answer {
	s := &search{Enumerator: e, ctx: ctx, query: q, best: ranking{top: max(1, q.Top)}}
	done := e.Visit(func(p *plan.Point) bool {
		s.price(p)
		return !s.enough() && (int64(s.answer.Seen)%checkEvery != 0 || ctx.Err() == nil)
	})
	return s.finish(done)
}

// search is the state of one query.
type search struct {
	*Enumerator
	ctx    context.Context
	query  Query
	best   ranking
	answer Answer
	usable units.Bytes // of the box bounded last

	frames   []frame           // of the bounded loops, one a depth
	divisors map[int32][]int32 // of the degrees met
	complete [][]int           // levels whose factors are known once a loop is set
}

func (s *search) finish(done bool) Answer {
	s.answer.Best, s.answer.Done = s.best.list, done
	return s.answer
}

// price splits, prices and ranks a valid point.
func (s *search) price(p *plan.Point) {
	s.answer.Seen++
	stages, err := s.Price.Split(p, s.Forms)
	if err != nil {
		return
	}
	f := Found{Point: *p, Plan: p.Plan(s.levels)}
	f.Plan.Options.Stages = stages
	for _, r := range s.StageRules {
		if !r.Holds(s.Facts, &f.Plan) {
			return
		}
	}
	if f.Figures = s.Price.Price(&f.Plan); s.accepts(&f.Figures) {
		s.best.add(f)
	}
}

func (s *search) accepts(f *cost.Figures) bool {
	if s.query.Most > 0 && f.Peak > s.query.Most {
		return false
	}
	return f.Verdict == cost.Fits || s.query.Runs && f.Verdict == cost.Borderline
}

// enough reports whether no more plans are asked for.
func (s *search) enough() bool { return s.query.First && len(s.best.list) > 0 }

// limit is the most memory an acceptable plan reserves.
func (s *search) limit(usable units.Bytes) units.Bytes {
	limit := units.Bytes(float64(usable) * s.group())
	if s.query.Most > 0 {
		return min(limit, s.query.Most)
	}
	return limit
}

// group is the share of the usable memory that a plan may reserve but for Most.
func (s *search) group() float64 {
	if s.query.Runs {
		return 1 + s.Price.RefuseMargin()
	}
	return 1 - s.Price.Margin()
}
