package framework_test

import (
	"slices"
	"testing"

	"meshplan/framework"
	"meshplan/framework/any"
	"meshplan/plan"
)

func TestAllPipelinesAreSearchedTheUsualOnesFirst(t *testing.T) {
	own := []int32{1, 2, 3, 4, 6, 8, 9, 12, 16, 18, 24} // of 24 layers on levels of 8 and 32
	for _, c := range []struct {
		pins  string
		usual []int32
	}{
		{"", own},
		{"gpus<=22", own},
		{"gpus=22", []int32{1, 2, 3, 4, 6, 8, 9, 11, 12, 16, 18, 22, 24}},
	} {
		t.Run(c.pins, func(t *testing.T) {
			f := facts(0, 8, 32)
			f.Model.Layers = 24
			pins, err := framework.ParsePins(c.pins)
			if err != nil {
				t.Fatal(err)
			}
			d := framework.NewDomains(f, any.New(), pins)
			usual, rest := d.UsualPipelines(f, pins)
			all := append(slices.Clone(usual), rest...)
			slices.Sort(all)
			if !slices.Equal(usual, c.usual) || !slices.Equal(all, d.Values[plan.PP]) || len(all) != 24 {
				t.Errorf("usual are %v of %v, want %v of all up to 24", usual, d.Values[plan.PP], c.usual)
			}
		})
	}
}
