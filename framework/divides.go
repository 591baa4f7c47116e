package framework

import (
	"fmt"

	"meshplan/plan"
)

// divides is a rule of the kind "the total must be a multiple of a number that
// some coordinates give". Its sentence gives the nearest divisors.
type divides struct {
	id      string
	reads   []plan.Coord
	total   func(*Facts) int64
	noun    string                   // of the total: "heads"
	by      string                   // of the divisor: "tp"
	alone   func(*plan.Point) string // its only factor above 1, "" if there is no such; may be nil
	divisor func(*plan.Point) int64
	applies func(*Facts, *plan.Point) bool
	unless  string // why it need not hold where it does not apply
}

func (d divides) rule() Rule {
	return Rule{
		ID:    d.id,
		Reads: d.reads,
		Holds: func(f *Facts, p *plan.Point) bool {
			return !d.applies(f, p) || d.total(f)%d.divisor(p) == 0
		},
		Text: func(f *Facts, p *plan.Point) string {
			n, v, by := d.total(f), d.divisor(p), d.by
			if d.alone != nil && d.alone(p) != "" {
				by = d.alone(p)
			}
			switch {
			case !d.applies(f, p):
				return d.unless
			case n%v == 0:
				return fmt.Sprintf("%d %s divisible by %s %d", n, d.noun, by, v)
			}
			return fmt.Sprintf("%d %s not divisible by %s %d; %s", n, d.noun, by, v, NearestDivisors(n, v))
		},
	}
}

// product is the rule that the division holds. Where it does not apply, unless
// says why.
func (d Division) product(id, noun, by, unless string) Rule {
	reads := d.Of
	if d.Least > 0 {
		reads = append([]plan.Coord{d.From}, reads...)
	}
	r := divides{
		id: id, reads: reads, total: d.Total, noun: noun, by: by, alone: d.alone, divisor: d.Product,
		applies: func(_ *Facts, p *plan.Point) bool { return d.Applies(p) }, unless: unless,
	}.rule()
	r.Division = &d
	return r
}

// alone is the name of the only coordinate of the product above 1 at the
// point, both parts of dp being one; "" where there is none or more than one.
func (d *Division) alone(p *plan.Point) string {
	name := ""
	for _, c := range d.Of {
		own := c.String()
		if c == plan.Coord(plan.DPShard) || c == plan.Coord(plan.DPReplicate) {
			own = "dp"
		}
		switch {
		case p[c] == 1 || own == name:
		case name != "":
			return ""
		default:
			name = own
		}
	}
	return name
}

// HeadsDivide: tensor parallelism splits attention by heads, so tp divides
// them.
func HeadsDivide(id string) Rule {
	return Division{
		Total: func(f *Facts) int64 { return int64(f.Model.Heads) }, Of: degreesOf([]plan.Dim{plan.TP}),
	}.product(id, "heads", "tp", "")
}

// ExpertsDivide: expert parallelism splits by whole experts, so ep divides
// them; a model without experts allows ep 1 alone.
func ExpertsDivide(id string) Rule {
	return divides{
		id: id, reads: degreesOf([]plan.Dim{plan.EP}), noun: "experts", by: "ep",
		total:   func(f *Facts) int64 { return int64(f.Model.Experts) },
		divisor: func(p *plan.Point) int64 { return int64(p.Degree(plan.EP)) },
		applies: func(f *Facts, p *plan.Point) bool { return f.MoE() },
		unless:  "the model has no experts",
	}.rule()
}

// ExpertWidthDivides: etp splits the experts' intermediate width.
func ExpertWidthDivides(id string) Rule {
	return divides{
		id: id, reads: degreesOf([]plan.Dim{plan.ETP}), noun: "columns of an expert", by: "etp",
		total:   func(f *Facts) int64 { return int64(f.Model.MoEFFN) },
		divisor: func(p *plan.Point) int64 { return int64(p.Degree(plan.ETP)) },
		applies: func(f *Facts, p *plan.Point) bool { return f.MoE() },
		unless:  "the model has no experts",
	}.rule()
}

