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
	list, names := List(), Names()
	at, distance := strict.Closest(strings.ToLower(strings.TrimSpace(name)), names)
	if distance > 0 {
		return nil, fmt.Errorf("unknown framework %q; nearest %q of %s", plan.Clip(name), names[at], strings.Join(names, ", "))
	}
	return list[at], nil
}
