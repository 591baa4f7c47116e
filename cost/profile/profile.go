// Package profile describes how one training framework behaves: the bytes it
// keeps per parameter and activation, what it overlaps, the traffic of its
// kernels. A profile is a TOML file in which every constant carries its source.
//
//	p, err := profile.Find("megatron")
//	r, err := p.Recipe("bf16-bf16grad")
//	fmt.Println(r.State(70e9, 1)) // 1.019 TiB
package profile

import (
	"fmt"

	"meshplan/plan"
	"meshplan/strict"
	"meshplan/units"
)

// Constant is a number with the place it comes from. Assumed marks a value
// nobody printed or measured: results list it as a warning.
type Constant struct {
	Value   float64 `toml:"value"`
	Source  string  `toml:"source"`
	Assumed bool    `toml:"assumed"`
	// Prior, Low and High mark a constant that may be fitted to measured runs:
	// what it is before any is seen, and between which values it stays, read as
	// the middle and the two ends of 95 % of a log-normal distribution. Where they
	// are not given the constant is never fitted.
	Prior float64 `toml:"prior"`
	Low   float64 `toml:"low"`
	High  float64 `toml:"high"`
}

// Free reports whether the constant may be fitted.
func (c Constant) Free() bool { return c.High > 0 }

// unfitted is the constant as it was before any run was seen.
func (c Constant) unfitted() Constant {
	if c.Prior > 0 {
		c.Value = c.Prior
	}
	return c
}

// Recipe is the number of bytes that mixed-precision training keeps for each
// parameter, before activations.
type Recipe struct {
	Name      string  `toml:"name"`
	Weight    float64 `toml:"weight"`    // bytes of the weight used in the GEMMs
	Grad      float64 `toml:"grad"`      // bytes of the accumulated gradient
	Optimizer float64 `toml:"optimizer"` // bytes of master weight and moments
	// Cast says that the weights of the GEMMs are cast from the master weights
	// whenever they are gathered: where weights are sharded, no copy of them is
	// kept.
	Cast bool `toml:"cast"`
	// NewtonSchulz is the iterations by which Muon orthogonalises each matrix in
	// every step, three GEMMs each; 0 for other optimizers.
	NewtonSchulz float64 `toml:"newton_schulz"`
	Source       string  `toml:"source"`
}

// PerParameter is the recipe's bytes per parameter without any sharding.
func (r Recipe) PerParameter() float64 { return r.Weight + r.Grad + r.Optimizer }

// Stepped is the bytes of the weight that the optimizer steps: the FP32 master
// where the GEMMs' weight is cast from it, otherwise the weight itself.
func (r Recipe) Stepped() float64 {
	if r.Cast {
		return 4
	}
	return r.Weight
}

// Bytes says in words what the recipe keeps per parameter: "18 B a parameter".
func (r Recipe) Bytes() string {
	if r.Cast {
		return fmt.Sprintf("%g B a parameter, and %g B where weights are whole", r.Grad+r.Optimizer, r.Weight)
	}
	return fmt.Sprintf("%g B a parameter", r.PerParameter())
}

// State is the memory of the parameters' weights, gradients and optimizer
// state on one GPU when the optimizer state is divided over a group of the
// given size (1 = plain data parallel): params x (weight + grad + optimizer /
// group), the accounting of the distributed optimizer (ZeRO stage 1).
func (r Recipe) State(params, group float64) units.Bytes {
	return units.Bytes(float64(params*(r.Weight+r.Grad)) + params*r.Optimizer/group)
}

// Profile is the behaviour of one framework. Constants are in base units.
type Profile struct {
	Name          string         `toml:"name"`
	Base          string         `toml:"base"` // profile of the catalogue from which everything comes that is not set here
	Version       string         `toml:"version"`
	About         string         `toml:"about"`
	Frameworks    []string       `toml:"frameworks"` // whose plans it prices, by meshplan's names
	Precision     plan.Precision `toml:"precision"`
	DefaultRecipe string         `toml:"default_recipe"`
	Recipes       []Recipe       `toml:"recipe"`
	Rates         []Rate         `toml:"rate"`
	Services      []Service      `toml:"service"` // the measured runs that it stands for
	Variants      []Variant      `toml:"variant"`
	// Calibrated says, in words, which runs the free constants were fitted to; ""
	// where none were.
	Calibrated string `toml:"calibrated"`
	Memory     Memory `toml:"memory"`
	Time       Time   `toml:"time"`
}

