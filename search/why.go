package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"meshplan/framework"
	"meshplan/units"
)

// WhyResult answers "why does nothing fit?" and "why not this?". Its JSON is meant
// for other programs, as that of Result is.
type WhyResult struct {
	FormatVersion int `json:"format_version"`
	// Status is that of the search for a plan under the pins, as in Result.
	Status Status `json:"status"`
	// Feasible says that a plan can run the job under its pins; Borderline that none
	// of those leaves the profile's margin of memory free.
	Feasible   bool `json:"feasible"`
	Borderline bool `json:"borderline"`
	// Reasons cannot hold together, which is why no plan fits; empty when one does.
	// Minimal says that each is needed: without it the others could hold together.
	Reasons    []Reason `json:"reasons"`
	Minimal    bool     `json:"minimal"`
	Background []string `json:"background"` // what is given and in no reason
	// Changes are what helps, cheapest first: where no plan fits, those after which
	// one does; else those after which the best is faster.
	Changes []Change `json:"changes"`
	// ChangesDone says that all kinds of change were tried to the end.
	ChangesDone bool        `json:"changes_done"`
	Plan        *PlanResult `json:"plan"`    // the best under the pins, a borderline one where Borderline says so; null when there is none
	Against     *Against    `json:"against"` // the best without the pins; null without pins or a plan that fits under them
	Idle        *Idle       `json:"idle"`    // why the best plan leaves GPUs unused; null where it uses all or does not fit
	Space       Space       `json:"space"`
	Warnings    []string    `json:"warnings"`
	Stats       Stats       `json:"-"`
}

// Against compares the best plan under the pins with the best without them.
type Against struct {
	Plan   PlanResult `json:"plan"`   // the best without the pins
	Status Status     `json:"status"` // of the search for it
	// BoundSeconds is a step time that no plan without the pins beats; null where step
	// times are upper bounds.
	BoundSeconds *float64 `json:"bound_seconds"`
	Factor       float64  `json:"factor"` // step time under the pins over that without them; where the search for it was cut short, at least that
	// Terms are by what the step times differ; the seconds of either plan add up to
	// its step.
	Terms []TermPair `json:"terms"`
}

// TermPair is a term of the step time in two plans.
type TermPair struct {
	Name          string  `json:"name"`
	PinnedSeconds float64 `json:"pinned_seconds"`
	FreeSeconds   float64 `json:"free_seconds"`
}

// Explained reports whether the question was answered to the end.
func (r *WhyResult) Explained() bool {
	return r.ChangesDone && (r.Plan != nil || r.Status == Infeasible)
}

// Why says why no plan of the job fits, with the smallest changes after which one
// does, or what its pins cost where one does. Every change is verified by a search
// of its own. Stopped early it returns what is known.
func Why(ctx context.Context, p *Problem, l Limits) (*WhyResult, error) {
	start := time.Now()
	ctx, cancel := l.stop(ctx)
	defer cancel()
	given := background(&p.Facts)
	p, said := p.onAnyNodes()
	s, err := newSession(p)
	if err != nil {
		return nil, err
	}
	r, err := s.why(ctx, l)
	if err != nil {
		return nil, err
	}
	r.Background, r.Warnings = given, append(said, r.Warnings...)
	if p.Facts.Cluster.IsMerged() {
		r.withdraw()
		if err := s.placeAll(ctx, r); err != nil {
			return nil, err
		}
	}
	r.Stats.add(s.work())
	r.Stats.add(s.tried.sum)
	r.Stats.Seconds = time.Since(start).Seconds()
	return r, nil
}

// withdraw takes back what is proven of plans that may use any nodes: their times are
// upper bounds.
func (r *WhyResult) withdraw() {
	r.Status = r.Status.unproven()
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Status, c.BoundSeconds = c.Status.unproven(), nil
	}
	if r.Against != nil {
		r.Against.Status, r.Against.BoundSeconds = r.Against.Status.unproven(), nil
	}
}

// placeAll says which nodes run the best plan, and the best without the pins. Plans of
// changes are priced for any nodes, and not placed.
func (s *session) placeAll(ctx context.Context, r *WhyResult) error {
	if r.Plan == nil {
		return nil
	}
	if err := s.placeOn(ctx, r.Plan, r.Status == Feasible && r.Explained()); err != nil || r.Against == nil {
		return err
	}
	return s.placeOn(ctx, &r.Against.Plan, r.Against.Status == Feasible && r.Explained())
}

