//go:build linux

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// limited is a command's own time limit.
var limited = regexp.MustCompile(` --time-limit \S+`)

// BenchmarkCommand runs whole commands as a shell would and reports the largest
// memory that each had resident.
func BenchmarkCommand(b *testing.B) {
	program := filepath.Join(b.TempDir(), "meshplan")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	const batch70 = " --model llama-3.1-70b --global-batch 1024 --seq 8192"
	const deepseek = " --model deepseek-v3 --global-batch 15360 --seq 4096"
	for _, c := range []struct{ name, command string }{
		{"plan-70B-on-256", "plan --cluster h100:256" + batch70},
		{"plan-70B-on-131072", "plan --cluster h100:131072 --model llama-3.1-70b --global-batch 131072 --seq 8192"},
		{"plan-405B-on-16384", "plan --cluster h100:16384 --model llama-3.1-405b --global-batch 2048 --seq 8192"},
		{"plan-DeepSeekV3-on-2048", "plan --cluster h800:2048" + deepseek},
		{"plan-DeepSeekV3-on-16384", "plan --cluster h800:16384" + deepseek},
		{"plan-405B-on-64-infeasible", "plan --cluster h100:64 --model llama-3.1-405b --global-batch 2048 --seq 8192"},
		{"min-gpus-70B-64-candidates", "min-gpus --all --cluster h100:608" + batch70},
		{"min-gpus-70B-to-16384", "min-gpus --all --cluster h100:16384" + batch70},
		{"pareto-70B-on-256", "pareto --cluster h100:256" + batch70},
		{"pareto-GPT3-on-1024", "pareto --cluster h100:1024 --model gpt3-175b --global-batch 1536 --seq 2048"},
		{"pareto-DeepSeekV3-on-2048-10s", "pareto --cluster h100:2048 --time-limit 10s" + deepseek},
		{"pareto-cost-70B-to-16384", "pareto --against cost --cluster h100:16384" + batch70},
		{"pareto-gpus-DeepSeekV3-to-2048", "pareto --against gpus --cluster h100:2048 --time-limit 60s" + deepseek},
	} {
		b.Run(c.name, func(b *testing.B) {
			command := c.command
			if testing.Short() {
				command = limited.ReplaceAllString(command, "") + " --time-limit 100ms"
			}
			for b.Loop() {
				run := exec.Command(program, strings.Fields(command)...)
				err := run.Run()
				code := run.ProcessState.ExitCode()
				if err != nil && code != exitInfeasible && code != exitStopped {
					b.Fatalf("%s: %v", command, err)
				}
				usage := run.ProcessState.SysUsage().(*syscall.Rusage)
				b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB") // Linux counts KiB
				b.ReportMetric(float64(code), "exit")
			}
		})
	}
}
