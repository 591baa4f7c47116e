package deepspeed

import (
	"fmt"
	"slices"

	"meshplan/framework"
	"meshplan/plan"
)

// method is a partition method by layer type, and what it counts as a layer
// besides the layers.
type method struct {
	name        string
	first, last int
}

// methods are the partition methods for the model. A tied head is of the
// embedding's type, so that both are counted or none.
func methods(f *framework.Facts) []method {
	if f.Model.TieEmbeddings {
		return []method{{"type:transformer", 0, 0}, {"type:transformer|embedding", 1, 1}}
	}
	return []method{
		{"type:transformer", 0, 0}, {"type:transformer|embedding|lmhead", 1, 1},
		{"type:transformer|lmhead", 0, 1}, {"type:transformer|embedding", 1, 0},
	}
}

// Partitioned: PipelineModule takes no list of layers; it balances the stages
// over the layers of a type, of which the embedding and the head may be. It
// minimises the difference between stages and gives the remainder to the first
// (partition_balanced in runtime/utils.py).
func Partitioned(id string) framework.StageRule {
	holds := func(f *framework.Facts, p *plan.Plan) bool {
		layers, err := p.Options.Stages.Layers()
		return err == nil && methodOf(f, layers) != ""
	}
	return framework.StageRule{
		ID: id, Holds: holds,
		Text: func(f *framework.Facts, p *plan.Plan) string {
			layers, _ := p.Options.Stages.Layers()
			if m := methodOf(f, layers); m != "" {
				return fmt.Sprintf("layers %s by partition method %s", p.Options.Stages.Text, m)
			}
			text := fmt.Sprintf("layers %s are not what a partition method gives", p.Options.Stages.Text)
			for _, m := range methods(f)[:2] {
				if own := framework.RemainderFirst(f.Model.Layers, len(layers), m.first, m.last); own != nil {
					text += fmt.Sprintf("; %s gives %s", m.name, plan.RunLength(own))
				}
			}
			return text
		},
	}
}

// methodOf is the first partition method that gives the layers of each stage;
// "" if there is none.
func methodOf(f *framework.Facts, layers []int32) string {
	for _, m := range methods(f) {
		own := framework.RemainderFirst(f.Model.Layers, len(layers), m.first, m.last)
		if own != nil && slices.Equal(layers, own) {
			return m.name
		}
	}
	return ""
}