// Memory holds the constants of the memory account. Bytes per element are of
// what is kept for the backward pass, per token.
type Memory struct {
	Flash          bool     `toml:"flash_attention"`    // no s x s scores are kept
	Dropout        bool     `toml:"dropout"`            // masks of hidden dropout are kept
	DummyWgrad     bool     `toml:"dummy_wgrad"`        // one bf16 weight gradient per distinct linear shape is allocated
	NormBytes      Constant `toml:"norm_bytes"`         // per hidden element: inputs and outputs of a layer's two RMS norms
	LayerNormBytes Constant `toml:"layer_norm_bytes"`   // the same of a layer with layer norms
	HeadBytes      Constant `toml:"attention_bytes"`    // per element of q, k, v and the attention output
	FlashStats     Constant `toml:"flash_stats_bytes"`  // per head
	ScoreBytes     Constant `toml:"score_bytes"`        // per attention score when scores are kept
	GatedBytes     Constant `toml:"gated_mlp_bytes"`    // per ffn element, gated MLP
	PlainBytes     Constant `toml:"plain_mlp_bytes"`    // per ffn element, MLP without a gate
	RouterBytes    Constant `toml:"router_bytes"`       // per expert
	RoutedBytes    Constant `toml:"routed_bytes"`       // per hidden element and routed copy of a token
	CheckpointSize Constant `toml:"checkpoint_bytes"`   // per hidden element: a layer's input under full recompute
	LogitBytes     Constant `toml:"logit_bytes"`        // per logit on the last stage
	HeadNormBytes  Constant `toml:"head_norm_bytes"`    // per hidden element: final norm and input of the head
	BackwardFFN    Constant `toml:"backward_ffn_bytes"` // per ffn element: transient of one layer's backward
	GatherBytes    Constant `toml:"gather_bytes"`       // per hidden element: gathered input under sequence parallelism
	FP8Input       Constant `toml:"fp8_input_bytes"`    // in fp8, per element of a linear's input that is kept
	VocabMultiple  Constant `toml:"vocab_multiple"`     // vocabulary is padded to this times tp
	Reserved       Constant `toml:"reserved_ratio"`     // reserved over allocated bytes
	Context        Constant `toml:"context_bytes"`      // CUDA context and libraries, outside the allocator
	Communicator   Constant `toml:"communicator_bytes"` // per process group, outside the allocator
	Margin         Constant `toml:"fit_margin"`         // share of usable memory that "fits" leaves free
	Refuse         Constant `toml:"refuse_margin"`      // share of usable memory by which a plan must exceed it to be refused
	Fixed          Constant `toml:"fixed_bytes"`        // workspaces and buffers on every rank, whatever the plan
	Undivided      Constant `toml:"undivided_bytes"`    // per hidden element: what sequence parallelism does not divide of a layer
	GatheredUnits  Constant `toml:"gathered_units"`     // layers whose sharded weights are whole at a time: the current one and those prefetched
	UnitGradBytes  Constant `toml:"unit_grad_bytes"`    // per parameter of those layers: gradients before they are reduced
	BucketBytes    Constant `toml:"bucket_bytes"`       // buffers of the sharded optimizer's collectives, whatever the model
	StepCopies     Constant `toml:"step_copies"`        // temporaries of the optimizer's step, in copies of the weights it steps
	OffloadGrads   bool     `toml:"offload_gradients"`  // gradients go to the host with the optimizer state
	WholeLogits    bool     `toml:"whole_logits"`       // every tensor-parallel rank holds all logits
	RootUnit       bool     `toml:"root_unit"`          // embedding and head are one unit, whole throughout the step
	GradsFreed     bool     `toml:"grads_freed"`        // gradients are freed after the step: its first backward begins without any
	PipelineHolds  bool     `toml:"pipeline_holds"`     // with pp above 1 gradients stay whole until the last micro-batch
}

