package search

import (
	"cmp"
	"fmt"
	"slices"

	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/plan"
	"meshplan/units"
)

// Behaviour is a framework with the profile of its costs.
type Behaviour struct {
	Framework framework.Framework
	Profile   *profile.Profile
}

// mostTried limits the attempts of one kind.
const mostTried = 128

// remedies are what may make a plan fit where none does, one finder for each kind
// of change; the reasons tell which kinds cannot.
func (s *session) remedies(reasons []Reason) ([]finder, error) {
	others, err := s.frameworks()
	if err != nil {
		return nil, err
	}
	list := s.pinRemedies()
	add := func(all ...attempts) {
		for _, a := range all {
			list = append(list, a.first)
		}
	}
	add(s.freed()...)
	add(s.recipes())
	add(others...)
	if s.namesBatch(reasons) {
		add(s.batches(-1), s.batches(+1))
	}
	memory := isAmong(reasons, memoryRule)
	if memory || isAmong(reasons, gridRule) {
		add(s.larger())
	}
	if memory {
		list = append(list, s.moreMemory(reasons))
	}
	return list, nil
}

// pinRemedies give each pin another value, or give it up.
func (s *session) pinRemedies() (list []finder) {
	for i := range s.Pins {
		below, above := s.otherValues(i)
		list = append(list, s.pinned(i, below).first, s.pinned(i, above).first, s.dropping(i).first)
	}
	return list
}

// pairs give up two pins.
func (s *session) pairs() (list []finder) {
	for i := range s.Pins {
		for k := range i {
			list = append(list, s.dropping(k, i).first)
		}
	}
	return list
}

// further are what may help where no single one of the remedies of a job's own
// settings does: two pins dropped, and both kinds of offload.
func (s *session) further() []finder {
	return append(s.pairs(), s.bothOffloads().first)
}

// isAmong reports whether a rule is among the reasons.
func isAmong(reasons []Reason, rule string) bool {
	return slices.ContainsFunc(reasons, func(r Reason) bool { return r.Rule == rule })
}

// namesBatch reports whether a rule among the reasons reads the global batch.
func (s *session) namesBatch(reasons []Reason) bool {
	return slices.ContainsFunc(s.rules, func(r framework.Rule) bool { return r.Batch && isAmong(reasons, r.ID) })
}

// otherValues are the values that a pin could have instead, from its own
// downwards and upwards.
func (s *session) otherValues(i int) (below, above []int32) {
	p := s.Pins[i]
	if p.Op == "in" {
		return nil, nil
	}
	for _, v := range s.valuesWithout(i) {
		switch {
		case p.Name == p.Coord.String() && p.Coord.Words(): // kinds: none is nearer than another
			if v != p.Value {
				above = append(above, v)
			}
		case v < p.Value && p.Op != "<=":
			below = append(below, v)
		case v > p.Value && p.Op != ">=":
			above = append(above, v)
		}
	}
	slices.Reverse(below)
	return below, above
}

// valuesWithout are the values that what a pin speaks of can have without it.
func (s *session) valuesWithout(i int) []int32 {
	p := s.Pins[i]
	switch {
	case p.Name == "gpus":
		var all []int32
		for n := max(1, p.Value-mostTried); n <= min(p.Value+mostTried, int32(s.facts.Cluster.GPUs())); n++ {
			all = append(all, n)
		}
		return all
	case p.Name == "dp":
		p.Coord = plan.Coord(plan.DPShard)
	}
	if c := framework.Choices(p.Coord); len(c) > 0 && p.Name != "dp" {
		return c
	}
	return framework.NewDomains(s.facts, s.Framework, allBut(s.Pins, i)).Values[p.Coord]
}

// allBut are the pins but for some.
func allBut(pins []framework.Pin, dropped ...int) []framework.Pin {
	var rest []framework.Pin
	for i, p := range pins {
		if !slices.Contains(dropped, i) {
			rest = append(rest, p)
		}
	}
	return rest
}

