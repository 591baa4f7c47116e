package search

import "slices"

// FormatVersion is the version of the JSON written by this package. It rises
// when a field changes its meaning or goes away, not when one is added.
const FormatVersion = 1

// Status says what a search has proven.
type Status string

// The statuses.
const (
	Optimal    Status = "optimal"    // no better plan exists in the space
	Feasible   Status = "feasible"   // stopped early: the best plan so far, with a gap
	Infeasible Status = "infeasible" // no plan of the space fits, and that is proven
	Unknown    Status = "unknown"    // stopped early with nothing found
)

// Result answers "what is the fastest plan on this cluster?". Its JSON is
// meant for other programs: base units, with the unit in each name.
type Result struct {
	FormatVersion int    `json:"format_version"`
	Status        Status `json:"status"`
	// BoundSeconds is a step time that no plan of the space beats, null when
	// nothing is known; Gap is 1 - bound/step of the best plan, 0 when optimal.
	BoundSeconds *float64 `json:"bound_seconds"`
	Gap          *float64 `json:"gap"`
	Space        Space    `json:"space"`
	Reasons      []Reason `json:"reasons"` // why nothing fits; empty unless infeasible
	// Changes are the smallest of each kind after which a plan fits, without that
	// plan; empty unless infeasible. Why tells more.
	Changes []Change `json:"changes"`
	// Plans are the best plans that fit, best first; where it is proven that none
	// does, the best borderline ones. The verdict of their memory says which: all have
	// the same.
	Plans []PlanResult `json:"plans"`
	// Borderline is a faster plan beside the first of Plans. It is null when
	// there is none, which is proven if the status is optimal.
	Borderline *Borderline `json:"borderline"`
	// Fastest are the best of all plans that are not refused, best first, each
	// with its verdict: those that fit and the borderline ones together, so that the
	// first may be borderline where those of Plans fit.
	Fastest  []Outline `json:"fastest"`
	Warnings []string  `json:"warnings"`
	// Machines are what the list of nodes holds; left out without one.
	Machines *Machines `json:"machines,omitempty"`
	Stats    Stats     `json:"-"`
}

// Explained reports whether what forced each degree of the best plan was sought to the
// end, where it was asked for.
func (r *Result) Explained() bool {
	return len(r.Plans) == 0 || !slices.ContainsFunc(r.Plans[0].Forced, func(f Forced) bool { return f.By == NotProven })
}

// Borderline is the best plan that leaves less of the usable memory free than the
// profile's margin, or exceeds it by no more than the profile's memory may be
// wrong, where it is faster than the best plan that fits.
type Borderline struct {
	// Status is optimal when no borderline plan is faster, else feasible;
	// BoundSeconds and Gap are as in Result, 0 and 1 when nothing is known.
	Status        Status     `json:"status"`
	BoundSeconds  float64    `json:"bound_seconds"`
	Gap           float64    `json:"gap"`
	SavedSeconds  float64    `json:"saved_seconds"`  // of a step, against the best plan that fits
	SavedFraction float64    `json:"saved_fraction"` // the same over that plan's step
	FreeBytes     float64    `json:"free_bytes"`     // usable less reserved, on the tightest stage; below 0 where it takes more
	MarginBytes   float64    `json:"margin_bytes"`   // what a plan that fits leaves free at least
	Text          string     `json:"text"`           // what it means
	Plan          PlanResult `json:"plan"`
	Warnings      []string   `json:"warnings"` // besides those of the result
}

// Outline is a plan in short.
type Outline struct {
	Text              string        `json:"text"`    // canonical text, parses back
	Verdict           string        `json:"verdict"` // fits, borderline
	Degrees           Degrees       `json:"degrees"`
	Options           OptionsResult `json:"options"`
	GPUs              int64         `json:"gpus"`
	StepSeconds       float64       `json:"step_seconds"`
	MFU               float64       `json:"mfu"` // model FLOPs over peak, as a fraction
	PeakReservedBytes float64       `json:"peak_reserved_bytes"`
	UsableBytes       float64       `json:"usable_bytes"`
}

// Space says what a search ranged over.
type Space struct {
	Dimensions []Dimension `json:"dimensions"` // searched degrees and options
	Rules      []string    `json:"rules"`      // ids of the rules that held
	Profile    string      `json:"profile"`
	// RawCombinations counts the combinations of the values of all degrees and
	// options before any rule, placement apart.
	RawCombinations float64 `json:"raw_combinations"`
}

// Dimension is a degree or option and the values it could take.
type Dimension struct {
	Name   string  `json:"name"`
	Values []int32 `json:"values"`
}

// Reason is one member of a set of rules that cannot hold together.
type Reason struct {
	Rule    string             `json:"rule"`
	Text    string             `json:"text"`
	Detail  string             `json:"detail,omitempty"` // what the text comes from
	Numbers map[string]float64 `json:"numbers"`          // figures of the text, unit in the name
}

