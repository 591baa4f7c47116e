package cluster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"meshplan/units"
)

// network is the first level between nodes; the number of levels when there is
// none.
func (e *edit) network() int {
	for l := 1; l < len(e.levels); l++ {
		if e.base.Domain(l) > e.base.GPUsPerNode {
			return l
		}
	}
	return len(e.levels)
}

// nicsPerGPU is how many NICs a GPU has, 1 where that is not known.
func (e *edit) nicsPerGPU() float64 {
	if e.base.NICsPerNode == 0 {
		return 1
	}
	return float64(e.base.NICsPerNode) / float64(e.base.GPUsPerNode)
}

// nic is the bandwidth of the first level between nodes; NaN when there is none.
func (e *edit) nic() float64 {
	if l := e.network(); l < len(e.levels) {
		return float64(e.levels[l].Bandwidth)
	}
	return math.NaN()
}

// setNIC changes the levels between nodes by one factor.
func (e *edit) setNIC(v float64) error {
	was := e.nic()
	for l := e.network(); l < len(e.levels); l++ {
		e.levels[l].Bandwidth = units.BytesPerSecond(inRatio(float64(e.levels[l].Bandwidth), was, v))
	}
	return nil
}

func (e *edit) nicLatency() float64 {
	if l := e.network(); l < len(e.levels) {
		return float64(e.levels[l].Latency)
	}
	return math.NaN()
}

// setNICLatency changes the levels between nodes by one factor.
func (e *edit) setNICLatency(v float64) error {
	was := e.nicLatency()
	for l := e.network(); l < len(e.levels); l++ {
		e.levels[l].Latency = units.Seconds(inRatio(float64(e.levels[l].Latency), was, v))
	}
	return nil
}

// inRatio is x where was has become v.
func inRatio(x, was, v float64) float64 {
	if x == was {
		return v
	}
	return x * (v / was)
}

// oversubscription is that of the outermost level, NaN when nothing leaves a node.
func (e *edit) oversubscription() float64 {
	if e.network() == len(e.levels) {
		return math.NaN()
	}
	return e.levels[len(e.levels)-1].Oversubscription
}

func (e *edit) setOversubscription(v float64) error {
	e.levels[len(e.levels)-1].Oversubscription = v
	return nil
}

// setDomain wants a number that divides the GPUs, and a level that joins the
// domains.
func (e *edit) setDomain(v float64) error {
	if e.base.Machines != nil {
		return fmt.Errorf("a list of nodes says what the domains of %s are", e.base.Name)
	}
	gpus := e.base.GPUs()
	fewest := 1
	if len(e.levels) == 1 {
		fewest = gpus
	}
	ok := func(n int) bool { return n >= fewest && n <= gpus && gpus%n == 0 }
	if v <= float64(gpus) && v == math.Trunc(v) && ok(int(v)) {
		e.domain = int(v)
		return nil
	}
	n := int(min(max(v, float64(fewest)), float64(gpus)))
	below, above := n, n
	if v > float64(n) && n < gpus { // between two whole numbers
		above++
	}
	for !ok(below) {
		below--
	}
	for !ok(above) {
		above++
	}
	nearest := fmt.Sprint(below)
	if above > below {
		nearest += fmt.Sprint(", ", above)
	}
	if fewest == gpus && v < float64(gpus) {
		return fmt.Errorf("%s has no level that would join smaller domains; nearest: %s", e.base.Name, nearest)
	}
	return fmt.Errorf("%s does not divide the %d GPUs of %s; nearest: %s", strconv.FormatFloat(v, 'f', -1, 64), gpus, e.base.Name, nearest)
}

// regroup is the levels with another size of the innermost domain. A level further
// out keeps the GPUs of its domains where these are whole domains of the level
// below, has as many fewer as they take, and goes away where it would join nothing.
func regroup(base []Level, domain int) []Level {
	if domain == base[0].Size {
		return base
	}
	gpus, was := 1, base[0].Size
	for _, l := range base {
		gpus *= l.Size
	}
	list, inner := []Level{base[0]}, domain
	list[0].Size, list[0].Mesh = domain, base[0].Mesh && domain > 1
	for _, l := range base[1:] {
		was *= l.Size
		most := max(inner, was)
		group := most - most%inner
		for gpus%group != 0 {
			group -= inner
		}
		if l.Size = group / inner; l.Size > 1 {
			list, inner = append(list, l), group
		}
	}
	return list
}

// grouping is the levels and their sizes.
func grouping(levels []Level) string {
	texts := make([]string, len(levels))
	for i, l := range levels {
		texts[i] = fmt.Sprintf("%s %d", l.Name, l.Size)
	}
	return strings.Join(texts, ", ")
}

func levelNames(levels []Level) string {
	texts := make([]string, len(levels))
	for i, l := range levels {
		texts[i] = l.Name
	}
	return strings.Join(texts, ", ")
}