func (s *session) why(ctx context.Context, l Limits) (*WhyResult, error) {
	r := &WhyResult{FormatVersion: FormatVersion, Space: s.describe(), Reasons: []Reason{}, Changes: []Change{}, Warnings: []string{}}
	out, err := s.walk(ctx, query{top: 1, memory: runs, safe: true, tell: l.Progress, shared: true})
	if err != nil {
		return nil, err
	}
	group, found := fits, out.safe
	if len(out.safe.held) == 0 {
		group, found = runs, out.answer
	}
	base := &Result{}
	s.settle(base, &out, found)
	r.Status, r.Feasible, r.Borderline = base.Status, len(out.held) > 0, len(out.safe.held) == 0 && len(out.held) > 0
	r.Warnings = s.warnings(group, &out, found.held)
	if len(found.held) > 0 {
		view, err := s.view(&found.held[0].plan)
		if err != nil {
			return nil, err
		}
		s.seat(&view, &found.held[0].plan)
		r.Plan = &view
	}
	var changes []*change
	switch {
	case !out.done:
		return r, nil
	case group == runs:
		changes, err = s.whyNot(ctx, r)
	default:
		changes, err = s.whySlow(ctx, r, &found.held[0])
	}
	if err == nil && s.Forced && len(found.held) > 0 {
		r.Plan.Forced, err = s.forced(ctx, group, &found.held[0])
	}
	if err != nil {
		return nil, err
	}
	r.ChangesDone = ctx.Err() == nil
	for _, c := range changes {
		if r.Plan != nil {
			factor := c.factorOver(r.Plan, s.facts.Workload.GlobalBatch)
			c.Factor = &factor
		}
		r.Changes = append(r.Changes, c.Change)
	}
	return r, nil
}

// whyNot finds why no plan fits and what helps.
func (s *session) whyNot(ctx context.Context, r *WhyResult) (changes []*change, err error) {
	group := fits
	if !r.Feasible {
		group = runs
	}
	if r.Reasons, r.Minimal, err = s.reasons(ctx, group); err != nil {
		return nil, err
	}
	if changes, err = s.helping(ctx, r.Reasons); err != nil {
		return nil, err
	}
	return changes, s.settleAll(ctx, changes)
}

// helping are the changes after which a plan fits, the smallest of each kind in the
// order of kinds.
func (s *session) helping(ctx context.Context, reasons []Reason) ([]*change, error) {
	finders, err := s.remedies(reasons)
	if err != nil {
		return nil, err
	}
	changes, err := s.ask(ctx, finders)
	own := slices.ContainsFunc(changes, func(c *change) bool {
		return c.Kind == ChangePin || c.Kind == ChangeDrop || c.Kind == ChangeOption
	})
	if err != nil || own || ctx.Err() != nil {
		return changes, err
	}
	more, err := s.ask(ctx, s.further())
	dropped := slices.ContainsFunc(more, func(c *change) bool { return c.Kind == ChangeDrop })
	if n := len(s.Pins); err == nil && n > 2 && !dropped && ctx.Err() == nil {
		var all []int
		for i := range n {
			all = append(all, i)
		}
		var every []*change
		every, err = s.ask(ctx, []finder{s.dropping(all...).first})
		more = append(more, every...)
	}
	return append(more, changes...), err
}

// ask has the finders look for their changes and keeps those found, in order.
func (s *session) ask(ctx context.Context, finders []finder) ([]*change, error) {
	found := make([]*change, len(finders))
	var jobs errgroup.Group
	jobs.SetLimit(max(1, s.Jobs))
	for i, find := range finders {
		jobs.Go(func() (err error) {
			found[i], err = find(ctx)
			return err
		})
	}
	if err := jobs.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(c *change) bool { return c == nil }), nil
}

// settleAll finds the best plan after each of the changes and puts the cheapest
// change first.
func (s *session) settleAll(ctx context.Context, changes []*change) error {
	var jobs errgroup.Group
	jobs.SetLimit(max(1, s.Jobs))
	for _, c := range changes {
		jobs.Go(func() error { return c.settle(ctx) })
	}
	if err := jobs.Wait(); err != nil {
		return err
	}
	sortChanges(changes)
	return nil
}

// sortChanges puts the cheapest change first, and of two of a kind that whose
// sequences take less time.
func sortChanges(list []*change) {
	slices.SortStableFunc(list, func(a, b *change) int {
		return cmp.Or(cmp.Compare(a.tier(), b.tier()), cmp.Compare(a.perSequence(), b.perSequence()))
	})
}

// tier is how much a kind of change asks of a user: settings of a launch, then
// what changes the numbers that are computed, then machines.
func (c *change) tier() int {
	switch c.Kind {
	case ChangePin, ChangeDrop, ChangeOption:
		return 0
	case ChangeRecipe, ChangeFramework:
		return 1
	case ChangeBatch:
		return 2
	case ChangeGPUs:
		return 3
	}
	return 4
}

// background is what no change and no rule can take away.
func background(f *framework.Facts) []string {
	return []string{
		fmt.Sprintf("the cluster: %s (%s), innermost level first; on each level the degrees of a plan multiply to no more than its size",
			units.Grouped(int64(f.Cluster.GPUs()))+" "+f.Cluster.GPU.Name, framework.Levels(f)),
		fmt.Sprintf("the job: %d layers, %d heads, %s; a step trains %s of %s tokens", f.Model.Layers, f.Model.Heads,
			fmt.Sprintf("%.4g billion parameters", float64(f.Model.Total())/1e9), count(int(f.Workload.GlobalBatch), "sequence"), units.Grouped(f.Workload.SeqLen)),
	}
}