// WidthDivides: tp splits the columns of every MLP outside the routed experts:
// the dense layers' and the shared experts'.
func WidthDivides(id string) Rule {
	return divides{
		id: id, reads: degreesOf([]plan.Dim{plan.TP}), noun: "columns common to the MLPs", by: "tp",
		total:   func(f *Facts) int64 { return int64(denseWidth(f)) },
		divisor: func(p *plan.Point) int64 { return int64(p.Degree(plan.TP)) },
		applies: func(f *Facts, p *plan.Point) bool { return denseWidth(f) > 0 },
		unless:  "the model has routed experts only",
	}.rule()
}

// denseWidth is the greatest common divisor of the MLP widths that tp splits;
// 0 if every layer has routed experts only.
func denseWidth(f *Facts) int {
	m := f.Model
	width := 0
	if !f.MoE() || m.FirstKDense > 0 || m.MoEEvery > 1 {
		width = m.FFN
	}
	if m.SharedExperts > 0 {
		width = gcd(width, m.SharedFFN)
	}
	return width
}

func globalBatch(f *Facts) int64 { return f.Workload.GlobalBatch }

// BatchDivides: every data-parallel rank runs the same number of micro-batches.
func BatchDivides(id string) Rule {
	return readsBatch(Division{
		Total: globalBatch,
		Of:    []plan.Coord{plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.MicroBatch},
	}.product(id, "sequences of the global batch", "micro-batch*dp", ""))
}

// readsBatch marks a rule that reads the global batch.
func readsBatch(r Rule) Rule {
	r.Batch = true
	return r
}

// ContextChunks: with cp > 1 each rank takes two chunks of the sequence, one
// from either end, to balance causal attention.
func ContextChunks(id string) Rule {
	return divides{
		id: id, reads: degreesOf([]plan.Dim{plan.CP}), noun: "tokens of a sequence", by: "2*cp",
		total:   sequence,
		divisor: func(p *plan.Point) int64 { return 2 * int64(p.Degree(plan.CP)) },
		applies: func(f *Facts, p *plan.Point) bool { return p.Degree(plan.CP) > 1 },
		unless:  "cp is 1",
	}.rule()
}

func sequence(f *Facts) int64 { return f.Workload.SeqLen }

// SequenceSlices: with sp each tensor-parallel rank holds a slice of its
// context-parallel rank's tokens: cp*tp divides the sequence.
func SequenceSlices(id string) Rule {
	return Division{
		Total: sequence, Of: degreesOf([]plan.Dim{plan.TP, plan.CP}), From: plan.SP, Least: 1,
	}.product(id, "tokens of a sequence", "cp*tp", "sp is off")
}

// SequenceSlicesWithChunks: SequenceSlices and ContextChunks together, cp times
// the least common multiple of 2 and tp.
func SequenceSlicesWithChunks(id string) Rule {
	return divides{
		id:    id,
		reads: []plan.Coord{plan.Coord(plan.TP), plan.Coord(plan.CP), plan.SP},
		noun:  "tokens of a sequence", by: "cp*lcm(2, tp)",
		total: sequence,
		divisor: func(p *plan.Point) int64 {
			return int64(p.Degree(plan.CP)) * lcm(2, int64(p.Degree(plan.TP)))
		},
		applies: func(f *Facts, p *plan.Point) bool { return p[plan.SP] == 1 && p.Degree(plan.CP) > 1 },
		unless:  "needs both sp and cp above 1",
	}.rule()
}

// InterleaveRounds: with vpp > 1 a rank runs its chunks in rounds of pp
// micro-batches, so pp divides their number.
func InterleaveRounds(id string) Rule {
	return readsBatch(Division{
		Total: globalBatch,
		Of:    []plan.Coord{plan.Coord(plan.PP), plan.Coord(plan.DPShard), plan.Coord(plan.DPReplicate), plan.MicroBatch},
		From:  plan.VPP, Least: 2,
	}.product(id, "sequences of the global batch", "pp*micro-batch*dp (vpp above 1 runs rounds of pp micro-batches)", "vpp is 1"))
}
