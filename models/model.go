// Package models describes the language models that meshplan plans: their
// shape, the exact number of parameters that follows from it, and the work of
// a token. A model comes from the embedded catalogue, from a TOML file of the
// same format, or from a Hugging Face config.json:
//
//	m, err := models.Load("llama-3.1-70b") // or "my.toml", "./config.json"
//	fmt.Println(m.Total())                 // 70553706496
package models

// Kind says which of the model's two layer kinds a layer is.
type Kind uint8

// The layer kinds.
const (
	Dense Kind = iota // attention and a dense MLP
	MoE               // attention and routed (and shared) experts
	NumKinds
)

// String is "dense" or "moe".
func (k Kind) String() string { return [...]string{"dense", "moe"}[k] }

// Model is the shape of one decoder-only transformer. The toml tags are the
// keys of a model file. Sizes are counts of elements; a zero means that the
// model has no such part. SetDefaults fills what a shape may leave out and
// Validate checks the result.
type Model struct {
	Name    string   `toml:"name"`
	Aliases []string `toml:"aliases,omitempty"`
	Family  string   `toml:"family,omitempty"`
	Source  string   `toml:"source,omitempty"` // where the shape was read
	Notes   string   `toml:"notes,omitempty"`  // what is unusual about it

	Layers        int      `toml:"layers"`
	Hidden        int      `toml:"hidden"`
	Heads         int      `toml:"heads"`           // query heads
	KVHeads       int      `toml:"kv_heads"`        // key and value heads; fewer than Heads is GQA
	HeadDim       int      `toml:"head_dim"`        // per head; need not be Hidden/Heads
	FFN           int      `toml:"ffn,omitzero"`    // width of a dense layer's MLP
	Vocab         int      `toml:"vocab"`           // not padded
	TieEmbeddings bool     `toml:"tie_embeddings"`  // the head is the embedding matrix
	GatedMLP      bool     `toml:"gated_mlp"`       // three matrices (SwiGLU, GeGLU) instead of two
	MLPBias       bool     `toml:"mlp_bias"`        // biases in the MLP, or in the experts
	AttnBias      Bias     `toml:"attn_bias"`       // biases of the attention projections
	QKNorm        QKNorm   `toml:"qk_norm"`         // norms on queries and keys
	Norm          Norm     `toml:"norm"`            // kind of the layer norms
	NormsPerLayer int      `toml:"norms_per_layer"` // 2, 1 shared by parallel blocks, 4 with norms behind the blocks too
	PosEmbed      PosEmbed `toml:"pos_embed"`       // how positions enter
	MaxPos        int      `toml:"max_pos,omitzero"`
	PosOffset     int      `toml:"pos_offset,omitzero"`  // learned positions before the first token's (OPT: 2)
	EmbedNorm     bool     `toml:"embed_norm,omitempty"` // a norm behind the embedding (BLOOM)
	HeadBias      bool     `toml:"head_bias,omitempty"`  // one bias a token in the output head (GPT-J, Phi-2)
	Parallel      bool     `toml:"parallel,omitempty"`   // attention and MLP side by side on one input, not in a row
	Sinks         bool     `toml:"sinks,omitempty"`      // one learned attention sink a head

	Experts       int  `toml:"experts,omitzero"` // routed experts of an MoE layer; 0 = dense model
	TopK          int  `toml:"top_k,omitzero"`   // routed experts a token uses
	MoEFFN        int  `toml:"moe_ffn,omitzero"` // width of one routed expert
	SharedExperts int  `toml:"shared_experts,omitzero"`
	SharedFFN     int  `toml:"shared_ffn,omitzero"`    // width of all shared experts together
	FirstKDense   int  `toml:"first_k_dense,omitzero"` // leading dense layers
	MoEEvery      int  `toml:"moe_every,omitzero"`     // from there every n-th layer is MoE
	RouterBias    bool `toml:"router_bias,omitempty"`  // one bias an expert in the router
	SharedGate    bool `toml:"shared_gate,omitempty"`  // a gate of one output on the shared experts (Qwen2-MoE)

	QLoraRank  int `toml:"q_lora_rank,omitzero"`  // MLA: width of the query latent; 0 = plain projection
	KVLoraRank int `toml:"kv_lora_rank,omitzero"` // MLA: width of the key-value latent; 0 = no MLA
	QKNopeDim  int `toml:"qk_nope_dim,omitzero"`  // MLA: part of a head without rotary embedding
	QKRopeDim  int `toml:"qk_rope_dim,omitzero"`  // MLA: part of a head with it
	VDim       int `toml:"v_dim,omitzero"`        // MLA: value width of a head

	Window      int     `toml:"window,omitzero"` // attention window in tokens; 0 = all layers full
	AttnPattern Pattern `toml:"attn_pattern"`    // which layers have the window
	MTPLayers   int     `toml:"mtp_layers,omitzero"`

	// VisionParams is the parameters of the vision encoder and its projector
	// that stand beside the language model; they are in none of its counts.
	VisionParams int64 `toml:"vision_params,omitzero"`
}

// Bias says which attention projections have a bias.
type Bias string

// The attention biases.
const (
	BiasNone Bias = "none"
	BiasQKV  Bias = "qkv"
	BiasQKVO Bias = "qkvo"
)

// QKNorm says whether queries and keys are normalised with learned weights.
type QKNorm string

// The query-key norms.
const (
	QKNormNone  QKNorm = "none"
	QKNormHead  QKNorm = "head"  // one weight vector of a head's size for q and one for k
	QKNormLayer QKNorm = "layer" // one weight vector over all heads for q and one for k
)

// Norm is the kind of a layer norm.
type Norm string

// The layer norms.
const (
	RMSNorm         Norm = "rmsnorm"          // weight
	LayerNorm       Norm = "layernorm"        // weight and bias
	LayerNorm1P     Norm = "layernorm1p"      // weight (stored minus one) and bias
	LayerNormNoBias Norm = "layernorm-nobias" // weight
)

// PosEmbed is how positions enter the model.
type PosEmbed string

// The position embeddings.
const (
	Rope    PosEmbed = "rope"
	Learned PosEmbed = "learned" // MaxPos x Hidden parameters
	Alibi   PosEmbed = "alibi"
)

// Pattern says which layers see the attention window only: "full" (none),
// "sliding" (all), or "n:1" (n windowed layers, then a full one, repeated).
// A window that is a chunk (Llama 4) counts as a sliding one.
type Pattern string

// The patterns that are words.
const (
	PatternFull    Pattern = "full"
	PatternSliding Pattern = "sliding"
)

// MLA reports whether attention is multi-head latent attention (DeepSeek).
func (m *Model) MLA() bool { return m.KVLoraRank > 0 }

// QKDim is the width of one head's query and key.
func (m *Model) QKDim() int {
	if m.MLA() {
		return m.QKNopeDim + m.QKRopeDim
	}
	return m.HeadDim
}

// VHeadDim is the width of one head's value.
func (m *Model) VHeadDim() int {
	if m.MLA() {
		return m.VDim
	}
	return m.HeadDim
}

// Clone is a copy that shares nothing with m.
func (m *Model) Clone() *Model {
	c := *m
	c.Aliases = append([]string(nil), m.Aliases...)
	return &c
}
