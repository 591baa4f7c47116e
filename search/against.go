package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"meshplan/units"
)

// worth is by how much a change must shorten the time of a sequence to be offered
// for a job that has a plan.
const worth = 0.99

// How far another global batch may be from the job's own to be offered for speed:
// that share of it, or so many sequences.
const (
	nearBatch     = 0.125
	nearSequences = 4
)

// whySlow says what the pins cost and why GPUs stay idle, and finds what makes the
// best plan faster: pins given up, and global batches near the job's own that more
// GPUs divide.
func (s *session) whySlow(ctx context.Context, r *WhyResult, best *leaf) ([]*change, error) {
	var finders []finder
	var free *change
	if n := len(s.Pins); n > 0 {
		var all []int
		for i := range s.Pins {
			all = append(all, i)
			if n > 1 {
				finders = append(finders, s.dropped(i).faster(best.figures.Step))
			}
		}
		free = s.dropped(all...)
		finders = append(finders, free.best)
	}
	for _, sign := range []int64{-1, 1} {
		finders = append(finders, s.fasterBatch(sign, best.figures.Step))
	}
	changes, err := s.ask(ctx, finders)
	if err != nil {
		return nil, err
	}
	if free != nil && free.Plan != nil {
		r.Against = against(r.Plan, free)
	}
	if r.Idle, err = s.idle(ctx, best); err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c *change) bool { return c.factorOver(r.Plan, s.facts.Workload.GlobalBatch) > worth })
	sortChanges(changes)
	return changes, nil
}

// best is the finder of the change's best plan, whether or not it is faster.
func (c *change) best(ctx context.Context) (*change, error) {
	if ok, err := c.helps(ctx, 0); !ok {
		return nil, err
	}
	return c, c.settle(ctx)
}

// faster is the finder of the change's best plan if its step is shorter by what is
// worth a change.
func (c *change) faster(step units.Seconds) finder {
	return func(ctx context.Context) (*change, error) {
		if ok, err := c.helps(ctx, units.Seconds(worth*float64(step))); !ok {
			return nil, err
		}
		return c, c.settle(ctx)
	}
}

// fasterBatch finds the global batch below or above the job's own, near it, whose
// sequences take least time; of two that differ by less than is worth a change, the
// nearer one. Only multiples of the divisors of the number of GPUs are looked at:
// with no other can data parallelism be wider.
func (s *session) fasterBatch(sign int64, step units.Seconds) finder {
	return func(ctx context.Context) (found *change, err error) {
		own := s.facts.Workload.GlobalBatch
		limit := float64(step) / float64(own) // time of a sequence
		for _, n := range s.batchesNear(sign) {
			c := s.withBatch(n)
			ok, err := c.helps(ctx, units.Seconds(worth*limit*float64(n)))
			if err != nil || ctx.Err() != nil {
				return found, err
			}
			if !ok {
				continue
			}
			if err := c.settle(ctx); err != nil {
				return nil, err
			}
			found, limit = c, c.Plan.StepSeconds/float64(n)
		}
		return found, nil
	}
}

// batchesNear are the multiples of the divisors of the number of GPUs on one side
// of the global batch, the nearest first.
func (s *session) batchesNear(sign int64) []int64 {
	own, gpus := s.facts.Workload.GlobalBatch, int64(s.facts.Cluster.GPUs())
	var list []int64
	for d := int64(1); d <= gpus; d++ {
		if gpus%d != 0 || own%d == 0 {
			continue
		}
		n := own / d * d
		if sign > 0 {
			n += d
		}
		if n >= 1 && float64(max(n-own, own-n)) <= max(nearSequences, nearBatch*float64(own)) && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	if sign < 0 {
		slices.Reverse(list)
	}
	return list
}

// against compares the best plan under the pins with the best without them.
func against(pinned *PlanResult, free *change) *Against {
	a := &Against{Plan: *free.Plan, Status: free.Status, BoundSeconds: free.BoundSeconds, Factor: pinned.StepSeconds / free.Plan.StepSeconds}
	var names []string
	seconds := map[string]*TermPair{}
	add := func(t TimeTerm, of func(*TermPair) *float64) {
		for _, leaf := range leaves(t) {
			pair := seconds[leaf.Name]
			if pair == nil {
				pair = &TermPair{Name: leaf.Name}
				seconds[leaf.Name] = pair
				names = append(names, leaf.Name)
			}
			*of(pair) += leaf.Seconds
		}
	}
	add(pinned.Time, func(p *TermPair) *float64 { return &p.PinnedSeconds })
	add(free.Plan.Time, func(p *TermPair) *float64 { return &p.FreeSeconds })
	for _, n := range names {
		a.Terms = append(a.Terms, *seconds[n])
	}
	slices.SortStableFunc(a.Terms, func(x, y TermPair) int {
		return cmp.Compare(y.PinnedSeconds-y.FreeSeconds, x.PinnedSeconds-x.FreeSeconds)
	})
	return a
}

// leaves are the terms that have none below them.
func leaves(t TimeTerm) []TimeTerm {
	if len(t.Terms) == 0 {
		return []TimeTerm{t}
	}
	var list []TimeTerm
	for _, part := range t.Terms {
		list = append(list, leaves(part)...)
	}
	return list
}

// Idle says why the best plan leaves GPUs unused.
type Idle struct {
	GPUs    int      `json:"gpus"` // that the best plan leaves unused
	Text    string   `json:"text"`
	Reasons []Reason `json:"reasons"` // why no plan uses all GPUs; empty where one does and is slower
	Plan    *Outline `json:"plan"`    // the best that uses all GPUs; null where there is none
	Factor  *float64 `json:"factor"`  // its step time over that of the best plan; null where there is none
}

// idle asks for a plan on all GPUs, nil where the best plan uses them.
func (s *session) idle(ctx context.Context, best *leaf) (*Idle, error) {
	all := s.facts.Cluster.GPUs()
	unused := all - int(best.plan.Placement.GPUs())
	if unused == 0 {
		return nil, nil
	}
	idle := &Idle{GPUs: unused, Reasons: []Reason{}, Text: "whether a plan that uses all GPUs is as fast was not decided"}
	p := *s.Problem
	p.Top, p.Jobs = 1, 1
	p.Pins = append(slices.Clone(p.Pins), exactly(all))
	full, err := newSession(&p)
	if err != nil {
		return nil, err
	}
	out, err := full.walk(ctx, query{top: 1, memory: fits})
	s.stats.add(full.work())
	switch {
	case err != nil:
		return nil, err
	case !out.done:
	case len(out.held) > 0:
		factor := float64(out.held[0].figures.Step) / float64(best.figures.Step)
		idle.Factor = &factor
		idle.Text = fmt.Sprintf("the best plan that uses all %s takes %.3f times as long", count(all, "GPU"), factor)
		view, err := full.view(&out.held[0].plan)
		if err != nil {
			return nil, err
		}
		idle.Plan = outlineOf(&view)
	default:
		reasons, _, err := full.reasons(ctx, fits)
		if err != nil {
			return nil, err
		}
		if len(reasons) > 1 { // that all are used is the question
			used := "pin/" + p.Pins[len(p.Pins)-1].String()
			reasons = slices.DeleteFunc(reasons, func(r Reason) bool { return r.Rule == used })
		}
		idle.Reasons, idle.Text = reasons, fmt.Sprintf("no plan that fits uses all %s", count(all, "GPU"))
	}
	return idle, nil
}
