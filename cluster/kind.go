package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// mostAssumed is the most GPUs of a system that is named without a number.
const mostAssumed = 16_384

// Kind is what clusters of any number of GPUs are made of: a system of the
// catalogue, or the cluster of a file, of which smaller ones are a part.
type Kind struct {
	// Most is the most GPUs that Counts names. Of a system named without a number
	// that is 16,384 or a little less, and Assumed is true.
	Most    int
	Assumed bool

	atLeast bool // of Most: more GPUs may be taken where a change needs them
	system  *System
	whole   *Cluster // of a file, or with another domain; nil for a system
	rate    PeakRate
	changes []Change // of each cluster
}

// LoadKind is the kind of a catalogue system ("h100", or "h100:256" for at most
// 256 GPUs) or of a cluster file, as Load tells them apart.
func LoadKind(specOrPath string) (*Kind, error) {
	name, count, _ := strings.Cut(strings.TrimSpace(specOrPath), ":")
	if s := known().system(name); s != nil && strings.TrimSpace(count) == "" && !isPath(specOrPath) {
		k := &Kind{system: s, Assumed: true}
		for k.Most = mostAssumed; !k.has(k.Most); {
			k.Most--
		}
		return k, nil
	}
	c, err := Load(specOrPath)
	if err != nil {
		return nil, err
	}
	k := &Kind{Most: c.GPUs(), whole: c}
	if !isPath(specOrPath) {
		k.system, k.whole = known().system(name), nil
	}
	return k, nil
}

// Reaching is the kind for numbers of GPUs up to that, where none was named.
func (k *Kind) Reaching(gpus int) *Kind {
	if !k.Assumed {
		return k
	}
	n := *k
	n.Most, n.atLeast = gpus, true
	for n.Most < MaxGPUs && !n.has(n.Most) {
		n.Most++
	}
	return &n
}

// With is the kind with other values of some resources, and sentences about what
// was changed of its largest cluster; see Cluster.With. Of smaller ones, those are
// changed that they have: what joins nodes does not matter inside one. Where no
// number of GPUs was named, the largest cluster is one whose GPUs a domain divides.
func (k *Kind) With(rate PeakRate, changes ...Change) (*Kind, []string, error) {
	k = k.dividedBy(rate, changes)
	was, err := k.Cluster(k.Most)
	if err != nil {
		return nil, nil, err
	}
	whole, notes, err := was.With(rate, changes...)
	if err != nil {
		return nil, nil, err
	}
	n := *k
	if whole.Levels[0].Size != was.Levels[0].Size {
		n.system, n.whole, n.changes = nil, whole, nil
		return &n, notes, nil
	}
	n.rate = rate
	for _, c := range changes {
		if c.Resource != "domain" {
			n.changes = append(n.changes, c)
		}
	}
	return &n, notes, nil
}

// dividedBy is the kind whose largest cluster a change of the domain divides: the kind
// itself where there is none or its number of GPUs was named.
func (k *Kind) dividedBy(rate PeakRate, changes []Change) *Kind {
	i := slices.IndexFunc(changes, func(c Change) bool { return c.Resource == "domain" })
	if i < 0 || !k.Assumed {
		return k
	}
	n, step := *k, -1
	if k.atLeast {
		step = 1
	}
	for tried := 0; tried < mostAssumed && n.Most >= 1 && n.Most <= MaxGPUs; tried, n.Most = tried+1, n.Most+step {
		if !n.has(n.Most) {
			continue
		}
		if c, err := n.Cluster(n.Most); err == nil {
			if _, _, err = c.With(rate, changes[i]); err == nil {
				return &n
			}
		}
	}
	return k
}

// Cluster is the kind with that many GPUs. The error names the nearest numbers
// that it can have.
func (k *Kind) Cluster(gpus int) (*Cluster, error) {
	c, err := k.made(gpus)
	if err != nil || len(k.changes) == 0 {
		return c, err
	}
	e := c.edit(k.rate)
	c, _, err = c.With(k.rate, slices.DeleteFunc(slices.Clone(k.changes), func(ch Change) bool {
		r, err := e.resource(ch.Resource)
		return err != nil || math.IsNaN(r.get(e))
	})...)
	return c, err
}

// made is the kind with that many GPUs, nothing changed.
func (k *Kind) made(gpus int) (*Cluster, error) {
	switch {
	case !k.Assumed && (gpus < 1 || gpus > k.Most):
		return nil, fmt.Errorf("%d GPUs: want 1 to %d; nearest: %d", gpus, k.Most, min(max(gpus, 1), k.Most))
	case k.whole == nil:
		return k.system.Cluster(gpus)
	}
	if k.whole.Machines != nil { // any of its GPUs
		return k.whole, nil
	}
	return k.whole.Part(gpus)
}

