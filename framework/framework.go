// Package framework says what a training framework accepts: rules as
// predicates over the coordinates of a plan, each with a sentence that gives
// numbers, the ways in which a layer split can be written down, and the values
// the framework itself takes for whatever a user leaves out.
//
//	fw, err := all.Find("megatron")
//	rules := framework.Rules(facts, fw, nil)
//	for _, r := range framework.Broken(facts, rules, &point) {
//		fmt.Println(r.ID, r.Text(facts, &point))
//	}
package framework

import (
	"slices"

	"meshplan/cluster"
	"meshplan/models"
	"meshplan/plan"
)

// Facts are what the rules may read besides the plan.
type Facts struct {
	Model    *models.Model
	Cluster  *cluster.Cluster
	Workload plan.Workload
}

// MoE reports whether the model has routed experts, and so a second grid.
func (f *Facts) MoE() bool { return f.Model.Experts > 0 }

// MicroBatches is how many of them each data-parallel rank runs in a step.
func (f *Facts) MicroBatches(p *plan.Point) int64 {
	return f.Workload.GlobalBatch / (int64(p[plan.MicroBatch]) * int64(p.DP()))
}

// Rule is a constraint on a plan, stated once. Checks call Holds on a point;
// the solver tabulates it over the domains of the coordinates it reads.
type Rule struct {
	ID    string       // "megatron/MLM-H1"
	Reads []plan.Coord // the coordinates that Holds reads, no others
	Holds func(*Facts, *plan.Point) bool
	Text  func(*Facts, *plan.Point) string // why it does not hold, with numbers and the nearest valid values
	// Implied marks a rule that the space of plans or another rule of the same
	// list ensures. It is checked on plans given by a user and need not be
	// stated to a solver.
	Implied bool
	// Rarely is set on a rule that reads some of its coordinates only where an
	// option has one value; a search that does not range over that value reads
	// the others alone.
	Rarely *Rarely
	// Used is set on a rule that speaks of the sub-domains used in each domain of
	// the levels (GPUs, on the innermost) and of nothing else; Holds is then the
	// same predicate on the point's numbers.
	Used func(used []int32) bool
	// Batch is set on a rule that reads the global batch.
	Batch bool
	// Pin is set on a rule that is a user's pin.
	Pin *Pin
	// Division is set on a rule that is one; Holds is then derived from it. A
	// solver can state it by prime exponents however large its table is.
	Division *Division
}

// Rarely is the value of an option that makes a rule read more coordinates.
type Rarely struct {
	Option plan.Coord
	Value  int32
	Reads  []plan.Coord
}

// needed is the rule with the coordinates that matter where the option has one of
// the values.
func (r Rule) needed(values []int32) Rule {
	if r.Rarely != nil && !slices.Contains(values, r.Rarely.Value) {
		r.Reads = slices.DeleteFunc(slices.Clone(r.Reads), func(c plan.Coord) bool { return slices.Contains(r.Rarely.Reads, c) })
	}
	return r
}

// Division says that the product of some coordinates divides a total.
type Division struct {
	Total func(*Facts) int64
	Of    []plan.Coord
	// From is a coordinate and Least the value from which on the rule applies;
	// a rule with Least 0 applies always.
	From  plan.Coord
	Least int32
}

// Product is the product of the division's coordinates at the point.
func (d *Division) Product(p *plan.Point) int64 {
	n := int64(1)
	for _, c := range d.Of {
		n *= int64(p[c])
	}
	return n
}

// Applies reports whether the division is asked for at the point.
func (d *Division) Applies(p *plan.Point) bool { return d.Least == 0 || p[d.From] >= d.Least }

// StageRule is a constraint on how the layers are split over the pipeline. It
// is asked once the split is known.
type StageRule struct {
	ID    string
	Holds func(*Facts, *plan.Plan) bool
	Text  func(*Facts, *plan.Plan) string
}

// Framework is what meshplan knows about one training framework.
type Framework interface {
	// Name is what a user calls the framework: "megatron".
	Name() string
	// Profile names the cost profile that describes its newest version.
	Profile() string
	// Rules are the framework's own rules; those of Shared come on top.
	Rules() []Rule
	// StageRules are its rules on the layer split.
	StageRules() []StageRule
	// Forms are the ways to write down a layer split, the preferred first.
	Forms() []plan.SplitForm
	// Options are the values that a search ranges over of zero, recompute,
	// cp-comm, schedule and the offloads; what is not listed stays at its
	// default, 0. A degree, vpp or sp is listed by a framework that has fewer
	// values of it than the model and the cluster allow.
	Options() map[plan.Coord][]int32
	// Fill completes a plan as the framework itself would. The sentences name
	// the defaults taken. The error is the user's: what was given cannot be
	// completed on this cluster.
	Fill(*Facts, plan.Partial) (plan.Plan, []string, error)
	// RankOrder numbers the plan's ranks: the order of the framework's that gives
	// the plan's placement, else its default.
	RankOrder(*Facts, *plan.Plan) RankOrder
	// PlacementWarning is "" if the framework's own rank order gives the plan's
	// placement, and otherwise a sentence that says where they differ.
	PlacementWarning(*Facts, *plan.Plan) string
}

// HealthyRule is the id of the rule of an irregular cluster.
const HealthyRule = "cluster/healthy"

// Rules are all rules of a job on a framework: the shared ones, that of an
// irregular cluster, the framework's own and the user's pins, in this order. They
// read what matters to a search over the framework's options and the pinned ones.
func Rules(f *Facts, fw Framework, pins []Pin) []Rule {
	rules := Shared()
	if f.Cluster.Irregular() {
		rules = append(rules, healthy(HealthyRule, f.Cluster))
	}
	rules = append(rules, fw.Rules()...)
	for i, r := range rules {
		if r.Rarely != nil {
			rules[i] = r.needed(withPinned(r.Rarely.Option, fw.Options()[r.Rarely.Option], pins))
		}
	}
	return append(rules, PinRules(f, pins)...)
}

// Broken are the rules, implied ones included, that do not hold at the point.
func Broken(f *Facts, rules []Rule, p *plan.Point) []Rule {
	var broken []Rule
	for _, r := range rules {
		if !r.Holds(f, p) {
			broken = append(broken, r)
		}
	}
	return broken
}
