package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"meshplan/strict"
	"meshplan/units"
)

// PeakRate is the peak of a GPU in the precision of a job.
type PeakRate func(*GPU) units.FLOPsPerSecond

// With is the cluster with other values of some resources, changed in order, and
// sentences about what was changed. The cluster itself stays as it is; where every
// figure is again what it was before it was first changed, the result is that first
// cluster. rate is what flops stands for.
//
//	nic               bandwidth of the NICs, per GPU and direction: what large messages
//	                  reach ("24GB/s"), or the label of each NIC ("200G")
//	nic-latency       a hop between nodes ("4us")
//	oversubscription  of the outermost level ("2")
//	nvlink            bandwidth inside the innermost domain, per GPU and direction
//	nvlink-latency    a hop inside it
//	domain            GPUs of the innermost domain ("72"); GPUs and NICs stay
//	hbm               memory of a GPU, as on its label ("141GB")
//	hbm-bandwidth     its nominal bandwidth ("4.8TB/s")
//	flops             dense peak in the job's precision ("1979TFLOP/s")
//	host-memory       of a node ("2TiB")
//	host-link         bandwidth between a GPU and the host's memory, per direction
//	LEVEL, LEVEL-latency, LEVEL-oversubscription   the same of any level
//
// Levels between nodes that differ in bandwidth or latency keep their ratio, and the
// links of a GPU in a mesh their total. What was measured is scaled as physics has it.
// Of a collective inside the domain, what the smallest message takes goes with the
// latency, the rest with the inverse of the bandwidth, and so does NVLS. A GEMM takes as long as it did over the factor of
// flops, or what the fewest rows take, which is all traffic, over that of
// hbm-bandwidth, whichever is longer, and its launch stays: with more hbm-bandwidth
// alone element-wise kernels are faster, GEMMs are not. flops changes the peaks of
// all precisions by one factor, of which attention reaches the same share. The bytes
// of a GPU's memory that its runtime keeps back stay as many.
func (c *Cluster) With(rate PeakRate, changes ...Change) (*Cluster, []string, error) {
	e := c.edit(rate)
	var notes, made []string
	for i, ch := range changes {
		err := e.differ(ch, changes[:i])
		note, changed := "", false
		if err == nil {
			note, changed, err = e.apply(ch)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strict.Clip(ch.String(), 60), err)
		}
		if notes = append(notes, note); changed {
			made = append(made, ch.String())
		}
	}
	n, err := e.cluster()
	if err != nil {
		return nil, nil, err
	}
	if n != e.base {
		n.changes = slices.Concat(c.changes, made)
	}
	return n, append(notes, n.scalings(c)...), n.Validate()
}

// Changes are what With changed of the cluster, such as "nic=200G, hbm=2x"; "" when
// nothing.
func (c *Cluster) Changes() string { return strings.Join(c.changes, ", ") }

// edit is a cluster that is being changed: the figures that resources stand for.
type edit struct {
	base       *Cluster // as it was first, to which the measured curves belong
	levels     []Level  // all of the base, with its sizes
	domain     int      // GPUs of the innermost domain
	label      units.Bytes
	hbm        units.BytesPerSecond
	flops      float64 // factor of every peak
	hostMemory units.Bytes
	hostLink   units.BytesPerSecond
	rate       PeakRate
}

// edit starts from the cluster as it is.
func (c *Cluster) edit(rate PeakRate) *edit {
	e := edit{base: c, levels: c.Levels, domain: c.Levels[0].Size, label: c.GPU.Label, hbm: c.GPU.HBM, flops: 1,
		hostMemory: c.HostMemory, hostLink: c.HostLink}
	if c.changed != nil {
		e = *c.changed
	}
	e.levels, e.rate = slices.Clone(e.levels), rate
	return &e
}

// apply makes one change and says so.
func (e *edit) apply(c Change) (note string, changed bool, err error) {
	r, err := e.resource(c.Resource)
	if err != nil {
		return "", false, err
	}
	from := r.get(e)
	if math.IsNaN(from) {
		return "", false, fmt.Errorf("%s has no level between nodes; its levels are %s", e.base.Name, levelNames(e.levels))
	}
	to, err := e.target(r, c, from)
	if err != nil {
		return "", false, err
	}
	if to == from {
		return fmt.Sprintf("%s is %s already: nothing is changed", r.name, r.print(from)), false, nil
	}
	was := r.print(from)
	if from == 0 && r.amount != hop {
		was = "what is not known"
	}
	return fmt.Sprintf("%s is changed from %s to %s (%s)", r.name, was, r.print(to), r.about), true, r.set(e, to)
}

// target is the value that a change asks for.
func (e *edit) target(r *resource, c Change, from float64) (to float64, err error) {
	switch {
	case c.Value != "" && r.amount == nicRate:
		v, ok, err := parseNIC(c.Value)
		if ok {
			return float64(v) * e.nicsPerGPU(), err
		}
		fallthrough
	case c.Value != "":
		to, err = r.read(c.Value)
	case from == 0 && r.amount != hop:
		return 0, fmt.Errorf("it is not known of %s: want a value such as %s", e.base.Name, example[r.amount])
	default:
		to = from * c.Factor
	}
	if r.amount == ratio {
		to = snapped(to, 1)
	}
	if err == nil {
		err = r.check(to)
	}
	return to, err
}