// pinned are the attempts to give a pin another value.
func (s *session) pinned(i int, values []int32) attempts {
	old := s.Pins[i]
	return over(values, func(v int32) *change {
		pin := old.With(v)
		c := s.changed(ChangePin, pin.String(), fmt.Sprintf("pin %s instead of %s", pin.String(), old.String()))
		c.problem.Pins = slices.Clone(s.Pins)
		c.problem.Pins[i] = pin
		return c
	})
}

// over are the changes to some values.
func over[T any](values []T, to func(T) *change) attempts {
	return func(yield func(*change) bool) {
		for _, v := range values {
			if !yield(to(v)) {
				return
			}
		}
	}
}

// dropping is the attempt to give up some pins.
func (s *session) dropping(pins ...int) attempts {
	return over([]int{0}, func(int) *change { return s.dropped(pins...) })
}

// saving are the options by which a plan needs less memory, the cheap ones first,
// and what a value of each means.
var saving = []struct {
	coord plan.Coord
	text  string
}{
	{plan.RecomputeC, "recompute %s"},
	{plan.Zero, "ZeRO stage %s"},
	{plan.OptOffload, "keep %s %% of the optimizer state in host memory"},
	{plan.ActOffload, "keep %s %% of the activations in host memory"},
}

// freed are the attempts to free an option that is neither searched nor pinned.
func (s *session) freed() []attempts {
	var list []attempts
	for _, o := range saving {
		isPinned := slices.ContainsFunc(s.Pins, func(p framework.Pin) bool { return p.Name == o.coord.String() })
		if isPinned {
			continue
		}
		list = append(list, over(s.unsearched(o.coord), func(v int32) *change {
			pin := framework.Pin{Name: o.coord.String(), Coord: o.coord, Op: "=", Value: v}
			c := s.changed(ChangeOption, pin.String(), fmt.Sprintf(o.text, o.coord.Format(v)))
			c.problem.Pins = append(slices.Clone(s.Pins), pin)
			return c
		}))
	}
	return list
}

