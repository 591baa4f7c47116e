// Package all lists the frameworks.
//
//	fw, err := all.Find("megatron")
package all

import (
	"fmt"
	"strings"

	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/framework/deepspeed"
	"meshplan/framework/fsdp"
	"meshplan/framework/megatron"
	"meshplan/framework/nanotron"
	"meshplan/framework/torchtitan"
	"meshplan/plan"
	"meshplan/strict"
)

// List is every framework, the default first.
func List() []framework.Framework {
	return []framework.Framework{megatron.New(), torchtitan.New(), fsdp.New(), deepspeed.New(), nanotron.New(), any.New()}
}

// Names are the frameworks' names in the order of List.
func Names() []string {
	var names []string
	for _, fw := range List() {
		names = append(names, fw.Name())
	}
	return names
}

// Find returns a framework by name, in any case. The error names the nearest.
func Find(name string) (framework.Framework, error) {
	for _, fw := range List() {
		if strings.EqualFold(strings.TrimSpace(name), fw.Name()) {
			return fw, nil
		}
	}
	known := strings.Join(Names(), ", ")
	if near := strict.Nearest(name, Names(), 1, nil); len(near) > 0 {
		return nil, fmt.Errorf("unknown framework %q; nearest %q of %s", plan.Clip(name), near[0], known)
	}
	return nil, fmt.Errorf("unknown framework %q; known: %s", plan.Clip(name), known)
}