// PlanResult is one plan with everything that is known about it.
type PlanResult struct {
	Degrees               Degrees          `json:"degrees"`
	Placement             []LevelPlacement `json:"placement"` // innermost level first
	Options               OptionsResult    `json:"options"`
	Text                  string           `json:"text"` // canonical text, parses back
	GPUs                  int64            `json:"gpus"`
	StepSeconds           float64          `json:"step_seconds"`
	TokensPerSecondPerGPU float64          `json:"tokens_per_second_per_gpu"`
	MFU                   float64          `json:"mfu"` // model FLOPs over peak, as a fraction
	HFU                   float64          `json:"hfu"` // with recomputed FLOPs
	Forced                []Forced         `json:"forced,omitempty"`
	Memory                Memory           `json:"memory"`
	Time                  TimeTerm         `json:"time"`
	Traffic               []TrafficRow     `json:"traffic"`
	// Unaligned is set where no aligned placement exists: Placement then counts
	// all levels of the network as one.
	Unaligned *Unaligned `json:"unaligned,omitempty"`
	// RankOrder is how the ranks are numbered, and Hosts which of them each node
	// runs, by its first rank; of the best plan, where the nodes are named.
	RankOrder string `json:"rank_order,omitempty"`
	Hosts     []Host `json:"hosts,omitempty"`
}

// Machines counts the nodes of a list.
type Machines struct {
	Nodes   int `json:"nodes"`
	GPUs    int `json:"gpus"`         // of all nodes, broken ones too
	Healthy int `json:"healthy_gpus"` // that a plan can use
}

// Host is a node that a plan uses.
type Host struct {
	Node  string   `json:"node"`
	In    []string `json:"in,omitempty"` // the domains around it, outermost first
	GPUs  int      `json:"gpus"`         // used
	Ranks string   `json:"ranks"`        // in the order of its GPUs: "0-3,16-19"
}

// Unaligned says how a plan lies on the nodes where its parts cannot lie alike
// in all domains.
type Unaligned struct {
	Complete     bool         `json:"complete"` // the search was not stopped
	Blocks       int          `json:"blocks"`   // parts of the job, each inside one node or scale-up domain
	GPUsPerBlock int          `json:"gpus_per_block"`
	Level        string       `json:"level"` // whose domains groups straddle
	Straddling   []Straddling `json:"straddling"`
}

// Straddling counts the groups of a dimension that have ranks in several
// domains of a level.
type Straddling struct {
	Dimension string `json:"dimension"`
	Groups    int    `json:"groups"` // that have ranks in several blocks
	Straddle  int    `json:"straddle"`
	Least     bool   `json:"least"` // fewer are impossible, and that is proven
}

// Degrees are the sizes of the parallel groups of a plan.
type Degrees struct {
	TP          int32 `json:"tp"`
	CP          int32 `json:"cp"`
	PP          int32 `json:"pp"`
	VPP         int32 `json:"vpp"`
	DP          int32 `json:"dp"` // dp_shard times dp_replicate
	DPShard     int32 `json:"dp_shard"`
	DPReplicate int32 `json:"dp_replicate"`
	EP          int32 `json:"ep"`
	ETP         int32 `json:"etp"`
	EDP         int32 `json:"edp"`
}

// LevelPlacement says which factors of the degrees lie on one level. The
// factors of either grid multiply to Used.
type LevelPlacement struct {
	Level  string        `json:"level"`
	Used   int32         `json:"used"` // sub-domains (GPUs, innermost) used in each domain
	Dense  DenseFactors  `json:"dense"`
	Expert ExpertFactors `json:"expert"`
}

// DenseFactors are the factors of the dense grid on a level.
type DenseFactors struct {
	TP          int32 `json:"tp"`
	CP          int32 `json:"cp"`
	DPShard     int32 `json:"dp_shard"`
	DPReplicate int32 `json:"dp_replicate"`
	DP          int32 `json:"dp"`
	PP          int32 `json:"pp"`
}

// ExpertFactors are the factors of the expert grid on a level.
type ExpertFactors struct {
	ETP int32 `json:"etp"`
	EP  int32 `json:"ep"`
	EDP int32 `json:"edp"`
	PP  int32 `json:"pp"`
}

