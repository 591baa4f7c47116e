package framework_test

import (
	"testing"

	"meshplan/framework"
	"meshplan/framework/any"
)

func TestWhyTheLevelsCannotHoldThePins(t *testing.T) {
	for _, c := range []struct {
		pins    string
		experts int
		sizes   []int
		want    string
	}{
		{"tp=16", 0, []int{8}, "tp 16 needs 16 GPUs, the cluster has 8"},
		{"tp>=8,pp=8", 0, []int{8}, "tp 8 x pp 8 need 64 GPUs, the cluster has 8"},
		{"dp_shard=4,dp_replicate=4", 0, []int{8}, "dp_shard 4 x dp_replicate 4 need 16 GPUs, the cluster has 8"},
		{"gpus<=32,tp=8,pp=8", 0, []int{8, 8}, "tp 8 x pp 8 need 64 GPUs, the pins allow 32"},
		{"gpus=9", 0, []int{8}, "9 GPUs are asked for, the cluster has 8"},
		{"pp=33", 0, []int{8, 8}, "pp 33 cannot be placed: no factors, one a level, of at most nvlink 8 x leaf 8 multiply to 33"},
		{"tp=3,pp=3", 0, []int{8, 2}, "tp 3 x pp 3 cannot be placed: no factors, one a level, of at most nvlink 8 x leaf 2 multiply to 9"},
		{"tp=16,tp in nvlink", 0, []int{8, 4}, "tp 16 is to lie in one domain of nvlink, which has 8 GPUs"},
		{"ep=12,etp=4", 12, []int{8, 4}, "etp 4 x ep 12 need 48 GPUs, the cluster has 32"},
		{"tp=1,cp=1,dp=4,ep=6", 12, []int{8, 4}, "ep 6 needs 6 ranks in a pipeline stage; tp 1 x cp 1 x dp 4 are 4"},
		{"gpus=13", 0, []int{8, 4}, "13 GPUs cannot be used: no degree of this job has a factor in common with 13"},
		{"gpus=25", 0, []int{8, 4}, "25 GPUs cannot be spread evenly over nvlink 8 x leaf 4"},
		{"gpus=32,tp=3", 0, []int{8, 4}, "tp 3: 3 ranks do not divide 32 GPUs; nearest 2, 4"},
		{"gpus>=32,tp=2,cp=2,pp=1,dp<=4", 0, []int{8, 4}, "tp 2 x cp 2 x dp 4 x pp 1 use at most 16 GPUs, and 32 are asked for"},
		{"tp=8", 0, []int{8}, ""},
		{"", 0, []int{8}, ""},
	} {
		t.Run(c.pins, func(t *testing.T) {
			f := facts(c.experts, c.sizes...)
			pins, err := framework.ParsePins(c.pins)
			if err != nil {
				t.Fatal(err)
			}
			text, numbers := framework.Shortage(f, framework.NewDomains(f, any.New(), pins), pins)
			if text != c.want {
				t.Errorf("got  %q\nwant %q", text, c.want)
			}
			if (text != "") != (numbers["cluster_gpus"] == float64(f.Cluster.GPUs())) {
				t.Errorf("figures of %q: %v", text, numbers)
			}
		})
	}
}
