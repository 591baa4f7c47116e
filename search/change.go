package search

import (
	"context"
	"iter"
	"strings"

	"meshplan/units"
)

// The kinds of change, in the order of what they cost a user.
const (
	ChangePin       = "pin"       // another value of a pin
	ChangeDrop      = "drop"      // pins given up
	ChangeOption    = "option"    // an option that a search leaves alone unless it is asked for
	ChangeRecipe    = "recipe"    // fewer bytes a parameter
	ChangeFramework = "framework" // another framework, with its own rules and costs
	ChangeBatch     = "batch"     // another global batch
	ChangeGPUs      = "gpus"      // more GPUs
	ChangeMemory    = "memory"    // GPUs with more memory
)

// Change is a change of the job, the smallest of its kind, after which a plan
// fits; of a job that has one, after which the best plan is faster.
type Change struct {
	Kind string `json:"kind"`
	// Setting is as it is afterwards, or the pins dropped: "global_batch=1008"; of a
	// cluster file a key, "level[1].size=6".
	Setting string `json:"change"`
	Text    string `json:"text"`
	// Status is that of the search for the best plan, and BoundSeconds a step time
	// that no plan beats, as in Result.
	Status       Status      `json:"status"`
	BoundSeconds *float64    `json:"bound_seconds"`
	Plan         *PlanResult `json:"plan"` // the best that fits; null where only that there is one was asked
	// Factor is the time of a step, per sequence, over that of the best plan without
	// the change; null where that has none.
	Factor *float64 `json:"factor"`
}

// change is one that is tried: the problem it leads to, and what was found of it.
type change struct {
	Change
	problem Problem
	*session
	found *leaf // a plan that fits
	spent *tally
	told  Stats // of the session's work, to spent
}

// attempts are changes of one kind, the smallest first.
type attempts iter.Seq[*change]

// changed is a change of the session's problem that is still to be made. It is for
// one goroutine.
func (s *session) changed(kind, setting, text string) *change {
	c := &change{Change: Change{Kind: kind, Setting: setting, Text: text}, problem: *s.Problem, spent: s.tried}
	c.problem.Top, c.problem.Jobs, c.problem.Forced, c.problem.Warnings = 1, 1, false, nil
	return c
}

// open makes the session of the changed problem, once.
func (c *change) open() error {
	if c.session != nil {
		return nil
	}
	var err error
	c.session, err = newSession(&c.problem)
	return err
}

// helps reports whether a plan that fits, within the step time if one is given,
// exists after the change. It is false where the search is cut short.
func (c *change) helps(ctx context.Context, within units.Seconds) (bool, error) {
	if err := c.open(); err != nil {
		return false, err
	}
	defer c.tell()
	out, err := c.walk(ctx, query{top: 1, memory: fits, within: within, first: true})
	if err != nil || len(out.held) == 0 {
		return false, err
	}
	c.found = &out.held[0]
	return true, nil
}

// settle finds the best plan after the change. Where it is cut short, the plan
// found first stands in.
func (c *change) settle(ctx context.Context) error {
	defer c.tell()
	out, err := c.walk(ctx, query{top: 1, memory: fits})
	if err != nil {
		return err
	}
	if len(out.held) == 0 {
		out.held = []leaf{*c.found}
	}
	status, bound, _ := out.proof(out.done)
	c.Status, c.BoundSeconds = status, &bound
	view, err := c.view(&out.held[0].plan)
	c.Plan = &view
	return err
}

// tell adds the work since it was last told to that of all changes tried, whether or
// not this one helps.
func (c *change) tell() {
	now := c.work()
	c.spent.add(now.since(c.told))
	c.told = now
}

// finder finds the smallest change of a kind that helps, nil if none does or the
// search was stopped before that was known.
type finder func(context.Context) (*change, error)

// first is the first of the attempts that helps.
func (a attempts) first(ctx context.Context) (*change, error) {
	for c := range a {
		if ok, err := c.helps(ctx, 0); err != nil || ok {
			return c, err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, nil
}

// dropped is the change that gives up some pins.
func (s *session) dropped(pins ...int) *change {
	var texts []string
	for _, i := range pins {
		texts = append(texts, s.Pins[i].String())
	}
	noun := "the pin "
	if len(texts) > 1 {
		noun = "the pins "
	}
	c := s.changed(ChangeDrop, strings.Join(texts, ","), "drop "+noun+listed(texts))
	c.problem.Pins = allBut(s.Pins, pins...)
	return c
}

// listed joins words: "a, b and c".
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// perSequence is the best plan's time of a step over its sequences.
func (c *change) perSequence() float64 {
	return c.Plan.StepSeconds / float64(c.problem.Facts.Workload.GlobalBatch)
}

// factorOver is that over the same of another plan, for a global batch of that many.
func (c *change) factorOver(p *PlanResult, batch int64) float64 {
	return c.perSequence() / (p.StepSeconds / float64(batch))
}
