package measured

import (
	"fmt"
	"slices"
	"strings"

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
	member    member // where it comes from
	file      *profile.Profile
	documents int  // mean tokens of documents packed by fine-tuning runs
	ends      bool // embedding and head count as layers of the pipeline
	framework framework.Framework
	plan      string // defaults as the text of a plan
	flops     profile.FLOPCount
	generic   bool
	reattend  bool // the run's attention is not the profile's
	flash     bool // what it is then
}

// under is the profile that serves the run when those of the families have other
// constants.
func (s *served) under(list families) *profile.Profile {
	p := list.of(s.member)
	if s.reattend {
		p = withAttention(list, p, s.flash)
	}
	return p
}

// member is a profile of a family: its file and its place in it.
type member struct{ file, place int }

// families are profile files, each with its variants.
type families []family

type family struct {
	file    *profile.Profile
	members []*profile.Profile
	first   bool // of two that serve a run alike, it is the one
}

func familyOf(file *profile.Profile) family { return family{file: file, members: file.Family()} }

// catalogue is the embedded profile files in order of their names.
func catalogue() (families, error) {
	files, err := profile.Catalogue()
	if err != nil {
		return nil, err
	}
	list := make(families, len(files))
	for i, file := range files {
		list[i] = familyOf(file)
	}
	return list, nil
}

// unfitted are the families as they were before any run was seen.
func (l families) unfitted() families {
	out := make(families, len(l))
	for i := range l {
		out[i] = familyOf(l[i].file.Unfitted())
	}
	return out
}

// put replaces the file of the same name, or adds it, and says where it is. A run
// that it and another serve alike is its own.
func (l *families) put(file *profile.Profile) int {
	at := slices.IndexFunc(*l, func(f family) bool { return f.file.Name == file.Name })
	if at < 0 {
		at = len(*l)
		*l = append(*l, family{})
	}
	(*l)[at] = familyOf(file)
	(*l)[at].first = true
	return at
}

// of is the profile of a member.
func (l families) of(m member) *profile.Profile { return l[m.file].members[m.place] }

// profileOf is the profile that serves the row's framework and kernel most
// specifically, else the generic one of its kind. Whether attention is flash
// attention is the row's to say.
func profileOf(list families, s *setup, parallel bool) (served, error) {
	best, weight := served{}, -1
	flash, told := flashOf(s[colFlash])
	software := profile.Software{Framework: s[colFramework], Kernel: s[colKernel], Release: s[colRelease], Precision: s[colPrecision]}
	for f := range list {
		for i, p := range list[f].members {
			for j := range p.Services {
				service := &p.Services[j]
				w, ok := service.Serves(software)
				w *= 4
				if told && flash == p.Memory.Flash {
					w += 2 // of two that serve it alike, the one with its attention
				}
				if list[f].first {
					w++
				}
				if ok && w > weight {
					best, weight = served{profile: p, member: member{f, i}, file: list[f].file, plan: service.Plan, flops: service.FLOPs, ends: service.EndsAsLayers, documents: service.Documents}, w
				}
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
		best.flash = flash
		best.reattend = true
		best.profile = withAttention(list, best.profile, flash)
	}
	var err error
	best.framework, err = all.Find(best.profile.Frameworks[0])
	return best, err
}

// withAttention is the profile with the attention of a profile that has flash
// attention, or that has not.
func withAttention(list families, p *profile.Profile, flash bool) *profile.Profile {
	at := slices.IndexFunc(list, func(f family) bool { return f.members[0].Memory.Flash == flash })
	if at < 0 {
		return p
	}
	own, donor := *p, list[at].members[0]
	own.Memory.Flash, own.Memory.ScoreBytes, own.Memory.FlashStats = flash, donor.Memory.ScoreBytes, donor.Memory.FlashStats
	own.Time.TrafficScore, own.Time.AttnBackward = donor.Time.TrafficScore, donor.Time.AttnBackward
	return &own
}

// generic is the profile for a framework that none serves.
func generic(list families, parallel bool) served {
	name := genericSharded
	if parallel {
		name = genericParallel
	}
	for i, f := range list {
		if f.file.Name == name {
			return served{profile: f.members[0], member: member{file: i}, file: f.file, generic: true}
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
	case cell == string(plan.NVFP4):
		return plan.NVFP4, nil
	case kind == "fp8" || strings.HasPrefix(cell, "fp8 "):
		return plan.FP8, nil // one scale a tensor or a row
	}
	return "", skipped(NoPlan, "precision %q is none that the cost model has", plan.Clip(s[colPrecision]))
}
