package framework

import (
	"fmt"
	"strings"

	"meshplan/plan"
)

// Shared are the rules that any plan obeys under any framework: the grids fit
// the cluster's levels and each other, the ZeRO stage says what dp_shard says,
// and a schedule runs the chunks a rank that it is made for. What a framework
// shares with others under a name of its own is in its Rules.
func Shared() []Rule {
	return []Rule{zeroNeedsShards("zero"), chunksOfSchedule("schedule"), spareNeedsRecompute("recompute-spare"), levelsFit("grid/levels"), gridsAgree("grid/experts")}
}

// zeroNeedsShards: plain data parallelism is dp_replicate, so stage 0 needs
// dp_shard 1; a stage above 0 needs ranks to share with, dp_shard*cp above 1.
func zeroNeedsShards(id string) Rule {
	holds := func(_ *Facts, p *plan.Point) bool {
		shards := p.Degree(plan.DPShard)
		if p[plan.Zero] == 0 {
			return shards == 1
		}
		return int64(shards)*int64(p.Degree(plan.CP)) > 1
	}
	return Rule{
		ID: id, Reads: []plan.Coord{plan.Coord(plan.CP), plan.Coord(plan.DPShard), plan.Zero}, Holds: holds,
		Text: func(f *Facts, p *plan.Point) string {
			given := fmt.Sprintf("zero %d with dp_shard %d and cp %d", p[plan.Zero], p.Degree(plan.DPShard), p.Degree(plan.CP))
			switch {
			case holds(f, p):
				return given
			case p[plan.Zero] == 0:
				return given + "; zero 0 needs dp_shard 1, its ranks are dp_replicate"
			}
			return given + fmt.Sprintf("; zero %d needs dp_shard*cp above 1, else zero 0", p[plan.Zero])
		},
	}
}

// levelsFit: on every level the factors of the dense grid multiply to at most
// the level's size, and cumulative factors divide upwards. The space of plans
// is built so; only a plan given by a user can break it.
func levelsFit(id string) Rule {
	return Rule{
		ID: id, Reads: placesOf(plan.DenseDims[:]), Implied: true,
		Holds: func(f *Facts, p *plan.Point) bool { return misfit(f, p) == "" },
		Text: func(f *Facts, p *plan.Point) string {
			if problem := misfit(f, p); problem != "" {
				return problem
			}
			return fmt.Sprintf("%d of %d GPUs used", gpus(p), f.Cluster.GPUs())
		},
	}
}

func misfit(f *Facts, p *plan.Point) string {
	for l, level := range f.Cluster.Levels {
		used := int64(1)
		for _, d := range plan.DenseDims {
			factor, ok := factorOn(p, d, l)
			if !ok {
				return fmt.Sprintf("%s has %d ranks in a domain of %s and %d in one of the level below; not a multiple",
					d, p[plan.At(d, l)], level.Name, p[plan.At(d, l-1)])
			}
			used *= factor
		}
		if used > int64(level.Size) {
			return fmt.Sprintf("level %s has room for %d; %s need %d", level.Name, level.Size, factorsOn(p, l), used)
		}
	}
	return ""
}

// factorsOn lists the dense grid's factors on the level: "tp 8 * dp_shard 2".
func factorsOn(p *plan.Point, l int) string {
	var parts []string
	for _, d := range plan.DenseDims {
		if factor, _ := factorOn(p, d, l); factor > 1 {
			parts = append(parts, fmt.Sprintf("%s %d", d, factor))
		}
	}
	return strings.Join(parts, " * ")
}

// factorOn is the dimension's factor on the level; ok is false if it is none.
func factorOn(p *plan.Point, d plan.Dim, l int) (factor int64, ok bool) {
	below := int32(1)
	if l > 0 {
		below = p[plan.At(d, l-1)]
	}
	at := p[plan.At(d, l)]
	return int64(at / max(1, below)), below > 0 && at%below == 0
}

