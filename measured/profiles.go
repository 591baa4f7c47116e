package measured

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"meshplan/cost/profile"
	"meshplan/framework"
	"meshplan/framework/all"
	"meshplan/plan"
)

// The profiles of frameworks that no profile serves, by kind: those that split
// matrices or layers, and those that only shard.
const (
	genericParallel = "megatron"
	genericSharded  = "fsdp"
)

// served is the profile that stands for a run's framework, with what such runs
// do unless they say otherwise.
type served struct {
	profile   *profile.Profile
	framework framework.Framework
	plan      string // defaults as the text of a plan
	flops     profile.FLOPCount
	generic   bool
}

// catalogue is the embedded profiles in order of their names.
var catalogue = sync.OnceValues(func() ([]*profile.Profile, error) {
	var list []*profile.Profile
	for _, name := range profile.Names() {
		p, err := profile.Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
})

// profileOf is the profile that serves the row's framework and kernel most
// specifically, else the generic one of its kind. Whether attention is flash
// attention is the row's to say.
func profileOf(list []*profile.Profile, s *setup, parallel bool) (served, error) {
	best, weight := served{}, -1
	flash, told := flashOf(s[colFlash])
	for _, p := range list {
		for i := range p.Services {
			service := &p.Services[i]
			w, ok := service.Serves(s[colFramework], s[colKernel])
			w *= 2
			if told && flash == p.Memory.Flash {
				w++ // of two that serve it alike, the one with its attention
			}
			if ok && w > weight {
				best, weight = served{profile: p, plan: service.Plan, flops: service.FLOPs}, w
			}
		}
	}
	if best.profile == nil {
		best = generic(list, parallel)
	}
	if best.profile == nil {
		return best, fmt.Errorf("the catalogue has no profile %s or %s", genericParallel, genericSharded)
	}
	if told && flash != best.profile.Memory.Flash {
		best.profile = withAttention(list, best.profile, flash)
	}
	var err error
	best.framework, err = all.Find(best.profile.Frameworks[0])
	return best, err
}

// withAttention is the profile with the attention of a profile that has flash
// attention, or that has not.
func withAttention(list []*profile.Profile, p *profile.Profile, flash bool) *profile.Profile {
	at := slices.IndexFunc(list, func(q *profile.Profile) bool { return q.Memory.Flash == flash })
	if at < 0 {
		return p
	}
	own, donor := *p, list[at]
	own.Memory.Flash, own.Memory.ScoreBytes, own.Memory.FlashStats = flash, donor.Memory.ScoreBytes, donor.Memory.FlashStats
	own.Time.TrafficScore, own.Time.AttnBackward = donor.Time.TrafficScore, donor.Time.AttnBackward
	return &own
}

// generic is the profile for a framework that none serves.
func generic(list []*profile.Profile, parallel bool) served {
	name := genericSharded
	if parallel {
		name = genericParallel
	}
	for _, p := range list {
		if p.Name == name {
			return served{profile: p, generic: true}
		}
	}
	return served{}
}

// flashOf reads flash_attn; told is false where the cell says nothing.
func flashOf(cell string) (flash, told bool) {
	switch strings.ToLower(cell) {
	case "":
		return false, false
	case "0", "no", "false", "none", "off":
		return false, true
	}
	return true, true
}

// precisionOf is the row's precision, else the profile's.
func precisionOf(s *setup, p *profile.Profile) (plan.Precision, *skip) {
	cell := strings.ToLower(s[colPrecision])
	kind, _, _ := strings.Cut(cell, "-")
	switch {
	case cell == "":
		return p.Precision, nil
	case cell == "bf16" || cell == "bfloat16" || cell == "bf16-mixed" || cell == "bf16-true":
		return plan.BF16, nil
	case cell == "fp16" || cell == "float16" || cell == "half":
		return plan.FP16, nil
	case cell == string(plan.FP8Block):
		return plan.FP8Block, nil
	case cell == string(plan.MXFP8):
		return plan.MXFP8, nil
	case kind == "fp8" || strings.HasPrefix(cell, "fp8 "):
		return plan.FP8, nil // one scale a tensor or a row
	}
	return "", skipped(NoPlan, "precision %q is none that the cost model has", plan.Clip(s[colPrecision]))
}
