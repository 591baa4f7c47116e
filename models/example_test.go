package models_test

import (
	"fmt"

	"meshplan/models"
)

func ExampleLoad() {
	m, err := models.Load("DeepSeek V3")
	if err != nil {
		fmt.Println(err)
		return
	}
	moe := m.Layer(models.MoE)
	fmt.Println(m.Name, m.Total(), m.Active(), m.MTP())
	fmt.Println("one MoE layer:", moe.Total(), "of them routed experts:", moe.Experts)
	fmt.Println(m.FLOPsPerToken(4096))
	// Output:
	// deepseek-v3 671026419200 37552297472 11610068224
	// one MoE layer: 11507286272 of them routed experts: 11274289152
	// 250.4 GFLOP
}