// KindOf is the kind of a cluster and its parts; of one with a list of nodes a
// part is any of its GPUs, and the cluster stays whole.
func KindOf(c *Cluster) *Kind { return &Kind{Most: c.GPUs(), whole: c} }

// has reports whether the kind can have that many GPUs.
func (k *Kind) has(gpus int) bool {
	if k.whole != nil && k.whole.Machines != nil {
		return gpus <= k.Most
	}
	if k.whole == nil {
		_, _, broken := k.system.levels(gpus)
		return broken == ""
	}
	_, broken := k.whole.part(gpus)
	return broken == ""
}

// Part is that many GPUs of the cluster: fewer than a domain are in one domain,
// more fill whole domains. The error names the nearest numbers that do.
func (c *Cluster) Part(gpus int) (*Cluster, error) {
	if gpus < 1 || gpus > c.GPUs() {
		return nil, fmt.Errorf("%d GPUs: want 1 to %d, those of %s", gpus, c.GPUs(), c.Name)
	}
	if gpus == c.GPUs() {
		return c, nil
	}
	levels, broken := c.part(gpus)
	if broken != "" {
		below, above := gpus-1, gpus+1
		for _, b := c.part(below); b != ""; _, b = c.part(below) {
			below--
		}
		for _, b := c.part(above); b != ""; _, b = c.part(above) {
			above++
		}
		return nil, fmt.Errorf("%s cannot have %d GPUs: %s; nearest: %d, %d", c.Name, gpus, broken, below, above)
	}
	p := *c
	p.changed = nil
	p.Name, p.Levels, p.GPUsPerNode = fmt.Sprintf("%s:%d", c.Name, gpus), levels, min(c.GPUsPerNode, gpus)
	return &p, p.Validate()
}

// part are the levels of a part of the cluster; broken names the level whose
// domains it does not fill.
func (c *Cluster) part(gpus int) (levels []Level, broken string) {
	left := gpus
	for i, l := range c.Levels {
		size := min(l.Size, left)
		if left%size != 0 {
			return nil, fmt.Sprintf("%d is not a whole number of %s domains of %d GPUs", gpus, l.Name, c.Domain(i))
		}
		l.Bandwidth, l.Size, l.Mesh = l.Among(size), size, l.Mesh && size > 1
		levels, left = append(levels, l), left/size
		if left == 1 {
			break
		}
	}
	return levels, ""
}

// always is the number of innermost domains up to which Counts leaves none out.
const always = 8

// finest is the most steps that Counts takes from a power of two to the next.
const finest = 64

// Counts are numbers of GPUs that the kind can have, at most that many, rising:
// every number up to a node, whole nodes up to the innermost domain, then whole
// domains. Where these are too many, those above 8 domains are thinned to as
// many steps between each power of two and the next as there is room for; the
// largest is always there.
func (k *Kind) Counts(most int) []int {
	all, domain := k.counts()
	from := slices.IndexFunc(all, func(n int) bool { return n > always*domain })
	if from < 0 {
		from = len(all)
	}
	if 4*from > 3*most { // a large domain of many nodes
		from = 0
	}
	for steps := finest; len(all) > most && steps > 0; steps /= 2 {
		if list := thinned(all, from, steps); len(list) <= most {
			return list
		}
	}
	return all[max(0, len(all)-most):]
}

// counts are all numbers of GPUs that Counts chooses from, and the size of the
// innermost domain.
func (k *Kind) counts() (list []int, domain int) {
	domain, node, box := 0, 0, 0
	if k.whole == nil {
		domain, node, box = k.system.Inner[0].Size, k.system.GPUsPerNode, k.system.Box()
	} else {
		domain, node = k.whole.Levels[0].Size, k.whole.GPUsPerNode
		box = domain
	}
	node = min(node, domain)
	for n := 1; n <= k.Most; {
		if k.has(n) {
			list = append(list, n)
		}
		switch {
		case n < node:
			n++
		case n < domain:
			n = min(n-n%node+node, domain)
		case n < box:
			n += domain
		default:
			n = n - n%box + box
		}
	}
	if list[len(list)-1] != k.Most {
		list = append(list, k.Most)
	}
	return list, domain
}

// thinned keeps the first from numbers, the last, and of the others the first
// in each of so many equal steps from a power of two to the next.
func thinned(all []int, from, steps int) []int {
	list := slices.Clone(all[:from])
	step := func(n int) [2]int {
		power := 1
		for 2*power <= n {
			power *= 2
		}
		return [2]int{power, (n - power) * steps / power}
	}
	for i := from; i < len(all); i++ {
		if i == 0 || i == len(all)-1 || step(all[i]) != step(all[i-1]) {
			list = append(list, all[i])
		}
	}
	return list
}
