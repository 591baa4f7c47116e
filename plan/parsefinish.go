package plan

import (
	"fmt"
	"strings"
)

// finish resolves what the fields say about each other.
func (p *parser) finish() error {
	if err := p.resolveDP(); err != nil {
		return err
	}
	if err := p.schedule(); err != nil {
		return err
	}
	if err := p.boundGPUs(DenseDims[:]); err != nil {
		return err
	}
	if err := p.boundGPUs(ExpertDims[:]); err != nil {
		return err
	}
	for d := range p.degrees {
		for l := range MaxLevels {
			p.Plan.Placement.Factor[d][l] = 1
		}
		p.Plan.Placement.Factor[d][0] = int32(p.degrees[d])
	}
	if p.seen["placement"] {
		if err := p.place(); err != nil {
			return err
		}
	}
	if p.seen["layers"] {
		if err := p.split(); err != nil {
			return err
		}
	}
	if p.seen["recompute-layers"] {
		return p.repeat()
	}
	return nil
}

// repeat reads the layers recomputed on each rank, "10*3+0".
func (p *parser) repeat() error {
	o := &p.Plan.Options
	switch {
	case o.Stages.Text == "":
		return fmt.Errorf("recompute-layers=%s: expected layers too, of which they are a part", Clip(p.again))
	case o.Recompute != RecomputeFull:
		return fmt.Errorf("recompute-layers=%s with recompute=%s: expected recompute=full", Clip(p.again), o.Recompute)
	case p.seen["recompute-spare"] && o.RecomputeSpare != SpareFitting:
		return fmt.Errorf("recompute-layers=%s contradicts recompute-spare=%d: expected one of the two", Clip(p.again), o.RecomputeSpare)
	}
	again, err := ParseRunLength(p.again)
	if err != nil {
		return fmt.Errorf("recompute-layers: %w", err)
	}
	layers, err := o.Stages.Layers()
	if err != nil {
		return err
	}
	pp := int(p.degrees[PP])
	if len(again) != pp {
		return fmt.Errorf("recompute-layers=%s has %d ranks, but pp is %d", Clip(p.again), len(again), pp)
	}
	for r, n := range again {
		held := 0
		for k := r; k < len(layers); k += pp {
			held += int(layers[k])
		}
		if n > held {
			return fmt.Errorf("recompute-layers=%s: rank %d recomputes %d of its %d layers", Clip(p.again), r, n, held)
		}
	}
	o.RecomputeSpare, o.Stages.Recompute = SpareFitting, RunLength(again)
	return nil
}

// schedule checks the schedule against the chunks per rank. Where only one of
// them is given, the other follows as far as it can.
func (p *parser) schedule() error {
	o := &p.Plan.Options
	only := o.Schedule.Chunks()
	switch {
	case !p.seen["schedule"]:
		o.Schedule = ScheduleOf(0, o.VPP)
	case p.seen["vpp"] && only > 0 && o.VPP != only:
		return fmt.Errorf("schedule=%s contradicts vpp=%d: it runs %d a rank, so vpp=%d", o.Schedule, o.VPP, only, only)
	case p.seen["vpp"] && o.Schedule <= Interleaved && o.Schedule != ScheduleOf(0, o.VPP):
		return fmt.Errorf("schedule=%s contradicts vpp=%d: several chunks a rank are interleaved, one is 1f1b", o.Schedule, o.VPP)
	case o.Schedule == Interleaved && !p.seen["vpp"]:
		return fmt.Errorf("schedule=interleaved: expected vpp above 1, the chunks of each rank")
	case only > 1:
		o.VPP = only
		p.Given = p.Given.With(Field(VPP))
	}
	return nil
}

// resolveDP turns dp into dp_shard and dp_replicate. A placement says itself
// which of them dp is; place checks it.
func (p *parser) resolveDP() error {
	shard, replicate := p.seen["dp_shard"], p.seen["dp_replicate"]
	if p.dp == 0 || p.seen["placement"] && !shard && !replicate {
		return nil
	}
	s, r := &p.degrees[DPShard], &p.degrees[DPReplicate]
	whole := p.dp%(*s) == 0 && p.dp%(*r) == 0
	switch {
	case shard && replicate && *s**r != p.dp || !whole:
		return fmt.Errorf("dp=%d contradicts dp_shard=%d and dp_replicate=%d: dp is their product", p.dp, *s, *r)
	case shard && !replicate:
		*r = p.dp / *s
	case replicate && !shard:
		*s = p.dp / *r
	case !shard && !replicate && p.seen["zero"] && p.Plan.Options.ZeroStage == 0:
		*r = p.dp
	case !shard && !replicate:
		*s = p.dp
	}
	p.Given = p.Given.With(Field(DPShard)).With(Field(DPReplicate))
	return nil
}

