package cluster

import (
	"slices"
	"testing"
)

func TestLargerClusters(t *testing.T) {
	file := *found(t, "h100:64")
	file.Name, file.Levels = "ours", slices.Clone(file.Levels)
	file.Levels[1].Size = 3
	changed := *found(t, "h100:64")
	changed.HostMemory *= 2
	wider, _, err := found(t, "h100:64").With(nil, Change{Resource: "nic", Value: "200G"})
	if err != nil {
		t.Fatal(err)
	}
	single := *found(t, "h100:8")
	single.Name = "one box"
	tests := []struct {
		name string
		of   *Cluster
		most int
		want []int
	}{
		{"a node that is not full is filled first", found(t, "h100:7"), 32, []int{8, 16, 24, 32}},
		{"whole domains come after the first", found(t, "h100:8"), 30, []int{16, 24}},
		{"whole nodes of a domain of many come first", found(t, "gb200-nvl72:68"), 200, []int{72, 144}},
		{"leaf groups have to be filled evenly", found(t, "h100:256"), 300, []int{272, 288}},
		{"a file's outermost level grows", &file, 50, []int{32, 40, 48}},
		{"so does that of a changed system", &changed, 80, []int{72, 80}},
		{"what --set changed is changed of the larger ones", wider, 300, []int{72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256, 272, 288}},
		{"GPUs of a node come one by one", found(t, "h100:5"), 16, []int{6, 7, 8, 16}},
		{"a single domain of a file cannot grow", &single, 100, nil},
		{"nothing is larger than the most", found(t, "h100:64"), 64, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []int
			for c := range test.of.Larger(nil, test.most) {
				if err := c.Validate(); err != nil {
					t.Error(err)
				}
				if c.Changes() != test.of.Changes() {
					t.Errorf("changes %q, want %q", c.Changes(), test.of.Changes())
				}
				got = append(got, c.GPUs())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func found(t *testing.T, name string) *Cluster {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
