// Package plan defines what meshplan decides: the degrees of every parallel
// dimension, their placement on the levels of the network and the options of a
// training step, as plain comparable values that know nothing about how they
// are found or priced.
//
// A plan has a canonical text that parses back:
//
//	p, err := plan.Parse("tp=8,pp=16,dp=128,micro-batch=1")
//	fmt.Println(p.Plan)
package plan

// Dim is a parallel dimension that is placed on the network. TP, CP, DPShard,
// DPReplicate and PP factor the dense grid; ETP, EP, EDP and PP the expert
// grid over the same ranks.
type Dim uint8

// The dimensions, in coordinate order.
const (
	TP          Dim = iota // tensor parallel
	CP                     // context parallel
	DPShard                // data parallel ranks that share one copy of what the ZeRO stage shards
	DPReplicate            // data parallel ranks that hold copies of it
	PP                     // pipeline parallel, in both grids
	ETP                    // tensor parallel of experts
	EP                     // expert parallel
	EDP                    // data parallel of experts
	NumDims
)

// DenseDims and ExpertDims are the two factorisations of the GPUs used on a
// level.
var (
	DenseDims  = [...]Dim{TP, CP, DPShard, DPReplicate, PP}
	ExpertDims = [...]Dim{ETP, EP, EDP, PP}
)

var dimNames = [NumDims]string{"tp", "cp", "dp_shard", "dp_replicate", "pp", "etp", "ep", "edp"}

// String is the field's name of the dimension: "tp", "dp_shard".
func (d Dim) String() string { return dimNames[d] }

// MaxLevels is the deepest network hierarchy a plan can be placed on.
const MaxLevels = 6

// Recompute says which activations are computed again in the backward pass.
type Recompute uint8

// The kinds of recompute, by rising amount of work.
const (
	RecomputeNone      Recompute = iota
	RecomputeSelective           // the attention core only
	RecomputeOps                 // element-wise kernels and every other GEMM
	RecomputeMLP                 // the MLP or the experts
	RecomputeFull                // every layer from its input
	NumRecompute
)

var recomputeNames = [NumRecompute]string{"none", "selective", "ops", "mlp", "full"}

// String is "none", "selective", "ops", "mlp" or "full".
func (r Recompute) String() string { return recomputeNames[r] }

// CPComm is how context-parallel ranks reach each other's keys and values.
type CPComm uint8

// The kinds of context-parallel communication.
const (
	CPRing         CPComm = iota // keys and values go round a ring, each step behind a part of the core
	CPAllGather                  // keys and values are gathered
	CPAllToAll                   // heads are exchanged for tokens around the core (Ulysses)
	CPHierarchical               // heads for tokens inside a domain of the innermost level, a ring between domains
	NumCPComm
)

var cpCommNames = [NumCPComm]string{"p2p", "allgather", "a2a", "a2a+p2p"}

// String is "p2p", "allgather", "a2a" or "a2a+p2p".
func (c CPComm) String() string { return cpCommNames[c] }

// SplitForm is a way in which a framework can write down how many layers each
// pipeline stage holds.
type SplitForm uint8

// The forms, in the order in which a framework's default prefers them.
const (
	SplitEven      SplitForm = iota // layers divide evenly over the chunks
	SplitEmbedLoss                  // embedding and/or loss count as a layer
	SplitFirstLast                  // the first and last stage hold a number of their own
	SplitLayout                     // an explicit list
	NumSplitForms
)

var formNames = [NumSplitForms]string{"even", "embedding-loss", "first-last", "layout"}

// String is the form's name: "even", "embedding-loss", "first-last", "layout".
func (f SplitForm) String() string { return formNames[f] }

// Stages says how many layers each chunk of the pipeline holds, in model
// order (chunk k runs on rank k mod pp, or as a folded schedule places it). Text is the canonical run-length
// form of RunLength: "10*7+9" is seven chunks of ten layers and one of nine.
//
// Recompute says how many layers of each rank are recomputed, in the same form,
// where each rank recomputes a number of its own: the first of its layers. It is
// "" elsewhere, and until the number is chosen.
type Stages struct {
	Form      SplitForm
	Text      string
	Recompute string
}

// SpareFitting is the value of RecomputeSpare that leaves each rank a number of its
// own: the most layers that its memory lets recompute spare.
const SpareFitting = 101

// The ZeRO stages: what the ranks of dp_shard and cp share (arXiv 1910.02054).
const (
	ZeroNone      = iota // nothing: plain data parallel
	ZeroOptimizer        // optimizer state
	ZeroGradients        // and gradients; FSDP without reshard after forward
	ZeroWeights          // and weights, gathered for forward and again for backward
	NumZero
)

// Options are the choices of a plan that are not placed on the network.
type Options struct {
	SP         bool      // sequence parallel along with TP
	MicroBatch int32     // sequences per micro-batch and data-parallel rank
	VPP        int32     // chunks of layers per pipeline rank
	Schedule   Schedule  // order of a rank's operations
	ZeroStage  int8      // see the constants
	Recompute  Recompute // what is computed again in backward
	CPComm     CPComm    // of context parallelism
	Stages     Stages    // layers per chunk; the zero value means "not split yet"

	OptimizerOffload  int8 // percent of the optimizer state in host memory, stepped there
	ActivationOffload int8 // percent of the kept activations in host memory
	RecomputeSpare    int8 // percent of each stage's layers, on the mean, that recompute spares, or SpareFitting
}

// Placement holds, for each dimension and level (innermost first), the factor
// of the dimension's degree that lies on that level: the degree is the product
// of its factors. Factors are at least 1; levels the cluster lacks are 1.
type Placement struct {
	Levels int8
	Factor [NumDims][MaxLevels]int32
}

// Degree is the product of the dimension's factors: its number of ranks.
func (p *Placement) Degree(d Dim) int32 { return p.Cumulative(d, MaxLevels-1) }

// Cumulative is the number of ranks of one group of the dimension inside a
// domain of the level.
func (p *Placement) Cumulative(d Dim, level int) int32 {
	n := int32(1)
	for l := 0; l <= level; l++ {
		n *= max(1, p.Factor[d][l])
	}
	return n
}

// Used is the number of sub-domains (GPUs, on level 0) that the plan uses in
// each domain of the level.
func (p *Placement) Used(level int) int32 {
	n := int32(1)
	for _, d := range DenseDims {
		n *= max(1, p.Factor[d][level])
	}
	return n
}

// GPUs is the number of GPUs the plan uses.
func (p *Placement) GPUs() int64 {
	n := int64(1)
	for _, d := range DenseDims {
		n *= int64(p.Degree(d))
	}
	return n
}

// Plan is one complete choice. It is comparable with ==.
type Plan struct {
	Placement Placement
	Options   Options
}

// DP is the whole data-parallel degree, dp_shard times dp_replicate.
func (p *Plan) DP() int32 {
	return p.Placement.Degree(DPShard) * p.Placement.Degree(DPReplicate)
}