// OptionsResult are the options of a plan.
type OptionsResult struct {
	SP         bool   `json:"sp"`
	MicroBatch int32  `json:"micro_batch"` // sequences
	Schedule   string `json:"schedule"`
	// LayersPerStage is the run-length text of the layers of each chunk in
	// model order: "10*7,9". SplitForm is the way to write it down.
	LayersPerStage string `json:"layers_per_stage"`
	SplitForm      string `json:"split_form"`
	ZeroStage      int8   `json:"zero_stage"`
	Recompute      string `json:"recompute"`
	// RecomputeLayers is the number of layers recomputed in full, over the
	// whole model.
	RecomputeLayers int `json:"recompute_layers"`
	// RecomputeLayersPerStage is the run-length text of that number for each
	// rank of the pipeline, where each has its own.
	RecomputeLayersPerStage string `json:"recompute_layers_per_stage,omitempty"`
	CPComm                  string `json:"cp_comm"`
	// Offload is what lies in host memory: "none", or for example
	// "optimizer 50 %, activations 25 %".
	Offload                  string `json:"offload"`
	OptimizerOffloadPercent  int8   `json:"optimizer_offload_percent"`
	ActivationOffloadPercent int8   `json:"activation_offload_percent"`
	RecomputeSparePercent    int8   `json:"recompute_spare_percent"`
}

// Memory is the memory of one plan: the peak counts.
type Memory struct {
	PeakAllocatedBytes float64       `json:"peak_allocated_bytes"`
	PeakReservedBytes  float64       `json:"peak_reserved_bytes"`
	UsableBytes        float64       `json:"usable_bytes"`
	Verdict            string        `json:"verdict"` // fits, borderline, does_not_fit
	Stages             []StageMemory `json:"stages"`
}

// StageMemory is the memory of each GPU of one pipeline stage.
type StageMemory struct {
	Stage          int     `json:"stage"`
	Layers         int     `json:"layers"`
	AllocatedBytes float64 `json:"allocated_bytes"`
	ReservedBytes  float64 `json:"reserved_bytes"`
	// PeakWhen is when in a step the stage needs most: "at the loss", "in a
	// layer's backward", "in the optimizer's step".
	PeakWhen string       `json:"peak_when"`
	Terms    []MemoryTerm `json:"terms"`
}

// MemoryTerm is a named part of a stage's memory.
type MemoryTerm struct {
	Name  string       `json:"name"`
	Bytes float64      `json:"bytes"`
	Note  string       `json:"note,omitempty"`
	Terms []MemoryTerm `json:"terms,omitempty"`
}

// TimeTerm is a named part of the step time.
type TimeTerm struct {
	Name    string     `json:"name"`
	Seconds float64    `json:"seconds"`
	Note    string     `json:"note,omitempty"`
	Terms   []TimeTerm `json:"terms,omitempty"`
}

// TrafficRow is one row of the traffic table: what a dimension sends.
type TrafficRow struct {
	Dimension              string       `json:"dimension"`
	Splits                 string       `json:"splits"`
	Collective             string       `json:"collective"`
	When                   string       `json:"when"`
	Placed                 string       `json:"placed"`
	Source                 string       `json:"source"` // measured curve or closed form
	PerLevel               []LevelBytes `json:"per_level"`
	Seconds                float64      `json:"seconds"`
	ExposedSeconds         float64      `json:"exposed_seconds"`
	SecondsPer10PctBW      float64      `json:"seconds_per_10pct_bandwidth"`
	SecondsPer10PctLatency float64      `json:"seconds_per_10pct_latency"`
}

// LevelBytes is the traffic of one GPU and step on one level.
type LevelBytes struct {
	Level string  `json:"level"`
	Bytes float64 `json:"bytes"`
}

// Forced says why a degree of the best plan is above 1.
type Forced struct {
	Degree string   `json:"degree"`
	Value  int32    `json:"value"`
	By     string   `json:"by"`     // one of the By constants, or the id of the rule
	Factor *float64 `json:"factor"` // least step time below over the best; null unless ByTime
	Text   string   `json:"text"`
}

// What can force a degree, besides a rule.
const (
	ByMemory  = "does not fit"
	ByTime    = "takes too long"
	NotProven = "not proven"
)

// Stats counts the work of a search. It depends on the machine and is not
// part of the result's JSON.
type Stats struct {
	Seconds float64 `json:"seconds"`
	Nodes   int64   `json:"nodes"`   // values tried by the walks
	Bounds  int64   `json:"bounds"`  // boxes bounded
	Priced  int64   `json:"priced"`  // plans priced
	Nogoods int64   `json:"nogoods"` // clauses learnt from memory
}

// Explanation is one given plan with everything that is known about it and
// the rules it keeps or breaks.
type Explanation struct {
	FormatVersion int `json:"format_version"`
	PlanResult
	// Unpriced says why the plan cannot be built, and so has no price: its figures are
	// null in the JSON. It is left out of a plan that has one.
	Unpriced  string      `json:"unpriced,omitempty"`
	Rules     []RuleCheck `json:"rules"`
	Warnings  []string    `json:"warnings"`
	Timetable *Timetable  `json:"timetable,omitempty"` // if asked for
}

// RuleCheck is one rule asked of one plan.
type RuleCheck struct {
	Rule  string `json:"rule"`
	Holds bool   `json:"holds"`
	Text  string `json:"text"` // the rule's sentence, with numbers
}
