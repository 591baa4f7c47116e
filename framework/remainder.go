package framework

// RemainderFirst spreads layers over chunks when the embedding counts as first
// layers and the output head as last: chunks differ by at most one, and the
// first ones hold the remainder. nil if some chunk between the ends would hold
// none. It is what torchtitan's generate_llm_fqn_per_model_part computes, and
// DeepSpeed's partition_balanced where every layer weighs the same.
func RemainderFirst(layers, chunks, first, last int) []int32 {
	all := layers + first + last
	if chunks < 1 || all < chunks || all/chunks < max(first, last) {
		return nil
	}
	if chunks == 1 {
		return []int32{int32(layers)}
	}
	split := make([]int32, chunks)
	for k := range split {
		split[k] = int32(all / chunks)
		if k < all%chunks {
			split[k]++
		}
	}
	split[0] -= int32(first)
	split[chunks-1] -= int32(last)
	return split
}
