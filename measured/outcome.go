package measured

import (
	"strings"

	"meshplan/strict"
)

// reading is how a figure of memory was read.
type reading string

const (
	allocated reading = "allocated"  // the allocator's peak
	reserved  reading = "reserved"   // what the allocator took from the device
	device    reading = "nvidia-smi" // what the device gave to the process
)

// result is what was measured, in base units; a zero is not measured.
type result struct {
	step      float64 // seconds
	tokens    float64 // per second and GPU
	flops     float64 // per second and GPU, as printed
	memory    float64 // bytes
	read      reading
	readGuess bool // the row does not say how memory was read
	ran, oom  bool
}

const (
	gib  = 1 << 30
	tera = 1e12
)

// resultOf reads the measured half of a row.
func resultOf(o *outcome, kind Kind) (result, *skip) {
	if kind == Memory {
		return readingOf(o)
	}
	var r result
	for _, f := range []struct {
		to    *float64
		from  outcomeColumn
		scale float64
	}{{&r.step, colStep, 1}, {&r.tokens, colTokens, 1}, {&r.flops, colTFLOPs, tera}, {&r.memory, colPeak, gib}} {
		v, skip := o.positive(f.from)
		if skip != nil {
			return r, skip
		}
		*f.to = v * f.scale
	}
	if skip := r.label(o[colOOM]); skip != nil {
		return r, skip
	}
	return r, r.readAs(o[colMemoryKind])
}

// label reads whether the run ran.
func (r *result) label(cell string) *skip {
	timed := r.step > 0 || r.tokens > 0
	switch strings.ToLower(cell) {
	case "0", "no", "false":
		r.ran = true
	case "1", "yes", "true":
		if timed {
			return skipped(Contradiction, "oom is 1, but a step was timed")
		}
		r.oom = true
	case "":
		if r.ran = timed || r.flops > 0 || r.memory > 0; !r.ran {
			return skipped(NoOutcome, "nothing was measured")
		}
	case "fail":
		return skipped(NoOutcome, "the run failed, and the source does not say why")
	default:
		return skipped(NoOutcome, "oom %q: want 0, 1 or fail", strict.Clip(cell, 40))
	}
	return nil
}

// readAs reads how memory was read. Where the row does not say, it is taken
// for what the allocator reserved.
func (r *result) readAs(cell string) *skip {
	if r.memory == 0 {
		return nil
	}
	switch strings.ToLower(cell) {
	case "allocated":
		r.read = allocated
	case "reserved":
		r.read = reserved
	case "nvidia-smi", "device":
		r.read = device
	case "":
		r.read, r.readGuess = reserved, true
	default:
		return skipped(NoOutcome, "mem_kind %q: want allocated, reserved or nvidia-smi", strict.Clip(cell, 40))
	}
	return nil
}

// readingOf reads the measured half of a row of a memory table: one quantity
// and its value.
func readingOf(o *outcome) (result, *skip) {
	quantity := strings.ToLower(o[colQuantity])
	v, skip := o.positive(colValue)
	if label := quantity == "oom" || quantity == "fits"; skip != nil && !(label && o[colValue] == "0") {
		return result{}, skip
	}
	switch {
	case o[colValue] == "":
		return result{}, skipped(NoOutcome, "nothing was measured")
	case quantity == "oom":
		return result{oom: v > 0, ran: v == 0}, nil
	case quantity == "fits":
		return result{oom: v == 0, ran: v > 0}, nil
	case quantity == "peak_gib":
		return result{ran: true, memory: v * gib, read: allocated}, nil
	case quantity == "reserved_gib":
		return result{ran: true, memory: v * gib, read: reserved}, nil
	}
	return result{}, skipped(NoOutcome, "quantity %q is not the peak memory of a run: want peak_gib, reserved_gib, oom or fits", strict.Clip(quantity, 40))
}
