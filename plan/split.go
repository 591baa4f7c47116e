package plan

// MaxEmptyChunks is how many chunks of a pipeline may hold no layer: the first
// one may hold the embedding alone and the last one the output head alone.
const MaxEmptyChunks = 2

// Expresses reports whether the form can write down the layers of each chunk,
// given in model order: chunk k runs on rank k mod pp. There must be pp*vpp
// chunks.
func (f SplitForm) Expresses(layers []int32, pp, vpp int) bool {
	if pp < 1 || vpp < 1 || len(layers) != pp*vpp || !wellFormed(layers) {
		return false
	}
	switch f {
	case SplitEven:
		return layers[0] > 0 && uniform(layers)
	case SplitEmbedLoss:
		return countsEnds(layers)
	case SplitFirstLast:
		return ranksAlike(layers, pp)
	case SplitLayout:
		return true
	}
	return false
}

// wellFormed: no chunk is negative, and only the first and the last are empty.
func wellFormed(layers []int32) bool {
	total := int32(0)
	for k, n := range layers {
		if n < 0 || n == 0 && k != 0 && k != len(layers)-1 {
			return false
		}
		total += n
	}
	return total > 0
}

func uniform(layers []int32) bool {
	for _, n := range layers {
		if n != layers[0] {
			return false
		}
	}
	return true
}

// countsEnds: the chunks are equal once the embedding counts as a layer of the
// first, or the output head as a layer of the last, or both.
func countsEnds(layers []int32) bool {
	last := len(layers) - 1
	if last == 0 {
		return true
	}
	for ends := 1; ends <= 3; ends++ {
		first, final := layers[0]+int32(ends&1), layers[last]+int32(ends>>1)
		if first == final && uniform(layers[1:last]) && (last == 1 || layers[1] == first) {
			return true
		}
	}
	return false
}

// ranksAlike: every rank's chunks are equal, and so are the ranks between the
// first and the last.
func ranksAlike(layers []int32, pp int) bool {
	for k, n := range layers {
		if n == 0 || k >= pp && n != layers[k-pp] {
			return false
		}
	}
	return pp <= 2 || uniform(layers[1:pp-1])
}

// FormOf is the first of the forms that expresses the layers per chunk.
func FormOf(forms []SplitForm, layers []int32, pp, vpp int) (SplitForm, bool) {
	for _, f := range forms {
		if f.Expresses(layers, pp, vpp) {
			return f, true
		}
	}
	return 0, false
}

// AllForms are all split forms in the order of preference.
func AllForms() []SplitForm {
	return []SplitForm{SplitEven, SplitEmbedLoss, SplitFirstLast, SplitLayout}
}

// Default is the split of all layers over pp*vpp chunks that the form alone
// determines, or, where it leaves a choice, the one whose largest chunk is
// least. ok is false if the form expresses none.
func (f SplitForm) Default(layers, pp, vpp int) (split []int32, ok bool) {
	if layers < 1 || pp < 1 || vpp < 1 || pp*vpp > layers+MaxEmptyChunks {
		return nil, false
	}
	switch f {
	case SplitEven:
		split = evenSplit(layers, pp*vpp)
	case SplitEmbedLoss:
		split = embedLossSplit(layers, pp*vpp)
	case SplitFirstLast:
		split = firstLastSplit(layers, pp, vpp)
	case SplitLayout:
		split = balancedSplit(layers, pp*vpp)
	}
	return split, split != nil
}

func evenSplit(layers, chunks int) []int32 {
	if layers%chunks != 0 {
		return nil
	}
	return filled(chunks, layers/chunks)
}

// embedLossSplit counts both ends as a layer, or else the output head alone.
func embedLossSplit(layers, chunks int) []int32 {
	if chunks == 1 {
		return filled(1, layers)
	}
	for _, ends := range []int{2, 1} {
		if (layers+ends)%chunks != 0 {
			continue
		}
		split := filled(chunks, (layers+ends)/chunks)
		split[chunks-1]--
		if ends == 2 {
			split[0]--
		}
		return split
	}
	return nil
}

// firstLastSplit gives the middle ranks the number of layers that makes the
// largest rank least and, of such, the ends light; the first rank takes the odd
// layer of the two ends.
func firstLastSplit(layers, pp, vpp int) []int32 {
	if layers%vpp != 0 {
		return nil
	}
	perChunk := layers / vpp // layers of one round of pp chunks
	if pp == 1 {
		return filled(vpp, perChunk)
	}
	middle, least := 0, 0
	for m := 1; m <= perChunk; m++ {
		ends := perChunk - (pp-2)*m
		if ends < 2 {
			break
		}
		if largest := max(m*min(1, pp-2), (ends+1)/2); least == 0 || largest <= least {
			middle, least = m, largest
		}
	}
	if least == 0 {
		return nil
	}
	ends := perChunk - (pp-2)*middle
	split := filled(pp*vpp, middle)
	for k := 0; k < pp*vpp; k += pp {
		split[k], split[k+pp-1] = int32((ends+1)/2), int32(ends/2)
	}
	return split
}

// balancedSplit differs by at most one layer between chunks; the last chunk,
// which holds the head, and then the first are the short ones.
func balancedSplit(layers, chunks int) []int32 {
	split := filled(chunks, layers/chunks)
	extra := layers % chunks
	for i := range extra {
		k := i + 1
		if k >= chunks-1 {
			k = 0
		}
		split[k]++
	}
	return split
}

func filled(n, value int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(value)
	}
	return s
}