// unsearched are the values of an option that the search leaves out, rising.
func (s *session) unsearched(c plan.Coord) []int32 {
	all := framework.Choices(c)
	switch c {
	case plan.Zero:
		all = []int32{plan.ZeroNone, plan.ZeroOptimizer, plan.ZeroGradients, plan.ZeroWeights}
	case plan.RecomputeC:
		all = nil
		for r := range plan.NumRecompute {
			all = append(all, int32(r))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(v int32) bool { return slices.Contains(s.domains.Values[c], v) })
}

// bothOffloads are the attempts to keep parts of both the optimizer state and the
// activations in host memory, the least together first.
func (s *session) bothOffloads() attempts {
	type shares struct{ optimizer, activations int32 }
	var list []shares
	for _, o := range s.unsearched(plan.OptOffload) {
		for _, a := range s.unsearched(plan.ActOffload) {
			list = append(list, shares{o, a})
		}
	}
	slices.SortStableFunc(list, func(a, b shares) int { return cmp.Compare(a.optimizer+a.activations, b.optimizer+b.activations) })
	return over(list, func(v shares) *change {
		o := framework.Pin{Name: plan.OptOffload.String(), Coord: plan.OptOffload, Op: "=", Value: v.optimizer}
		a := framework.Pin{Name: plan.ActOffload.String(), Coord: plan.ActOffload, Op: "=", Value: v.activations}
		c := s.changed(ChangeOption, o.String()+","+a.String(),
			fmt.Sprintf("keep %d %% of the optimizer state and %d %% of the activations in host memory", v.optimizer, v.activations))
		c.problem.Pins = append(slices.Clone(s.Pins), o, a)
		return c
	})
}

// recipes are the attempts to keep fewer bytes a parameter, the most first.
func (s *session) recipes() attempts {
	own, err := s.Profile.Recipe(s.facts.Workload.Recipe)
	if err != nil {
		return over[int](nil, nil)
	}
	fewer := slices.DeleteFunc(slices.Clone(s.Profile.Recipes), func(r profile.Recipe) bool { return r.PerParameter() >= own.PerParameter() })
	slices.SortStableFunc(fewer, func(a, b profile.Recipe) int { return cmp.Compare(b.PerParameter(), a.PerParameter()) })
	return over(fewer, func(r profile.Recipe) *change {
		c := s.changed(ChangeRecipe, "recipe="+r.Name, fmt.Sprintf("recipe %s, %s instead of %s", r.Name, r.Bytes(), own.Bytes()))
		c.problem.Facts.Workload.Recipe = r.Name
		return c
	})
}

// frameworks are the attempts with each of the other frameworks that can price the
// job.
func (s *session) frameworks() (list []attempts, err error) {
	if s.Others == nil {
		return nil, nil
	}
	others, err := s.Others()
	for _, b := range others {
		c := s.changed(ChangeFramework, "framework="+b.Framework.Name(), fmt.Sprintf("%s instead of %s", b.Framework.Name(), s.Framework.Name()))
		c.problem.Framework, c.problem.Profile = b.Framework, b.Profile
		if _, err := b.Profile.Recipe(c.problem.Facts.Workload.Recipe); err != nil {
			c.problem.Facts.Workload.Recipe = ""
		}
		if _, err := c.problem.price(); err == nil {
			list = append(list, over([]*change{c}, func(c *change) *change { return c }))
		}
	}
	return list, err
}

// batches are the attempts with global batches below or above the job's, the
// nearest first, up to half or twice as many.
func (s *session) batches(sign int64) attempts {
	batch, step := s.facts.Workload.GlobalBatch, s.batchStep()
	least, most := max(1, batch/2), 2*batch
	return func(yield func(*change) bool) {
		n := batch / step * step
		for tried := 0; tried < mostTried && n >= least && n <= most; n, tried = n+sign*step, tried+1 {
			if sign*(n-batch) > 0 && !yield(s.withBatch(n)) {
				return
			}
		}
	}
}

// withBatch is the change to another global batch.
func (s *session) withBatch(n int64) *change {
	own := s.facts.Workload.GlobalBatch
	c := s.changed(ChangeBatch, fmt.Sprint("global_batch=", n),
		fmt.Sprintf("a global batch of %s sequences instead of %s", units.Grouped(n), units.Grouped(own)))
	if gpus := int64(s.facts.Cluster.GPUs()); gpus > 1 {
		c.Text += fmt.Sprintf("; its greatest common divisor with the %s GPUs is %s instead of %s",
			units.Grouped(gpus), units.Grouped(gcd(n, gpus)), units.Grouped(gcd(own, gpus)))
	}
	c.problem.Facts.Workload.GlobalBatch = n
	return c
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// batchStep is a number that pins have divide the global batch.
func (s *session) batchStep() int64 {
	step, dp := int64(1), int64(1)
	for _, p := range s.Pins {
		switch {
		case p.Op != "=" || p.Value < 1:
		case p.Name == "dp":
			dp = max(dp, int64(p.Value))
		case p.Coord == plan.MicroBatch && p.Name == p.Coord.String():
			step *= int64(p.Value)
		}
	}
	return step * dp
}

// larger are the attempts with more GPUs.
func (s *session) larger() attempts {
	c := s.facts.Cluster
	return func(yield func(*change) bool) {
		tried := 0
		for on := range c.Larger(s.peak, plan.MaxGPUs) {
			more := on.GPUs() - c.GPUs()
			text := fmt.Sprintf("%s instead of %s", count(on.GPUs(), "GPU"), units.Grouped(int64(c.GPUs())))
			if per := on.GPUsPerNode; more%per == 0 && c.GPUs()%per == 0 {
				text += fmt.Sprintf(", %s more", count(more/per, "node"))
			}
			setting := "cluster=" + on.Name
			if file, i, level, ok := on.Outermost(); ok {
				setting = fmt.Sprintf("level[%d].size=%d", i, level.Size)
				text += fmt.Sprintf(": size = %d of the [[level]] %s in %s", level.Size, level.Name, cmp.Or(file, "the cluster's file"))
			}
			change := s.changed(ChangeGPUs, setting, text)
			change.problem.Facts.Cluster = on
			if tried++; tried > mostTried || !yield(change) {
				return
			}
		}
	}
}