// Time holds the constants of the time account. Kernel traffic is in bytes
// per token and element, forward pass.
type Time struct {
	TrafficHidden    Constant `toml:"traffic_hidden_bytes"`     // per hidden element: norms, residuals, dropout; divided by tp under SP only
	TrafficHead      Constant `toml:"traffic_head_bytes"`       // per element of q and the attention output
	TrafficKV        Constant `toml:"traffic_kv_bytes"`         // per element of k (v the same)
	TrafficFFN       Constant `toml:"traffic_ffn_bytes"`        // per ffn element: activation function
	TrafficRouted    Constant `toml:"traffic_routed_bytes"`     // per hidden element and routed copy: permute and combine
	TrafficScore     Constant `toml:"traffic_score_bytes"`      // per attention score, unfused attention only
	TrafficLogit     Constant `toml:"traffic_logit_bytes"`      // per logit, forward and backward together
	TrafficBackward  Constant `toml:"traffic_backward"`         // backward over forward traffic of element-wise kernels
	GEMMBackward     Constant `toml:"gemm_backward"`            // backward over forward time of GEMMs
	GEMMSlowdown     Constant `toml:"gemm_slowdown"`            // time of GEMMs in a job over that of the same kernels alone
	Misaligned       Constant `toml:"misaligned_slowdown"`      // the same for each side of a rank's matrix that is no multiple of 128, on top
	GroupedSlowdown  Constant `toml:"grouped_gemm_slowdown"`    // the same of the experts' grouped GEMMs, on top
	FP8Share         Constant `toml:"fp8_gemm_share"`           // share of bf16's efficiency that fp8 GEMMs reach of their own peak
	QuantiseTensor   Constant `toml:"fp8_quantise_bytes"`       // per element of an operand: one scale per tensor
	QuantiseBlock    Constant `toml:"fp8_block_quantise_bytes"` // the same, one scale per block
	QuantiseMX       Constant `toml:"mxfp8_quantise_bytes"`     // the same, mxfp8
	QuantiseFP4      Constant `toml:"nvfp4_quantise_bytes"`     // the same, nvfp4
	AttnBackward     Constant `toml:"attention_backward"`       // backward over forward time of the attention core
	AttnSlowdown     Constant `toml:"attention_slowdown"`       // time of the attention core over that of the kernels measured on the GPU
	TrafficRing      Constant `toml:"traffic_ring_bytes"`       // per element of the attention output and ring step: merging partial outputs
	Accumulate       Constant `toml:"grad_accumulate_bytes"`    // per parameter and micro-batch: adding the weight gradient to the accumulated one
	AccumulateFused  bool     `toml:"grad_accumulate_fused"`    // in the weight-gradient GEMM's own epilogue
	OptimizerBytes   Constant `toml:"optimizer_traffic_bytes"`  // per local parameter of the optimizer shard
	HostLayer        Constant `toml:"host_layer_seconds"`       // host time to launch one layer, forward and backward; a floor
	HostMoE          Constant `toml:"host_moe_layer_seconds"`   // the same of a layer with experts
	HostWideTP       Constant `toml:"host_wide_tp_seconds"`     // what each tp rank adds to the floor where tp leaves a domain
	HostPipelineTP   Constant `toml:"host_pipeline_tp_seconds"` // what each of several tp ranks adds to it where the pipeline leaves a domain
	Jitter           Constant `toml:"jitter"`                   // share by which a step is longer for each doubling of the GPUs beyond 8
	StepSeconds      Constant `toml:"step_seconds"`             // fixed time per step
	Anchor           Constant `toml:"anchor"`                   // measured over predicted time of the runs that the profile was anchored to
	TPExposed        Constant `toml:"tp_exposed"`               // share of tensor-parallel communication not hidden, under sequence parallelism inside a domain; else all is exposed
	TPSlowdown       Constant `toml:"tp_slowdown"`              // its time over that of the collectives alone
	TPWideSlowdown   Constant `toml:"tp_wide_slowdown"`         // the same where tp leaves a domain, on top
	RingExposed      Constant `toml:"ring_exposed"`             // share of the context-parallel ring not hidden, on top of what exceeds the attention
	EPExposed        Constant `toml:"ep_exposed"`               // share of expert all-to-all not hidden
	P2PExposed       Constant `toml:"p2p_exposed"`              // share of stage-to-stage transfers not hidden under 1F1B
	P2PInterleaved   Constant `toml:"p2p_exposed_interleaved"`  // the same when interleaved
	GradOverlap      Constant `toml:"grad_overlap"`             // share of one backward that can hide the gradient reduction
	ParamOverlap     Constant `toml:"param_overlap"`            // share of one forward that can hide the parameter all-gather
	Imbalance        Constant `toml:"context_imbalance"`        // how uneven the causal mask is among context-parallel ranks: 0 even, 1 as whole parts of the sequence make it
	OnceExposed      Constant `toml:"once_exposed"`             // share of the once-a-step communication that nothing hides
	ShardRank        Constant `toml:"shard_rank_seconds"`       // per further rank of the group and step, where gradients are reduced once a step into shards
	ReduceRank       Constant `toml:"reduce_rank_seconds"`      // the same where nothing is sharded
	GradComm         Constant `toml:"grad_comm_bytes"`          // per parameter, gradient reduction
	ParamComm        Constant `toml:"param_comm_bytes"`         // per parameter, all-gather of sharded weights
	BucketParameters Constant `toml:"bucket_parameters"`        // least parameters of a gradient bucket
	BucketPerRank    Constant `toml:"bucket_per_rank"`          // parameters of a bucket per data-parallel rank
	UnitOverlap      Constant `toml:"unit_overlap"`             // share of a layer's time that can hide its own gathers and reductions
	UnitExposed      Constant `toml:"unit_exposed"`             // share of those that nothing hides
	DistinctCopies   bool     `toml:"distinct_copies"`          // a token goes once to each rank, and once into each domain, that holds some of its experts
	GatherEach       bool     `toml:"gather_each_forward"`      // weights that are kept after forward are gathered in each micro-batch, not once a step
	HostOptimizer    Constant `toml:"host_optimizer_seconds"`   // per parameter and node: an optimizer step in host memory
}

// Recipe returns the recipe of that name, or the default for "".
func (p *Profile) Recipe(name string) (Recipe, error) {
	if name == "" {
		name = p.DefaultRecipe
	}
	known := make([]string, 0, len(p.Recipes))
	for _, r := range p.Recipes {
		if r.Name == name {
			return r, nil
		}
		known = append(known, r.Name)
	}
	return Recipe{}, fmt.Errorf("profile %s has no recipe %q%s", strict.Clip(p.Name, 60), strict.Clip(name, 60), strict.Suggest(name, known, 3, nil))
}
