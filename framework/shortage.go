package framework

import (
	"fmt"
	"math"
	"strings"

	"meshplan/plan"
)

// Shortage says in a sentence with numbers why the levels of the cluster cannot
// hold what the pins ask, for pins that leave no plan together; "" where no
// simple reason is found. Its figures are named as the degrees are.
func Shortage(f *Facts, d *Domains, pins []Pin) (text string, numbers map[string]float64) {
	a := &asked{f: f, d: d, pins: pins, numbers: map[string]float64{"cluster_gpus": float64(f.Cluster.GPUs())}}
	for _, reason := range []func() string{a.manyGPUs, a.manyRanks, a.outside, a.uneven, a.manyExperts, a.otherGPUs, a.fewGPUs} {
		if text := reason(); text != "" {
			return text, a.numbers
		}
	}
	return "", nil
}

// asked is what the pins ask of the levels.
type asked struct {
	f       *Facts
	d       *Domains
	pins    []Pin
	numbers map[string]float64
}

// amount is a named degree and its value.
type amount struct {
	name  string
	value int64
}

// bounds are the least and the most that the pins allow of a name.
func (a *asked) bounds(name string) (lo, hi int64) { return pinned(a.pins, name) }

// amounts are the bounds of some names, the least or the most.
func (a *asked) amounts(most bool, names ...string) []amount {
	var list []amount
	for _, name := range names {
		lo, hi := a.bounds(name)
		v := lo
		if most {
			v = hi
		}
		list = append(list, amount{name, v})
	}
	return list
}

// dense are the least degrees of the dense grid; dp stands for its parts where
// it says more than they do.
func (a *asked) dense() []amount {
	parts := a.amounts(false, "dp_shard", "dp_replicate")
	if dp, _ := a.bounds("dp"); dp >= parts[0].value*parts[1].value {
		parts = []amount{{"dp", dp}}
	}
	return append(a.amounts(false, "tp", "cp", "pp"), parts...)
}

// expert are the least degrees of the expert grid.
func (a *asked) expert() []amount { return a.amounts(false, "etp", "ep", "edp", "pp") }

// say lists the amounts above 1, notes them as figures and multiplies them.
func (a *asked) say(list []amount) (text string, product int64) {
	var words []string
	product = 1
	for _, x := range list {
		if x.value > 1 {
			words = append(words, fmt.Sprintf("%s %d", x.name, x.value))
			a.numbers[x.name] = float64(x.value)
			product = min(product*x.value, math.MaxInt32)
		}
	}
	return strings.Join(words, " x "), product
}

// manyGPUs: a number of GPUs is pinned that the cluster does not have.
func (a *asked) manyGPUs() string {
	if lo, _ := a.bounds("gpus"); lo > int64(a.f.Cluster.GPUs()) {
		return fmt.Sprintf("%d GPUs are asked for, the cluster has %d", lo, a.f.Cluster.GPUs())
	}
	return ""
}

// manyRanks: the degrees of a grid multiply to more than there is.
func (a *asked) manyRanks() string {
	room, whose := int64(a.f.Cluster.GPUs()), "the cluster has %d"
	if _, hi := a.bounds("gpus"); hi < room {
		room, whose = hi, "the pins allow %d"
	}
	for _, grid := range [][]amount{a.dense(), a.expert()} {
		text, n := a.say(grid)
		if n > room {
			verb := "need"
			if !strings.Contains(text, " x ") {
				verb = "needs"
			}
			return fmt.Sprintf("%s %s %d GPUs, "+whose, text, verb, n, room)
		}
	}
	return ""
}

// outside: a degree is to lie inside a domain that is smaller.
func (a *asked) outside() string {
	for i := range a.pins {
		p := &a.pins[i]
		if p.Op != "in" {
			continue
		}
		level, ok := levelNamed(a.f, p.Level)
		if lo, _ := a.bounds(p.name()); ok && lo > int64(a.f.Cluster.Domain(level)) {
			return fmt.Sprintf("%s %d is to lie in one domain of %s, which has %d GPUs",
				p.name(), lo, a.f.Cluster.Levels[level].Name, a.f.Cluster.Domain(level))
		}
	}
	return ""
}

// uneven: degrees that are fixed have no factors that fit the levels.
func (a *asked) uneven() string {
	for _, grid := range [][]amount{a.dense(), a.expert()} {
		var fixed []amount
		for _, x := range grid {
			if lo, hi := a.bounds(x.name); lo == hi {
				fixed = append(fixed, x)
			}
		}
		for n := 1; n <= len(fixed); n++ {
			if text, ranks := a.say(fixed[:n]); !fits(a.f, ranks, 0) {
				return fmt.Sprintf("%s cannot be placed: no factors, one a level, of at most %s multiply to %d", text, Levels(a.f), ranks)
			}
		}
	}
	return ""
}

// fits reports whether n is a product of one factor a level from l on, none
// above the level's size.
func fits(f *Facts, n int64, l int) bool {
	if l == len(f.Cluster.Levels) {
		return n == 1
	}
	for size := int64(f.Cluster.Levels[l].Size); size >= 1; size-- {
		if n%size == 0 && fits(f, n/size, l+1) {
			return true
		}
	}
	return false
}

// manyExperts: the expert grid needs more ranks of a stage than the dense one
// may have.
func (a *asked) manyExperts() string {
	stage := a.amounts(true, "tp", "cp", "dp")
	for i := range stage {
		if stage[i].value == math.MaxInt32 {
			return ""
		}
	}
	text, ranks := a.say(a.amounts(false, "etp", "ep", "edp"))
	if have := stage[0].value * stage[1].value * stage[2].value; ranks > have {
		return fmt.Sprintf("%s needs %d ranks in a pipeline stage; tp %d x cp %d x dp %d are %d",
			text, ranks, stage[0].value, stage[1].value, stage[2].value, have)
	}
	return ""
}

// otherGPUs: the number of GPUs is fixed, and the degrees cannot multiply to
// it.
func (a *asked) otherGPUs() string {
	n, hi := a.bounds("gpus")
	if n != hi {
		return ""
	}
	a.numbers["gpus"] = float64(n)
	rest := int(n)
	for dim := range plan.NumDims {
		for _, v := range a.d.Values[dim] {
			rest = strip(rest, int(v))
		}
	}
	if rest > 1 {
		return fmt.Sprintf("%d GPUs cannot be used: no degree of this job has a factor in common with %d", n, rest)
	}
	if !fits(a.f, n, 0) {
		return fmt.Sprintf("%d GPUs cannot be spread evenly over %s", n, Levels(a.f))
	}
	var fixed []amount
	for _, x := range a.dense() {
		if lo, hi := a.bounds(x.name); lo == hi {
			fixed = append(fixed, x)
		}
	}
	if text, product := a.say(fixed); n%product != 0 {
		return fmt.Sprintf("%s: %d ranks do not divide %d GPUs; %s", text, product, n, NearestDivisors(n, product))
	}
	return ""
}

// fewGPUs: the degrees multiply to less than the GPUs that are pinned.
func (a *asked) fewGPUs() string {
	lo, _ := a.bounds("gpus")
	text, most := "", int64(1)
	for _, x := range a.amounts(true, "tp", "cp", "dp", "pp") {
		if x.value == math.MaxInt32 {
			return ""
		}
		most *= x.value
		text += fmt.Sprintf(" x %s %d", x.name, x.value)
	}
	if most < lo {
		return fmt.Sprintf("%s use at most %d GPUs, and %d are asked for", strings.TrimPrefix(text, " x "), most, lo)
	}
	return ""
}
