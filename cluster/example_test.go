package cluster_test

import (
	"fmt"

	"meshplan/cluster"
	"meshplan/plan"
	"meshplan/units"
)

func ExampleFind() {
	c, err := cluster.Find("h100:512")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range c.Levels {
		fmt.Println(l.Name, l.Size, l.Bandwidth)
	}
	fmt.Println(c.GPU.GEMM(plan.BF16, 8192, 1024, 8192))
	fmt.Println(units.Seconds(c.Inside(cluster.AllReduce, 8).Seconds(64 << 20)))
	// Output:
	// nvlink 8 371.0 GB/s
	// leaf 32 48.50 GB/s
	// spine 2 48.50 GB/s
	// 173.7 us
	// 344.4 us
}

func ExampleFind_invalidCount() {
	_, err := cluster.Find("h100:12")
	fmt.Println(err)
	// Output:
	// cluster "h100:12": h100 cannot have 12 GPUs: 12 is not a whole number of nvlink domains of 8 GPUs; nearest: 8, 16
}

func ExampleParse() {
	c, err := cluster.Parse("lab.toml", []byte(`
gpu = "A100-SXM-40GB"
gpus_per_node = 4

[[level]]
name = "nvlink"
size = 4
bandwidth = "80GB/s"
latency_us = 1.9

[[level]]
name = "ethernet"
size = 6
bandwidth = "25Gb/s"
latency_us = 10
oversubscription = 2
`))
	fmt.Println(c.Name, c.GPUs(), c.Nodes(), err)
	// Output: lab 24 6 <nil>
}
