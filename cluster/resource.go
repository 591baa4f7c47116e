package cluster

import (
	"fmt"
	"slices"
	"strings"

	"meshplan/strict"
	"meshplan/units"
)

// resource is a figure that a Change can change, in the base unit of its kind.
type resource struct {
	name  string
	about string // what the figure is
	amount
	get func(*edit) float64 // 0 when not known, NaN when the cluster has none
	set func(*edit, float64) error
}

// general are the resources that do not go by the name of a level.
var general = []resource{
	{"nic", "bandwidth of the NICs, per GPU and direction", nicRate, (*edit).nic, (*edit).setNIC},
	{"nic-latency", "latency of a hop between nodes", hop, (*edit).nicLatency, (*edit).setNICLatency},
	{"oversubscription", "oversubscription of the outermost level", ratio, (*edit).oversubscription, (*edit).setOversubscription},
	levelBandwidth("nvlink", "bandwidth inside the innermost domain, per GPU and direction", 0),
	levelLatency("nvlink-latency", "latency of a hop inside the innermost domain", 0),
	{"domain", "GPUs of the innermost domain", gpuCount, func(e *edit) float64 { return float64(e.domain) }, (*edit).setDomain},
	{"hbm", "memory of a GPU, as on its label, whose GB are of 2^30 bytes", label, func(e *edit) float64 { return float64(e.label) },
		func(e *edit, v float64) error { e.label = units.Bytes(v); return nil }},
	{"hbm-bandwidth", "nominal memory bandwidth of a GPU", linkRate, func(e *edit) float64 { return float64(e.hbm) },
		func(e *edit, v float64) error { e.hbm = units.BytesPerSecond(v); return nil }},
	{"flops", "dense peak of a GPU in the job's precision", peakRate, (*edit).peak, (*edit).setPeak},
	{"host-memory", "memory of a node's CPUs", memory, func(e *edit) float64 { return float64(e.hostMemory) },
		func(e *edit, v float64) error { e.hostMemory = units.Bytes(v); return nil }},
	{"host-link", "bandwidth between a GPU and the host's memory, per direction", linkRate, func(e *edit) float64 { return float64(e.hostLink) },
		func(e *edit, v float64) error { e.hostLink = units.BytesPerSecond(v); return nil }},
}

// Resource is a figure of a cluster that With can change.
type Resource struct {
	Name  string
	About string
	Value float64                    // in units of Unit
	Unit  string                     // "bytes_per_second", "bytes", "seconds", "flops_per_second", "gpus" or "1"
	Whole bool                       // a whole number
	Print func(value float64) string // with its unit
}

// Resources are those of the cluster whose value is known, each figure once: the
// levels between nodes go by nic, those inside by their names. A domain of one GPU
// has no links.
func (c *Cluster) Resources(rate PeakRate) (list []Resource) {
	e := c.edit(rate)
	for _, r := range e.resources() {
		of := e.levelOf(r.name)
		if v := r.get(e); v > 0 && of < e.network() && !(of == 0 && e.domain == 1) && !e.repeats(r.name) {
			list = append(list, Resource{r.name, r.about, v, r.unit(), r.amount == gpuCount, r.print})
		}
	}
	return list
}

// levelOf is the level that a resource goes by the name of, -1 when it does not.
func (e *edit) levelOf(name string) int {
	for l := range e.levels {
		own := strings.ToLower(e.levels[l].Name)
		if rest, ok := strings.CutPrefix(name, own); ok && (rest == "" || rest == "-latency" || rest == "-oversubscription") {
			return l
		}
	}
	return -1
}

// repeats reports a resource of the innermost level that goes by that level's own
// name as well.
func (e *edit) repeats(name string) bool {
	own := strings.ToLower(e.levels[0].Name)
	rest, ok := strings.CutPrefix(name, "nvlink")
	return ok && own != "nvlink" && (rest == "" || rest == "-latency")
}

