package measured

import (
	"regexp"
	"strings"
)

// recipe is what a framework's published training configuration for a model
// sets. A row that leaves it open is taken to have been run as published.
type recipe struct {
	framework string         // begins the row's framework
	model     *regexp.Regexp // the name of the model
	seq       int            // tokens
	micros    int            // micro-batches of a rank and step
	pipelined bool           // micros holds with a pipeline as well
	plan      string         // options as the text of a plan
}

// recipes are those of
//   - pytorch/torchtitan train_configs/llama3_8b.toml, llama3_70b.toml,
//     llama3_405b.toml. Its global_batch_size "defaults to local_batch_size *
//     data-parallel degree"; with a pipeline the local batch is divided again
//   - InternLM/InternEvo configs/7B_sft.py, which its
//     doc/en/train_performance.md names: SEQ_LEN, micro_num. Other sizes of
//     InternLM are taken to be run alike
var recipes = []recipe{
	{framework: "torchtitan", model: regexp.MustCompile(`^llama-3(\.1)?-8b$`), seq: 8192, micros: 1, plan: "recompute=ops"},
	{framework: "torchtitan", model: regexp.MustCompile(`^llama-3(\.1)?-(70|405)b$`), seq: 8192, micros: 1, plan: "recompute=full"},
	{framework: "internevo", model: regexp.MustCompile(`^internlm-`), seq: 2048, micros: 4, pipelined: true},
}

// published is the recipe of the row's framework for the model of that name,
// an empty one where none is known.
func published(s *setup, model string) recipe {
	framework := strings.ToLower(s[colFramework])
	for _, r := range recipes {
		if strings.HasPrefix(framework, r.framework) && r.model.MatchString(model) {
			return r
		}
	}
	return recipe{}
}

// batch is the sequences of a step, 0 where the recipe does not say.
func (r *recipe) batch(g *degrees) int64 {
	if g.pp > 1 && !r.pipelined {
		return 0
	}
	return int64(r.micros) * int64(g.micro) * int64(g.dp)
}
