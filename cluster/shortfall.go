package cluster

import "fmt"

// Shortfall says in a sentence with numbers what a job that uses used[l]
// sub-domains in each domain of level l needs and what the machines have, with
// the nearest that they hold where they do not.
func (c *Cluster) Shortfall(used []int32) string {
	m := c.Machines
	switch {
	case m == nil:
		return "every domain is full"
	case m.merged:
		return c.blocksShort(used)
	}
	last := len(c.Levels) - 1
	level := last
	for l := range last {
		if m.whole.total(used, last, l) == 0 {
			level = l
			break
		}
	}
	text := "needs " + c.needs(used, level)
	switch have := m.have(used, last, level); {
	case level == 0:
		return text + fmt.Sprintf("; the fullest has %d", have)
	case have >= int(used[level]):
		return text + fmt.Sprintf("; the cluster has %d", have)
	default:
		text += fmt.Sprintf("; the cluster has %d", have)
		if below := m.nearest(used, last, level); below > 0 {
			text += fmt.Sprintf(", and %d with %d %s", used[level], below, c.noun(level-2, below))
		}
		return text
	}
}

// needs is "30 nodes with 8 GPUs" or "2 leaf domains with 30 nodes of 8 GPUs"
// for what is used in a domain of the level.
func (c *Cluster) needs(used []int32, level int) string {
	text := fmt.Sprintf("%d %s", used[level], c.noun(level-1, int(used[level])))
	with := " with "
	for l := level - 1; l >= 0; l-- {
		text += with + fmt.Sprintf("%d %s", used[l], c.noun(l-1, int(used[l])))
		with = " of "
	}
	if level < len(c.Levels)-1 {
		text += " in one domain of " + c.Levels[level].Name
	}
	return text
}

// noun is what a domain of the level is called: "GPU" below the innermost.
func (c *Cluster) noun(level, n int) string {
	word := "GPU"
	switch m := c.Machines; {
	case level >= 0 && level == m.Box && m.of.GPUsPerNode == m.of.Domain(level):
		word = "node"
	case level >= 0:
		word = c.Levels[level].Name + " domain"
	}
	if n != 1 {
		word += "s"
	}
	return word
}

// total is the number of domains of a level, inside one of level at, that have
// room for what is used up to it.
func (c *class) total(used []int32, at, level int) int {
	if at == level {
		if c.holds(used, level) {
			return 1
		}
		return 0
	}
	n := 0
	for _, in := range c.inside {
		n += in.number * in.total(used, at-1, level)
	}
	return n
}

// have is the largest number of sub-domains in a domain of the level that have
// room for what is used below; GPUs on the innermost.
func (m *Machines) have(used []int32, last, level int) int {
	most := 0
	m.whole.each(last, level, func(c *class) {
		if level == 0 {
			most = max(most, c.gpus)
			return
		}
		most = max(most, c.count(used, level))
	})
	return most
}

// each calls do for every class of the level.
func (c *class) each(at, level int, do func(*class)) {
	if at == level {
		do(c)
		return
	}
	for _, in := range c.inside {
		in.each(at-1, level, do)
	}
}

// nearest is the most that can be used of the level below in as many of its
// domains as are used.
func (m *Machines) nearest(used []int32, last, level int) int {
	fewer := append([]int32(nil), used...)
	for fewer[level-1]--; fewer[level-1] > 0; fewer[level-1]-- {
		if m.have(fewer, last, level) >= int(used[level]) {
			return int(fewer[level-1])
		}
	}
	return 0
}

// blocksShort is the sentence of a cluster whose network has one level.
func (c *Cluster) blocksShort(used []int32) string {
	m := c.Machines
	gpus := 1
	for _, n := range used[:m.Box+1] {
		gpus *= int(n)
	}
	return fmt.Sprintf("needs %d times %d GPUs inside a %s; the healthy GPUs are room for %d", used[m.Box+1], gpus, c.noun(m.Box, 1), m.room(used))
}
