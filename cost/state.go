package cost

import (
	"meshplan/cost/profile"
	"meshplan/plan"
)

// perParameter is the bytes of weights, gradients and optimizer state that one
// GPU keeps for each parameter of a stage: of matrices that tp splits, of what
// every tp rank holds, of routed experts.
type perParameter struct{ split, whole, experts float64 }

// stateBytes is the state per parameter of a view. ZeRO stage 1 shards the
// optimizer state, 2 the gradients as well, 3 the weights as well (arXiv
// 1910.02054). The dense part is sharded over dp_shard x cp and the experts over
// their share of the same ranks (Megatron core distributed_data_parallel.py,
// torchtitan parallel_dims.py). Of a step with one micro-batch it is the state
// before backward: gradients that the last step freed do not exist.
func (m *Model) stateBytes(v *view) perParameter {
	r := m.recipe
	if m.profile.Memory.GradsFreed && v.micro.lo <= 1 {
		r.Grad = 0
	}
	return m.stateUnder(v, &r)
}

// stateUnder is the state of a view under a recipe.
func (m *Model) stateUnder(v *view, r *profile.Recipe) perParameter {
	split, whole := m.shardRanks(v)
	experts := m.expertRanks(v)
	return perParameter{
		split: m.stateOver(v, r, v.tp.hi, split), whole: m.stateOver(v, r, 1, whole), experts: m.stateOver(v, r, experts, max(experts, split)),
	}
}

// shardRanks is over how many ranks what tp splits is divided by tp and sharding,
// at most, and what every tp rank holds by sharding.
func (m *Model) shardRanks(v *view) (split, whole float64) {
	return v.most(v.tp.hi*v.cp.hi*v.ds.hi, v.pp.lo*v.dr.lo), v.most(v.cp.hi*v.ds.hi, v.tp.lo*v.pp.lo*v.dr.lo)
}

// expertRanks is over how many ranks the experts' parameters are divided by ep
// and etp, at most.
func (m *Model) expertRanks(v *view) float64 {
	return min(v.ep.hi*v.etp.hi, v.most(v.tp.hi*v.cp.hi*v.dp.hi, v.pp.lo))
}

// stateOver is the state per parameter where model parallelism divides
// parameters over rank GPUs and sharding over sharded.
func (m *Model) stateOver(v *view, r *profile.Recipe, rank, sharded float64) float64 {
	weight, grad, optimizer := r.Weight/rank, r.Grad/rank, r.Optimizer/rank
	if v.zero.Hi >= plan.ZeroOptimizer {
		optimizer = r.Optimizer / sharded
	}
	if v.zero.Hi >= plan.ZeroGradients && !m.pipelineHolds(v.pp.lo) {
		grad = r.Grad / sharded
	}
	if v.zero.Hi >= plan.ZeroWeights {
		if weight = r.Weight / sharded; r.Cast {
			weight = 0
		}
	}
	here := 1 - percentOf(v.optOffload.Hi)
	if m.profile.Memory.OffloadGrads {
		grad *= here
	}
	return weight + grad + float64(optimizer*here)
}

// gradsLeave reports whether gradients go to the host layer by layer in every
// plan of the view.
func (m *Model) gradsLeave(v *view) bool { return m.profile.Memory.OffloadGrads && v.optOffload.Lo > 0 }

func percentOf(p int32) float64 { return float64(p) / 100 }

// pipelineHolds reports whether gradients that stage 2 would shard stay whole
// because a pipeline of that many ranks reduces them after the last micro-batch
// only.
func (m *Model) pipelineHolds(pp float64) bool { return pp > 1 && m.profile.Memory.PipelineHolds }

// wholeUnits sets the parts of the account that are whole for a time: the sharded
// weights of the layers at work and, until they are reduced, their gradients.
// The largest layer counts. The head is such a unit too; its weights wait on the
// last stage from the end of forward for the start of backward. Embedding and head
// in the root unit stay whole, and the head's gradients wait for the embedding's.
func (m *Model) wholeUnits(v *view, a *memory) {
	c := &m.profile.Memory
	if v.zero.Lo >= plan.ZeroOptimizer {
		a.buckets = c.BucketBytes.Value
	}
	weight, grad := 0.0, 0.0
	if v.zero.Lo >= plan.ZeroWeights {
		weight = m.recipe.Weight
	}
	if v.reducesEach || m.gradsLeave(v) {
		grad = c.UnitGradBytes.Value
	}
	if weight+grad == 0 {
		return
	}
	a.units = float64(c.GatheredUnits.Value*(weight+grad)) * m.largestLayer(v)
	table := m.wordTable(v) / v.tp.hi
	if !c.RootUnit {
		a.headUnit = table * weight
		return
	}
	a.embedUnit, a.rootUnit, a.headGrads = table*weight, table*weight, table*grad
}

// largestLayer is the most parameters that a layer has on one rank.
func (m *Model) largestLayer(v *view) float64 {
	most := 0.0
	for k := range m.layers {
		if m.layers[k] > 0 {
			most = max(most, m.onRank(v, &m.held[k]))
		}
	}
	return most
}