func (p *parser) boundGPUs(dims []Dim) error {
	n, names := int64(1), make([]string, len(dims))
	for i, d := range dims {
		n *= p.degrees[d]
		names[i] = d.String()
		if n > MaxGPUs {
			return fmt.Errorf("%s multiply to more than %d GPUs", strings.Join(names[:i+1], ", "), MaxGPUs)
		}
	}
	return nil
}

// place reads "tp:8/1/1;dp_shard:1/32/4". Every dimension above 1 must be
// there, with as many levels as the others; a degree that is not given is the
// product of its factors, and so a placement gives all degrees.
func (p *parser) place() error {
	pl := &p.Plan.Placement
	var placed Set
	for item := range strings.SplitSeq(p.placed, ";") {
		d, factors, err := parseFactors(strings.TrimSpace(item))
		switch {
		case err != nil:
			return err
		case placed.Has(Field(d)):
			return fmt.Errorf("placement gives %s twice", d)
		case placed != 0 && len(factors) != int(pl.Levels):
			return fmt.Errorf("placement of %s has %d levels and the one before %d", d, len(factors), pl.Levels)
		}
		placed, pl.Levels = placed.With(Field(d)), int8(len(factors))
		degree := int64(1)
		for l, f := range factors {
			pl.Factor[d][l] = int32(f)
			degree *= f
		}
		if p.Given.Has(Field(d)) && degree != p.degrees[d] {
			return fmt.Errorf("placement of %s multiplies to %d, but %s=%d", d, degree, d, p.degrees[d])
		}
		p.degrees[d] = degree
	}
	for d := Dim(0); d < NumDims; d++ {
		if !placed.Has(Field(d)) && p.degrees[d] > 1 {
			return fmt.Errorf("placement lacks %s=%d", d, p.degrees[d])
		}
		p.Given = p.Given.With(Field(d))
	}
	if dp := p.degrees[DPShard] * p.degrees[DPReplicate]; p.dp > 0 && dp != p.dp {
		return fmt.Errorf("dp=%d, but dp_shard and dp_replicate are placed as %d*%d", p.dp, p.degrees[DPShard], p.degrees[DPReplicate])
	}
	if err := p.boundGPUs(DenseDims[:]); err != nil {
		return err
	}
	return p.boundGPUs(ExpertDims[:])
}

func parseFactors(item string) (Dim, []int64, error) {
	name, list, ok := strings.Cut(item, ":")
	if !ok {
		return 0, nil, fmt.Errorf("placement %q: expected for example tp:8/1/1;dp_shard:1/32/4", Clip(item))
	}
	var d Dim
	for d < NumDims && dimNames[d] != strings.TrimSpace(name) {
		d++
	}
	if d == NumDims {
		return 0, nil, fmt.Errorf("placement of %q: expected one of %s", Clip(name), strings.Join(dimNames[:], ", "))
	}
	var factors []int64
	product := int64(1)
	for f := range strings.SplitSeq(list, "/") {
		n, err := count("placement of "+d.String(), strings.TrimSpace(f), MaxDegree)
		if err != nil {
			return d, nil, err
		}
		if product *= n; product > MaxDegree || len(factors) == MaxLevels {
			return d, nil, fmt.Errorf("placement of %s: at most %d levels and a degree of %d", d, MaxLevels, MaxDegree)
		}
		factors = append(factors, n)
	}
	return d, factors, nil
}

// split reads "8*14+7*2" or "layout:8*14+7*2".
func (p *parser) split() error {
	form, text, named := strings.Cut(p.layers, ":")
	if !named {
		text = p.layers
	}
	list, err := ParseRunLength(text)
	if err != nil {
		return err
	}
	stages := Stages{Text: RunLength(list)}
	layers, err := stages.Layers()
	if err != nil {
		return err
	}
	pp, vpp := int(p.degrees[PP]), int(p.Plan.Options.VPP)
	if len(layers) != pp*vpp {
		return fmt.Errorf("layers=%s has %d chunks, but pp*vpp = %d*%d = %d", Clip(p.layers), len(layers), pp, vpp, pp*vpp)
	}
	if stages.Form, err = formNamed(form, named, layers, pp, vpp); err != nil {
		return err
	}
	p.Plan.Options.Stages = stages
	return nil
}

func formNamed(name string, named bool, layers []int32, pp, vpp int) (SplitForm, error) {
	if !named {
		f, ok := FormOf(AllForms(), layers, pp, vpp)
		if !ok {
			return 0, fmt.Errorf("layers=%s: only the first and the last chunk may be empty", Clip(RunLength(layers)))
		}
		return f, nil
	}
	for f, n := range formNames {
		if n == strings.TrimSpace(name) {
			if !SplitForm(f).Expresses(layers, pp, vpp) {
				return 0, fmt.Errorf("layers=%s is not a split of the form %s", Clip(RunLength(layers)), n)
			}
			return SplitForm(f), nil
		}
	}
	return 0, fmt.Errorf("split form %q: expected one of %s", Clip(name), strings.Join(formNames[:], ", "))
}
