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
	nearest, least := "", len(name)+100
	for _, fw := range List() {
		d := plan.Distance(strings.ToLower(strings.TrimSpace(name)), fw.Name())
		if d == 0 {
			return fw, nil
		}
		if d < least {
			nearest, least = fw.Name(), d
		}
	}
	return nil, fmt.Errorf("unknown framework %q; nearest %q of %s", plan.Clip(name), nearest, strings.Join(Names(), ", "))
}
