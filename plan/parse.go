package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshplan/strict"
)

// MaxDegree bounds a degree in a plan's text, and MaxGPUs the product of all.
const (
	MaxDegree = 1 << 20
	MaxGPUs   = 1 << 24
)

// Field names a part of a plan that a user may give.
type Field uint8

// The fields that are not coordinates. The coordinates' own fields have the
// coordinates' numbers: Field(TP), Field(MicroBatch).
const (
	StagesField    = Field(firstPlace) + iota // layers per chunk
	PlacementField                            // factors per level
)

// Set is a set of fields.
type Set uint64

// Has reports whether the field is in the set.
func (s Set) Has(f Field) bool { return s&(1<<f) != 0 }

// With is the set and the field.
func (s Set) With(f Field) Set { return s | 1<<f }

// Partial is a plan of which only some fields are given. The others are 1, off
// or none. A plan without placement has Placement.Levels 0 and its degrees as
// factors of the first level.
type Partial struct {
	Plan  Plan
	Given Set
}

// parser holds a plan's text on its way to a Partial.
type parser struct {
	Partial
	degrees [NumDims]int64
	dp      int64 // 0 = not given
	seen    map[string]bool
	layers  string
	again   string // layers recomputed on each rank
	placed  string
}

// Parse reads the text of a plan, in which every field may be missing. dp
// stands for dp_shard times dp_replicate: alone it is dp_shard, or
// dp_replicate if zero=0 is given. The error names the key, what was expected
// and the nearest valid key.
func Parse(text string) (Partial, error) {
	p := parser{seen: map[string]bool{}}
	for d := range p.degrees {
		p.degrees[d] = 1
	}
	p.Plan.Options.MicroBatch, p.Plan.Options.VPP = 1, 1
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if err := p.item(item); err != nil {
			return Partial{}, fmt.Errorf("plan %q: %w", Clip(text), err)
		}
	}
	if err := p.finish(); err != nil {
		return Partial{}, fmt.Errorf("plan %q: %w", Clip(text), err)
	}
	return p.Partial, nil
}

func (p *parser) item(item string) (err error) {
	key, value, ok := strings.Cut(item, "=")
	if !ok {
		return fmt.Errorf("%q is not key=value", Clip(item))
	}
	name, otherwise := findKey(strings.TrimSpace(key))
	if name == "" {
		return fmt.Errorf("unknown key %q%s", Clip(strings.TrimSpace(key)), otherwise)
	}
	if p.seen[name] {
		return fmt.Errorf("%s is given twice", name)
	}
	p.seen[name] = true
	value = strings.TrimSpace(value)
	if d := slices.Index(dimNames[:], name); d >= 0 {
		p.Given = p.Given.With(Field(d))
		p.degrees[d], err = count(name, value, MaxDegree)
		return err
	}
	return p.set(name, value)
}

// set reads a field that is not the degree of one dimension.
func (p *parser) set(name, value string) (err error) {
	o := &p.Plan.Options
	var n int64
	switch name {
	case "dp":
		p.dp, err = count(name, value, MaxDegree)
		return err
	case "vpp":
		n, err = count(name, value, MaxChunks)
		o.VPP = int32(n)
	case "micro-batch":
		n, err = count(name, value, MaxDegree)
		o.MicroBatch = int32(n)
	case "sp":
		o.SP, err = parseSwitch(name, value)
	case "zero":
		o.ZeroStage, err = parseZero(value)
	case "recompute":
		o.Recompute, err = parseRecompute(value)
	case "cp-comm":
		o.CPComm, err = parseCPComm(value)
	case "schedule":
		o.Schedule, err = parseSchedule(value)
	case "optimizer-offload":
		o.OptimizerOffload, err = percent(name, value)
	case "activation-offload":
		o.ActivationOffload, err = percent(name, value)
	case "recompute-spare":
		o.RecomputeSpare, err = parseSpare(value)
	case "recompute-layers":
		p.again = value
	case "layers":
		p.layers = value
	case "placement":
		p.placed = value
	}
	p.Given = p.Given.With(fieldOf[name])
	return err
}

var fieldOf = map[string]Field{
	"vpp": Field(VPP), "micro-batch": Field(MicroBatch), "sp": Field(SP), "zero": Field(Zero),
	"recompute": Field(RecomputeC), "cp-comm": Field(CPCommC), "schedule": Field(ScheduleC),
	"optimizer-offload": Field(OptOffload), "activation-offload": Field(ActOffload), "recompute-spare": Field(RecomputeSpare), "recompute-layers": Field(RecomputeSpare),
	"layers": StagesField, "placement": PlacementField,
}

func count(name, value string, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > most {
		return 1, fmt.Errorf("%s=%s: expected a whole number from 1 to %d", name, Clip(value), most)
	}
	return n, nil
}

func parseSwitch(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "on", "true", "1", "yes":
		return true, nil
	case "off", "false", "0", "no":
		return false, nil
	}
	return false, fmt.Errorf("%s=%s: expected on or off", name, Clip(value))
}

func parseZero(value string) (int8, error) {
	if len(value) != 1 || value[0] < '0' || value[0] > '3' {
		return 0, fmt.Errorf("zero=%s: expected a ZeRO stage from 0 (plain data parallel) to 3 (weights sharded)", Clip(value))
	}
	return int8(value[0] - '0'), nil
}

func percent(name, value string) (int8, error) {
	n, err := strconv.ParseInt(value, 10, 8)
	if err != nil || n < 0 || n > 100 {
		return 0, fmt.Errorf("%s=%s: expected percent, a whole number from 0 to 100", name, Clip(value))
	}
	return int8(n), nil
}

// fitting is SpareFitting as text.
const fitting = "fit"

// parseSpare reads percent, or "fit".
func parseSpare(value string) (int8, error) {
	if strings.EqualFold(value, fitting) {
		return SpareFitting, nil
	}
	n, err := percent("recompute-spare", value)
	if err != nil {
		err = fmt.Errorf("%w, or %s", err, fitting)
	}
	return n, err
}

// parseRecompute reads the name of a kind of recompute: "none", "full".
func parseRecompute(value string) (Recompute, error) {
	i, err := named("recompute", value, recomputeNames[:])
	return Recompute(i), err
}

// parseCPComm reads "p2p", "allgather", "a2a" or "a2a+p2p".
func parseCPComm(value string) (CPComm, error) {
	i, err := named("cp-comm", value, cpCommNames[:])
	return CPComm(i), err
}

// parseSchedule reads the name of a schedule: "1f1b", "zb-v".
func parseSchedule(value string) (Schedule, error) {
	i, err := named("schedule", value, scheduleNames[:])
	return Schedule(i), err
}

// named is the position of a name, in any case. The error lists the names, and
// the nearest where one is close in spelling.
func named(key, value string, names []string) (int, error) {
	for i, name := range names {
		if strings.EqualFold(value, name) {
			return i, nil
		}
	}
	last := len(names) - 1
	err := fmt.Sprintf("%s=%s: expected %s or %s", key, Clip(value), strings.Join(names[:last], ", "), names[last])
	if near := strict.Nearest(Clip(value), names, 1, dashed); len(near) > 0 {
		err += fmt.Sprintf("; nearest %q", near[0])
	}
	return 0, errors.New(err)
}
