package framework

import "meshplan/plan"

// InnerFirst is the order of a rank mesh (pp, dp_replicate, dp_shard, cp, tp)
// whose last dimension varies fastest, with the experts over (pp, edp, ep, etp)
// of the same ranks. Of is the framework's name and name its spelling of the
// mesh.
func InnerFirst(of, name string) RankOrder {
	return RankOrder{
		Name: name, Of: of,
		Dense:  []plan.Dim{plan.TP, plan.CP, plan.DPShard, plan.DPReplicate, plan.PP},
		Expert: []plan.Dim{plan.ETP, plan.EP, plan.EDP, plan.PP},
	}
}
