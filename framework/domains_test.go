package framework_test

import (
	"slices"
	"testing"

	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/plan"
)

// A number of GPUs that is pinned may be used by a pipeline of as many stages as it
// has a factor, whether or not that divides a level's size.
func TestAPinnedNumberOfGPUsMayBeUsedByItsPipelines(t *testing.T) {
	for _, c := range []struct {
		pins string
		want []int32 // of 11, 13 and 22
	}{
		{"", nil},
		{"gpus<=22", nil},
		{"gpus=22", []int32{11, 22}},
		{"gpus=13", []int32{13}},
	} {
		t.Run(c.pins, func(t *testing.T) {
			f := facts(0, 8, 32)
			f.Model.Layers = 24
			pins, err := framework.ParsePins(c.pins)
			if err != nil {
				t.Fatal(err)
			}
			var got []int32
			for _, pp := range framework.NewDomains(f, any.New(), pins).Values[plan.PP] {
				if slices.Contains([]int32{11, 13, 22}, pp) {
					got = append(got, pp)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("pipelines of %v, want %v", got, c.want)
			}
		})
	}
}
