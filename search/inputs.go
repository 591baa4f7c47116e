package search

import (
	"fmt"
	"strconv"

	"meshplan/cluster"
	"meshplan/cost"
	"meshplan/plan"
	"meshplan/units"
)

// factors are the changes of an input that are tried.
var factors = [...]float64{0.5, 0.9, 1.1, 2}

// input is a figure of a job that there may be more or less of.
type input struct {
	cluster.Resource
	at    func(factor float64) (*Problem, error) // an error where there is no such job
	cases [len(factors)]*solution
	flips [len(sides)]*flip // nil where the same plan stays the best
}

// inputsOf are the inputs of a job: the resources of its cluster, those of the host
// only where something may be kept there, and the load factor of experts.
func inputsOf(j *job) (list []*input) {
	p := j.Problem
	offload := len(j.domains.Values[plan.OptOffload]) > 1 || len(j.domains.Values[plan.ActOffload]) > 1
	for _, r := range p.Facts.Cluster.Resources(p.peak) {
		if !offload && (r.Name == "host-memory" || r.Name == "host-link") {
			continue
		}
		list = append(list, &input{Resource: r, at: func(factor float64) (*Problem, error) {
			q := *p
			var err error
			q.Facts.Cluster, _, err = p.Facts.Cluster.With(p.peak, cluster.Scale(r.Name, factor))
			return &q, err
		}})
	}
	if p.Facts.Model.Experts > 0 {
		list = append(list, loadFactor(p))
	}
	return list
}

// peak is the rate of a GPU in the job's precision.
func (p *Problem) peak(g *cluster.GPU) units.FLOPsPerSecond {
	if p.Facts.Workload.Precision == "" {
		return cost.Rate(g, p.Profile.Precision)
	}
	return cost.Rate(g, p.Facts.Workload.Precision)
}

// LoadFactor is the name of the one input that is none of the cluster's.
const LoadFactor = "load-factor"

// loadFactor is the load of the busiest rank of experts.
func loadFactor(p *Problem) *input {
	now := max(1, p.Facts.Workload.LoadFactor)
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	return &input{
		Resource: cluster.Resource{Name: LoadFactor, About: "load of the busiest expert rank over the mean", Value: now, Unit: "1", Print: text},
		at: func(factor float64) (*Problem, error) {
			q := *p
			if q.Facts.Workload.LoadFactor = now * factor; now*factor < 1 {
				return nil, fmt.Errorf("load-factor=%s is below 1, which is balanced", text(now*factor))
			}
			return &q, nil
		},
	}
}