// resources are those of the cluster: the general ones and those of each level.
func (e *edit) resources() []resource {
	list := slices.Clone(general)
	for l := range e.levels {
		name := strings.ToLower(e.levels[l].Name)
		for _, r := range []resource{
			levelBandwidth(name, "bandwidth of level "+name+", per GPU and direction", l),
			levelLatency(name+"-latency", "latency of a hop of level "+name, l),
			levelOversubscription(name+"-oversubscription", "oversubscription of level "+name, l),
		} {
			if !slices.ContainsFunc(list, func(o resource) bool { return o.name == r.name }) && (l > 0 || r.amount != ratio) {
				list = append(list, r)
			}
		}
	}
	return list
}

func levelBandwidth(name, about string, l int) resource {
	return resource{name, about, linkRate, func(e *edit) float64 { return float64(e.levels[l].Bandwidth) },
		func(e *edit, v float64) error { e.levels[l].Bandwidth = units.BytesPerSecond(v); return nil }}
}

func levelLatency(name, about string, l int) resource {
	return resource{name, about, hop, func(e *edit) float64 { return float64(e.levels[l].Latency) },
		func(e *edit, v float64) error { e.levels[l].Latency = units.Seconds(v); return nil }}
}

func levelOversubscription(name, about string, l int) resource {
	return resource{name, about, ratio, func(e *edit) float64 { return e.levels[l].Oversubscription },
		func(e *edit, v float64) error { e.levels[l].Oversubscription = v; return nil }}
}

// resource is the one of a name; the error names the nearest.
func (e *edit) resource(name string) (*resource, error) {
	list := e.resources()
	names := make([]string, len(list))
	for i := range list {
		if names[i] = list[i].name; names[i] == name {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("unknown resource %q%s", strict.Clip(name, 40), strict.Suggest(name, names, 1, nil))
}

// differ is the error of a change of a figure that one before it changes too, under
// another name.
func (e *edit) differ(c Change, before []Change) error {
	own := e.figures(c.Resource)
	for _, b := range before {
		if b.Resource == c.Resource { // one after the other
			continue
		}
		for _, f := range e.figures(b.Resource) {
			if slices.Contains(own, f) {
				return fmt.Errorf("the %s is set twice: %s sets it too", f, strict.Clip(b.String(), 40))
			}
		}
	}
	return nil
}

// figures are what a resource changes of the levels: nic of all between nodes.
func (e *edit) figures(name string) (list []string) {
	of := func(what string, levels []Level) {
		for i := range levels {
			list = append(list, what+" of level "+strings.ToLower(levels[i].Name))
		}
	}
	const bandwidth, latency, oversubscription = "bandwidth", "latency", "oversubscription"
	last := e.levels[len(e.levels)-1:]
	switch l := max(0, e.levelOf(name)); {
	case name == "nic":
		of(bandwidth, e.levels[e.network():])
	case name == "nic-latency":
		of(latency, e.levels[e.network():])
	case name == "oversubscription":
		of(oversubscription, last)
	case name == "nvlink":
		of(bandwidth, e.levels[:1])
	case name == "nvlink-latency":
		of(latency, e.levels[:1])
	case e.levelOf(name) < 0:
	case strings.HasSuffix(name, "-latency"):
		of(latency, e.levels[l:l+1])
	case strings.HasSuffix(name, "-oversubscription"):
		of(oversubscription, e.levels[l:l+1])
	default:
		of(bandwidth, e.levels[l:l+1])
	}
	return list
}

// peak is the rate that flops stands for.
func (e *edit) peak() float64 { return float64(e.rate(e.base.GPU)) * e.flops }

func (e *edit) setPeak(v float64) error {
	if e.peak() == 0 {
		return fmt.Errorf("%s has no rate in the job's precision", e.base.GPU.Name)
	}
	e.flops = v / float64(e.rate(e.base.GPU))
	return nil
}
