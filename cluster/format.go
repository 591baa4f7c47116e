package cluster

import "meshplan/plan"

// format numbers the precisions a GPU can have a peak rate for.
type format uint8

const (
	bf16 format = iota
	fp16
	tf32
	fp32
	fp8
	fp4
	numFormats
)

// gemmFormats is the number of formats whose GEMMs are modelled: those up to
// fp32. FP8 and FP4 gain far less than their peak rates say (1.1 to 1.5 times
// bf16 when the operands are quantised on the way), so a scaled bf16 table
// would mislead.
const gemmFormats = fp32 + 1

var formatNames = [numFormats]plan.Precision{plan.BF16, plan.FP16, "tf32", "fp32", "fp8", "fp4"}

// elementBytes are the bytes of one element of a GEMM.
var elementBytes = [gemmFormats]float64{bf16: 2, fp16: 2, tf32: 4, fp32: 4}

// gemmFormat is the number of a precision; ok is false where its GEMMs are
// not modelled.
func gemmFormat(p plan.Precision) (f format, ok bool) {
	switch p {
	case plan.BF16:
		return bf16, true
	case plan.FP16:
		return fp16, true
	case "tf32":
		return tf32, true
	case "fp32":
		return fp32, true
	}
	return 0, false
}
