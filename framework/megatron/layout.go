package megatron

import (
	"fmt"
	"strings"

	"meshplan/framework"
	"meshplan/plan"
)

// SplitFlags are the flags that make Megatron build the plan's layers per
// chunk; "" for an even split, which needs none.
func SplitFlags(f *framework.Facts, p *plan.Plan) string {
	layers, err := p.Options.Stages.Layers()
	if err != nil || len(layers) == 0 {
		return ""
	}
	switch p.Options.Stages.Form {
	case plan.SplitEmbedLoss:
		return embedLossFlags(layers)
	case plan.SplitFirstLast:
		pp := len(layers) / int(max(1, p.Options.VPP))
		return fmt.Sprintf("--decoder-first-pipeline-num-layers %d --decoder-last-pipeline-num-layers %d",
			rankTotal(layers, 0, pp), rankTotal(layers, pp-1, pp))
	case plan.SplitLayout:
		return "--pipeline-model-parallel-layout '" + Layout(layers, f.Workload.MTP) + "'"
	}
	return ""
}

func embedLossFlags(layers []int32) string {
	last := len(layers) - 1
	middle := max(layers[0], layers[last]) // of two chunks, the one that is not short
	switch {
	case last > 1:
		middle = layers[1]
	case layers[0] == layers[last]:
		middle++
	}
	var flags []string
	if layers[0] < middle {
		flags = append(flags, "--account-for-embedding-in-pipeline-split")
	}
	if layers[last] < middle {
		flags = append(flags, "--account-for-loss-in-pipeline-split")
	}
	return strings.Join(flags, " ")
}

func rankTotal(layers []int32, rank, pp int) (total int32) {
	for k := rank; k < len(layers); k += pp {
		total += layers[k]
	}
	return total
}

// Layout is the layout string of the layers per chunk, in model order: E is
// the embedding, t a decoder layer, m a multi-token-prediction layer, L the
// loss and | the border between chunks. "Et*3|(t*4|)*13tL" is fifteen chunks.
func Layout(layers []int32, mtp int) string {
	chunks := make([]string, len(layers))
	for k, n := range layers {
		chunks[k] = repeat("t", int(n))
	}
	last := len(chunks) - 1
	chunks[0] = "E" + chunks[0]
	chunks[last] += repeat("m", mtp) + "L"
	var b strings.Builder
	for i := 0; i <= last; {
		n := i + 1
		for n < last && chunks[n] == chunks[i] {
			n++
		}
		switch {
		case i == last:
			b.WriteString(chunks[i])
		case n-i == 1:
			b.WriteString(chunks[i] + "|")
		default:
			fmt.Fprintf(&b, "(%s|)*%d", chunks[i], n-i)
		}
		i = n
	}
	return b.String()
}

func repeat(letter string, n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return letter
	}
	return fmt.Sprintf("%s*%d", letter, n)
}
