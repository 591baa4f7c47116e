package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the canonical text of the plan, which Parse reads back:
//
//	tp=8,cp=1,pp=16,vpp=1,dp_shard=128,dp_replicate=1,micro-batch=1,sp=on,zero=1,recompute=none
//
// ep, etp and edp follow dp_replicate if one of them is above 1, and options that
// most plans leave alone follow recompute if they are not the default; layers and
// placement come last, if the plan has them. layers carries the form of the
// split in front, "layout:8*14+7*2", where an earlier form could express it.
func (p Plan) String() string {
	var b strings.Builder
	o := &p.Options
	for _, d := range []Dim{TP, CP, PP} {
		fmt.Fprintf(&b, "%s=%d,", d, p.Placement.Degree(d))
	}
	fmt.Fprintf(&b, "vpp=%d,", max(1, o.VPP))
	for _, d := range []Dim{DPShard, DPReplicate} {
		fmt.Fprintf(&b, "%s=%d,", d, p.Placement.Degree(d))
	}
	if p.experts() {
		for _, d := range []Dim{EP, ETP, EDP} {
			fmt.Fprintf(&b, "%s=%d,", d, p.Placement.Degree(d))
		}
	}
	fmt.Fprintf(&b, "micro-batch=%d,sp=%s,zero=%d,recompute=%s",
		max(1, o.MicroBatch), onOff(o.SP), o.ZeroStage, o.Recompute)
	o.writeRare(&b)
	if o.Stages.Text != "" {
		b.WriteString(",layers=" + o.Stages.text(int(p.Placement.Degree(PP)), int(max(1, o.VPP))))
	}
	if p.Placement.Levels > 0 {
		b.WriteString(",placement=" + p.Placement.String())
	}
	return b.String()
}

// writeRare writes the options that most plans leave at their defaults.
func (o *Options) writeRare(b *strings.Builder) {
	if o.CPComm != CPRing {
		fmt.Fprintf(b, ",cp-comm=%s", o.CPComm)
	}
	if o.Schedule > Interleaved {
		fmt.Fprintf(b, ",schedule=%s", o.Schedule)
	}
	if o.OptimizerOffload > 0 {
		fmt.Fprintf(b, ",optimizer-offload=%d", o.OptimizerOffload)
	}
	switch {
	case o.Stages.Recompute != "":
		fmt.Fprintf(b, ",recompute-layers=%s", o.Stages.Recompute)
	case o.RecomputeSpare > 0:
		fmt.Fprintf(b, ",recompute-spare=%s", RecomputeSpare.Format(int32(o.RecomputeSpare)))
	}
	if o.ActivationOffload > 0 {
		fmt.Fprintf(b, ",activation-offload=%d", o.ActivationOffload)
	}
}

func (p *Plan) experts() bool {
	return p.Placement.Degree(EP) > 1 || p.Placement.Degree(ETP) > 1 || p.Placement.Degree(EDP) > 1
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// text carries the form in front unless it is the first that expresses the
// layers.
func (s Stages) text(pp, vpp int) string {
	layers, err := s.Layers()
	if first, ok := FormOf(AllForms(), layers, pp, vpp); err != nil || ok && first == s.Form {
		return s.Text
	}
	return s.Form.String() + ":" + s.Text
}

// String lists each placed dimension's factors, innermost level first:
// "tp:8/1/1;dp_shard:1/32/4". Dimensions of degree 1 are left out.
func (p *Placement) String() string {
	var b strings.Builder
	for d := Dim(0); d < NumDims; d++ {
		if p.Degree(d) > 1 {
			p.writeFactors(&b, d)
		}
	}
	if b.Len() == 0 {
		p.writeFactors(&b, TP)
	}
	return b.String()
}

func (p *Placement) writeFactors(b *strings.Builder, d Dim) {
	if b.Len() > 0 {
		b.WriteByte(';')
	}
	b.WriteString(d.String())
	for l := range max(1, int(p.Levels)) {
		b.WriteByte(":/"[min(l, 1)])
		b.WriteString(strconv.Itoa(int(max(1, p.Factor[d][l]))))
	}
}
