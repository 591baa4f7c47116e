package plan

// Precision is the number format of weights and activations in the GEMMs; of the
// fp8 and fp4 kinds, in those of the transformer layers.
type Precision string

// The precisions of training.
const (
	BF16 Precision = "bf16"
	FP16 Precision = "fp16"

	FP8      Precision = "fp8"           // one scale per tensor, of its current values
	FP8Block Precision = "fp8-blockwise" // one scale per 128 elements of an activation, 128 x 128 of a weight
	MXFP8    Precision = "mxfp8"         // one scale per 32 elements, applied by the hardware
	NVFP4    Precision = "nvfp4"         // 4 bits, one scale per 16 elements and one per tensor
)

// Precisions lists them.
func Precisions() []Precision { return []Precision{BF16, FP16, FP8, FP8Block, MXFP8, NVFP4} }

// Workload is the training job to be planned.
type Workload struct {
	GlobalBatch int64     // sequences per optimizer step
	SeqLen      int64     // tokens per sequence
	Precision   Precision // of the GEMMs
	Recipe      string    // entry of the profile's table of bytes per parameter; "" = its default
	// LoadFactor is the load of the busiest expert rank against the mean; 1 is
	// perfectly balanced routing.
	LoadFactor float64
	// MTP is the number of multi-token-prediction layers that are trained behind
	// the last layer.
	MTP int
}

// TokensPerStep is the number of tokens of one optimizer step.
func (w *Workload) TokensPerStep() float64 { return float64(w.GlobalBatch) * float64(w.SeqLen) }

// MaxTokensPerStep bounds the workloads that are accepted: beyond it a batch
// is a typing error rather than a job.
const MaxTokensPerStep = 1e12

// Defaults of a workload that a job may leave out.
const (
	DefaultPrecision  = BF16
	DefaultLoadFactor = 1.0
)