// cluster is the base with the figures of the edit; the base itself where they are
// its own, to rounding.
func (e *edit) cluster() (*Cluster, error) {
	e.snap()
	b := e.base
	n := *b
	n.HostMemory, n.HostLink = e.hostMemory, e.hostLink
	var err error
	if n.GPU, err = e.gpu(); err != nil {
		return nil, err
	}
	if n.GPU == b.GPU && slices.Equal(e.levels, b.Levels) && e.domain == b.Levels[0].Size && n.HostMemory == b.HostMemory && n.HostLink == b.HostLink {
		return b, nil
	}
	n.Levels = regroup(e.levels, e.domain)
	n.collectives = e.inside()
	n.NVLS = b.NVLS * e.levels[0].Bandwidth / b.Levels[0].Bandwidth
	kept := *e
	kept.rate = nil
	n.changed = &kept
	return &n, nil
}

// inside is how the innermost level differs from that of the measured collectives.
func (e *edit) inside() scaling {
	now, was := &e.levels[0], &e.base.Levels[0]
	by := scaling{latency: 1, bandwidth: float64(now.Bandwidth / was.Bandwidth)}
	if was.Latency > 0 {
		by.latency = float64(now.Latency / was.Latency)
	}
	return e.base.collectives.times(by)
}

// snap gives figures that are the base's but for rounding the base's value.
func (e *edit) snap() {
	b := e.base
	for l := range e.levels {
		own, was := &e.levels[l], &b.Levels[l]
		own.Bandwidth, own.Latency = snapped(own.Bandwidth, was.Bandwidth), snapped(own.Latency, was.Latency)
		own.Oversubscription = snapped(own.Oversubscription, was.Oversubscription)
	}
	e.label, e.hbm, e.flops = snapped(e.label, b.GPU.Label), snapped(e.hbm, b.GPU.HBM), snapped(e.flops, 1)
	e.hostMemory, e.hostLink = snapped(e.hostMemory, b.HostMemory), snapped(e.hostLink, b.HostLink)
}

// equal is how far figures may be apart, relatively, that differ by rounding only.
const equal = 1e-12

func snapped[T ~float64](v, was T) T {
	if math.Abs(float64(v-was)) <= equal*math.Abs(float64(was)) {
		return was
	}
	return v
}

// gpu is the GPU with the figures of the edit, the base's own where they are its.
// Its curves are made again from the measured rows.
func (e *edit) gpu() (*GPU, error) {
	was := e.base.GPU
	if e.label == was.Label && e.hbm == was.HBM && e.flops == 1 {
		return was, nil
	}
	g := *was
	more := e.label - was.Label
	g.Label, g.Runtime, g.HBM = e.label, was.Runtime+more, e.hbm
	if g.Tool > 0 {
		g.Tool += more
	}
	if g.Runtime <= 0 {
		kept := float64(was.Label - was.Runtime)
		const more = 1.001 // than kept, in the digits that are printed
		return nil, fmt.Errorf("hbm: %s is no more than the %s that the runtime of %s keeps back; nearest: %s",
			label.print(float64(e.label)), label.print(kept), g.Name, label.print(more*kept))
	}
	g.BestShape *= units.FLOPsPerSecond(e.flops)
	g.Peak = mapped(was.Peak, e.flops)
	if e.hbm == was.HBM && e.flops == 1 {
		return &g, nil
	}
	c := known()
	if err := c.curves.attach(&g, c.gpu); err != nil {
		return nil, err
	}
	g.Assumptions, g.Fits = was.Assumptions, was.Fits
	return &g, nil
}

func mapped[K comparable, V ~float64](m map[K]V, factor float64) map[K]V {
	n := map[K]V{}
	for k, v := range m {
		n[k] = v * V(factor)
	}
	return n
}

// scalings are sentences about the measured curves of n that are not as those of
// the cluster that it was changed from, and about its levels.
func (c *Cluster) scalings(from *Cluster) (list []string) {
	if c.Levels[0].Size != from.Levels[0].Size {
		list = append(list, fmt.Sprintf("with that domain the levels are %s instead of %s", grouping(c.Levels), grouping(from.Levels)))
	}
	if own, was := &c.Levels[0], &from.Levels[0]; own.Mesh && own.Size > was.Size {
		list = append(list, fmt.Sprintf("GPUs inside %s are linked directly, without a switch, and keep their links in all: "+
			"among %d instead of %d GPUs each reaches a neighbour at %s instead of %s, so that a plan may be slower than with the smaller domain",
			own.Name, own.Size, was.Size, own.Among(2), was.Among(2)))
	}
	if c.collectives != from.collectives && c.Collectives != "" {
		latency, bandwidth := c.collectives.factors()
		before, slower := from.collectives.factors()
		list = append(list, fmt.Sprintf("measured collectives inside %s are scaled: what the smallest message takes by %.4g, the rest by %.4g",
			c.Levels[0].Name, latency/before, slower/bandwidth))
	}
	if a, b := from.GPU, c.GPU; a.HBM != b.HBM || a.peaks() != b.peaks() {
		list = append(list, fmt.Sprintf("measured GEMMs are scaled: compute by %.4g, memory traffic by %.4g; attention keeps its share of the peak",
			a.peaks()/b.peaks(), float64(a.HBM/b.HBM)))
	}
	return list
}

// peaks is the sum of the peaks, by which all have changed alike.
func (g *GPU) peaks() (sum float64) {
	for _, p := range formatNames {
		sum += float64(g.Peak[p])
	}
	return sum
}
