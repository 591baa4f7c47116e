package loops

import "meshplan/plan"

// Count is the number of valid points. It prices nothing, and counts without
// visiting where the rules let the parts of a plan vary freely: the options of
// given degrees apart from the expert degrees, and the placements by level.
func (e *Enumerator) Count() float64 {
	if e.void {
		return 0
	}
	c := &counter{Enumerator: e, placements: newPlacements(e)}
	c.split()
	return c.dense(0)
}

// counter counts degree by degree.
type counter struct {
	*Enumerator
	placements *placements
	mixed      bool // some rule reads both options and expert degrees
	placed     bool // some rule reads placement
}

// firstExpert and firstOption are loop numbers; so is firstPlace.
const (
	firstExpert = int(plan.ETP)
	firstOption = int(plan.NumDims)
	firstPlace  = plan.NumOptions
)

// split finds out which parts of a plan the rules tie together.
func (c *counter) split() {
	for _, r := range c.Rules {
		var expert, option bool
		for _, co := range r.Reads {
			at := c.position[co]
			expert = expert || at >= firstExpert && at < firstOption
			option = option || at >= firstOption && at < firstPlace
			c.placed = c.placed || at >= firstPlace
		}
		c.mixed = c.mixed || expert && option
	}
	c.placed = c.placed || !c.placements.complete
}

// dense sums over the dense degrees from loop i.
func (c *counter) dense(i int) float64 {
	if i == firstExpert {
		if c.mixed || c.placed {
			return c.expert(firstExpert, func() float64 { return c.options(firstOption, c.place) })
		}
		if n := c.options(firstOption, c.one); n > 0 {
			return n * c.expert(firstExpert, c.place)
		}
		return 0
	}
	return c.loop(i, func() float64 { return c.dense(i + 1) })
}

// expert sums over the expert degrees from loop i, each choice of
// them worth what next gives.
func (c *counter) expert(i int, next func() float64) float64 {
	if i == firstOption {
		return next()
	}
	return c.loop(i, func() float64 { return c.expert(i+1, next) })
}

// options sums over the options from loop i, each worth what next gives.
func (c *counter) options(i int, next func() float64) float64 {
	if i == firstPlace {
		return next()
	}
	return c.loop(i, func() float64 { return c.options(i+1, next) })
}

func (c *counter) one() float64 { return 1 }

// place is the number of placements of the degrees set.
func (c *counter) place() float64 {
	if !c.placed {
		return c.placements.count(&c.point)
	}
	n := 0.0
	c.descend(firstPlace, func(*plan.Point) bool { n++; return true })
	return n
}

// loop adds up what each valid value of loop i is worth.
func (c *counter) loop(i int, worth func() float64) float64 {
	sum := 0.0
	for _, v := range c.choices(i, c.live[c.order[i]]) {
		if c.set(c.order[i], v); c.hold(i) {
			sum += worth()
		}
	}
	return sum
}