// gridsAgree: on every level the expert grid covers the same GPUs as the dense
// one; a model without experts has none.
func gridsAgree(id string) Rule {
	return Rule{
		ID: id, Reads: append(placesOf(plan.DenseDims[:]), placesOf(plan.ExpertDims[:3])...), Implied: true,
		Holds: func(f *Facts, p *plan.Point) bool { return disagreement(f, p) == "" },
		Text: func(f *Facts, p *plan.Point) string {
			if problem := disagreement(f, p); problem != "" {
				return problem
			}
			return "both grids cover the same GPUs on every level"
		},
	}
}

func disagreement(f *Facts, p *plan.Point) string {
	if !f.MoE() {
		if p.Degree(plan.ETP) > 1 || p.Degree(plan.EP) > 1 || p.Degree(plan.EDP) > 1 {
			return "the model has no experts; etp, ep and edp are 1"
		}
		return ""
	}
	for l, level := range f.Cluster.Levels {
		dense, okDense := product(p, plan.DenseDims[:], l)
		expert, okExpert := product(p, plan.ExpertDims[:], l)
		if !okDense || !okExpert || dense != expert {
			return fmt.Sprintf("on level %s the dense grid uses %d and the expert grid %d; they must be equal", level.Name, dense, expert)
		}
	}
	return ""
}

func product(p *plan.Point, dims []plan.Dim, l int) (n int64, ok bool) {
	n, ok = 1, true
	for _, d := range dims {
		factor, whole := factorOn(p, d, l)
		n, ok = n*factor, ok && whole
	}
	return n, ok
}

// ExpertGridDivides: etp*ep divides the ranks of a pipeline stage; edp is the
// quotient.
func ExpertGridDivides(id string) Rule {
	reads := degreesOf([]plan.Dim{plan.TP, plan.CP, plan.DPShard, plan.DPReplicate, plan.ETP, plan.EP, plan.EDP})
	ranks := func(p *plan.Point) (stage, expert int64) {
		return gpus(p) / int64(p.Degree(plan.PP)), int64(p.Degree(plan.ETP)) * int64(p.Degree(plan.EP))
	}
	holds := func(f *Facts, p *plan.Point) bool {
		stage, expert := ranks(p)
		return !f.MoE() || stage == expert*int64(p.Degree(plan.EDP))
	}
	return Rule{
		ID: id, Reads: append(reads, plan.Coord(plan.PP)), Holds: holds, Implied: true,
		Text: func(f *Facts, p *plan.Point) string {
			stage, expert := ranks(p)
			switch {
			case !f.MoE():
				return "the model has no experts"
			case stage%expert != 0:
				return fmt.Sprintf("%d ranks of a pipeline stage not divisible by etp*ep %d; %s", stage, expert, NearestDivisors(stage, expert))
			case holds(f, p):
				return fmt.Sprintf("%d ranks of a pipeline stage are etp*ep %d times edp %d", stage, expert, p.Degree(plan.EDP))
			}
			return fmt.Sprintf("%d ranks of a pipeline stage over etp*ep %d leave edp %d, not %d", stage, expert, stage/expert, p.Degree(plan.EDP))
		},
	}
}

// DenseGridDivides: tp*cp*pp divides the GPUs used; dp is the quotient, so
// that degrees given together can only break it by exceeding the cluster.
func DenseGridDivides(id string) Rule {
	return Rule{
		ID: id, Reads: degreesOf(plan.DenseDims[:]), Implied: true,
		Holds: func(f *Facts, p *plan.Point) bool { return gpus(p) <= int64(f.Cluster.GPUs()) },
		Text: func(f *Facts, p *plan.Point) string {
			return fmt.Sprintf("tp*cp*pp %d times dp %d are %d GPUs; the cluster has %d",
				gpus(p)/int64(p.DP()), p.DP(), gpus(p), f.Cluster.GPUs())
		},
	}
}

func placesOf(dims []plan.Dim) []plan.Coord {
	var coords []plan.Coord
	for _, d := range dims {
		for l := range plan.MaxLevels {
			coords = append(coords, plan.At(d, l))
		}
	}
	return coords
}
