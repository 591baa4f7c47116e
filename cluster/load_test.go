package cluster

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"meshplan/plan"
	"meshplan/strict"
)

const lab = `name = "lab"
gpu = "h100"
gpus_per_node = 8
nics_per_node = 4
host_memory = "1TiB"
nvls = "480GB/s"
nvls_ranks = 5
collectives = "H100-SXM"

[[level]]
name = "nvlink"
size = 8
bandwidth = "371GB/s"
latency_us = 1.9

[[level]]
name = "rail"
size = 10
bandwidth = "400Gb/s"
latency_us = 4
oversubscription = 2
`

const own = `gpus_per_node = 4
[[level]]
name = "box"
size = 4
bandwidth = "10GB/s"
latency_us = 2.5
[own_gpu]
name = "mine"
memory_gb = 64
hbm_gbs = 2000
tflops = { bf16 = 400, fp16 = 401.5 }
`

func TestAClusterFileIsRead(t *testing.T) {
	c, err := Parse("lab.toml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "lab" || c.GPU.Name != "H100-SXM" || c.GPUs() != 80 || c.Levels[1].Bandwidth != 50e9 || c.Levels[1].Oversubscription != 2 || c.Levels[0].Oversubscription != 1 {
		t.Errorf("%+v", c)
	}
	if c.Inside(AllReduce, 8) == nil {
		t.Error("no collectives")
	}
}

func TestAGPUOfTheUsersOwnTakesTheCurvesOfAnH100AndSaysSo(t *testing.T) {
	c, err := Parse("dir/own.toml", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Assumptions, "\n")
	for _, want := range []string{"efficiency of mine are not measured: those of H100-SXM", "memory that the runtime reports for mine"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not listed in %s", want, text)
		}
	}
	h100, _ := FindGPU("H100")
	if c.Name != "own" || c.GPU.GEMM(plan.BF16, 8192, 8192, 8192) <= h100.GEMM(plan.BF16, 8192, 8192, 8192) {
		t.Errorf("%s: GEMM %v", c.Name, c.GPU.GEMM(plan.BF16, 8192, 8192, 8192))
	}
}

func TestMistakesInAClusterFileAreExplained(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"an unknown key":               {"gpus_per_node = 8", "gpu_per_node = 8", `lab.toml:3:1: unknown key "gpu_per_node"; nearest: gpus_per_node`},
		"an unknown key of a level":    {"oversubscription", "  oversubscripton", `lab.toml:21:3: unknown key "level.oversubscripton"; nearest: oversubscription`},
		"a key in capitals":            {"gpus_per_node", "GPUs_per_node", `lab.toml:3:1: unknown key "GPUs_per_node"; nearest: gpus_per_node`},
		"an unknown table":             {"name = \"lab\"", "name = \"lab\"\n[levels]\nx = 1", `lab.toml:2:2: unknown key "levels"; nearest: level`},
		"an unknown GPU":               {`"h100"`, `"h10O"`, `lab.toml:2:1: unknown GPU "h10O"; nearest: H100-SXM, H100-SXM-96GB, H100-PCIe`},
		"no GPU":                       {`gpu = "h100"`, "", "no GPU"},
		"a rate without its unit":      {`"371GB/s"`, `"371"`, `lab.toml:13:1: level.bandwidth is wrong: rate "371" must end in /s`},
		"a text for a number":          {"size = 10", `size = "ten"`, `lab.toml:18:1: level.size wants a whole number, not "ten"`},
		"a number for a text":          {`name = "lab"`, `name = 7`, "lab.toml:1:1: name wants a string, not 7"},
		"a size without its unit":      {`"1TiB"`, `"1Tx"`, "lab.toml:5:1: host_memory is wrong: unknown unit"},
		"a syntax error":               {"size = 10", "size = = 10", "lab.toml:18:8"},
		"a size of zero":               {"size = 10", "size = 0", "lab.toml:18:1: level 2 (rail): size = 0: want at least 1 and at most 10000000 GPUs in all; nearest: 1"},
		"a negative size":              {"size = 10", "size = -10", "lab.toml:18:1: level 2 (rail): size = -10: want at least 1 and at most 10000000 GPUs in all; nearest: 1"},
		"too many GPUs":                {"size = 10", "size = 10000000", "at most 10000000 GPUs in all; nearest: 1250000"},
		"a bandwidth beyond any link":  {`"400Gb/s"`, `"1e200GB/s"`, "lab.toml:19:1: level 2 (rail): bandwidth = 1e+191 EB/s: want a rate above 0 and at most "},
		"a bandwidth of zero":          {`"400Gb/s"`, `"0GB/s"`, "lab.toml:19:1: level 2 (rail): bandwidth = 0 B/s: want a rate above 0 and at most 1.000 EB/s, such as 400Gb/s"},
		"a negative bandwidth":         {`"400Gb/s"`, `"-1GB/s"`, `lab.toml:19:1: level.bandwidth is wrong: "-1GB/s" is negative`},
		"an infinite bandwidth":        {`"400Gb/s"`, `"infGB/s"`, "lab.toml:19:1: level.bandwidth is wrong: unknown unit"},
		"a latency that is no number":  {"latency_us = 4", "latency_us = nan", "lab.toml:20:1: level 2 (rail): latency_us = NaN: want 0 to 1e+07"},
		"a negative latency":           {"latency_us = 4", "latency_us = -4", "lab.toml:20:1: level 2 (rail): latency_us = -4: want 0 to 1e+07; nearest: 0"},
		"an endless latency":           {"latency_us = 4", "latency_us = inf", "latency_us = +Inf: want 0 to 1e+07; nearest: 1e+07"},
		"an oversubscription below 1":  {"oversubscription = 2", "oversubscription = 0.5", "lab.toml:21:1: level 2 (rail): oversubscription = 0.5: want 1 to 1e+06; nearest: 1"},
		"an oversubscription of zero":  {"oversubscription = 2", "oversubscription = 0", "lab.toml:21:1: level 2 (rail): oversubscription = 0: want 1 to 1e+06; nearest: 1"},
		"gpus_per_node of zero":        {"gpus_per_node = 8", "gpus_per_node = 0", "lab.toml:3:1: gpus_per_node = 0: want 1 to 80, the cluster's GPUs; nearest: 1"},
		"fewer NICs than none":         {"nics_per_node = 4", "nics_per_node = -1", "lab.toml:4:1: nics_per_node = -1: want 1 to 1000, or no such key where it is not known; nearest: 1"},
		"nvls for one rank":            {"nvls_ranks = 5", "nvls_ranks = 1", "lab.toml:7:1: nvls_ranks = 1: want the fewest ranks that use nvls, at least 2; nearest: 2"},
		"a misspelt collectives table": {`collectives = "H100-SXM"`, `collectives = "H100-SMX"`, "; nearest: H100-SXM"},
		"an oversubscription of NaN":   {"oversubscription = 2", "oversubscription = nan", "want 1 to 1e+06"},
		"a level without a bandwidth":  {`bandwidth = "400Gb/s"`, "", "lab.toml:16:3: level 2 (rail): needs a bandwidth, for example 400Gb/s"},
		"a level without a name":       {`name = "rail"`, "", "lab.toml:16:3: level 2 () needs a name"},
		"two levels of one name":       {`name = "rail"`, `name = "nvlink"`, "lab.toml:17:1: level 2 (nvlink): two levels have that name"},
		"more GPUs a node than GPUs":   {"gpus_per_node = 8", "gpus_per_node = 81", "lab.toml:3:1: gpus_per_node = 81: want 1 to 80, the cluster's GPUs; nearest: 80"},
		"nvls without its ranks":       {"nvls_ranks = 5", "", "lab.toml: nvls_ranks = 0: want the fewest ranks that use nvls, at least 2; nearest: 2"},
		"ranks without nvls":           {`nvls = "480GB/s"`, "", "lab.toml:7:1: nvls_ranks = 5 without nvls: want both or neither"},
		"an unknown collectives table": {`collectives = "H100-SXM"`, `collectives = "H100"`, `lab.toml:8:1: collectives = "H100": no such table of measurements; there are A100-SXM-80GB, B200-SXM`},
		"a negative host memory":       {`"1TiB"`, `"-1TiB"`, "is negative"},
		"both kinds of GPU":            {"[[level]]\nname = \"nvlink\"", "[own_gpu]\nname = \"x\"\n[[level]]\nname = \"nvlink\"", "lab.toml:2:1: gpu = \"h100\" and the table own_gpu: want one of them"},
		"no levels":                    {lab, "gpu = \"h100\"\n", "0 levels: want 1 to 6"},
		"seven levels":                 {lab, "gpu = \"h100\"\n" + strings.Repeat("[[level]]\nname = \"x\"\nsize = 1\nbandwidth = \"1GB/s\"\n", 7), "lab.toml:26:3: 7 levels: want 1 to 6, innermost first"},
		"brackets without end":         {lab, "a = " + strings.Repeat("[", 30000), "lab.toml:1:13: nested too deeply"},
		"tables without end":           {lab, "\na = " + strings.Repeat("{a=", 20000), "lab.toml:2:29: nested too deeply"},
		"dots without end":             {lab, strings.Repeat("a.", 30000) + "b = 1", "nested too deeply"},
		"a file too large":             {lab, strings.Repeat("#", strict.MaxFile+1), "lab.toml: larger than 256 KiB"},
		"nothing at all":               {lab, "", "no GPU"},
	} {
		text := strings.Replace(lab, c.old, c.new, 1)
		if _, err := Parse("lab.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func TestMistakesInAnOwnGPUAreExplained(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no name":            {`name = "mine"`, "", "needs a name"},
		"no memory":          {"memory_gb = 64", "", "own.toml:7:2: GPU mine: memory_gb is missing"},
		"a negative HBM":     {"hbm_gbs = 2000", "hbm_gbs = -1", "own.toml:10:1: GPU mine: hbm_gbs must be"},
		"a peak of NaN":      {"bf16 = 400", "bf16 = nan", "own.toml:11:12: GPU mine: tflops.bf16 must be"},
		"no peaks":           {"{ bf16 = 400, fp16 = 401.5 }", "{ fp32 = 10 }", "own.toml:11:1: GPU mine: tflops needs bf16 or fp16"},
		"an unknown format":  {"bf16 = 400", "bf61 = 400", `own.toml:11:12: unknown key "own_gpu.tflops.bf61"; nearest: bf16`},
		"an unmeasured like": {"hbm_gbs", "gemm_like = \"A100-40GB\"\nhbm_gbs", "own.toml:10:1: GPU mine: gemm_like = \"A100-40GB\": want a GPU with measured rows: A100-SXM-80GB"},
		"an unknown like":    {"hbm_gbs", "attention_like = \"x\"\nhbm_gbs", "attention_like = \"x\""},
	} {
		text := strings.Replace(own, c.old, c.new, 1)
		if _, err := Parse("own.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// sameCluster compares what a file holds.
var sameCluster = cmp.Options{cmpopts.IgnoreUnexported(Cluster{}, GPU{}), cmpopts.EquateEmpty()}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	var clusters []*Cluster
	for _, s := range All() {
		c, err := s.Cluster(2 * s.Leaf * s.Box())
		if err != nil {
			t.Fatal(err)
		}
		clusters = append(clusters, c, find(t, s.Name+":1"))
	}
	for _, text := range []string{lab, own} {
		c, err := Parse("file.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		clusters = append(clusters, c)
	}
	for _, c := range clusters {
		text, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("back.toml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(c, back, sameCluster); diff != "" {
			t.Errorf("%s: %s", c.Name, diff)
		}
	}
}

func TestEveryGPUCanBeWrittenAsOnesOwn(t *testing.T) {
	for _, g := range GPUs() {
		mine := *g // a copy is not the catalogue's
		c := find(t, "h100:8")
		c.GPU, c.Assumptions = &mine, nil
		text, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("back.toml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(g, back.GPU, sameCluster, cmpopts.IgnoreFields(GPU{}, "Assumptions", "GEMMLike", "AttentionLike")); diff != "" {
			t.Errorf("%s: %s", g.Name, diff)
		}
		for _, p := range []plan.Precision{plan.BF16, plan.FP16, "tf32"} {
			if a, b := g.GEMM(p, 4096, 1024, 8192), back.GPU.GEMM(p, 4096, 1024, 8192); a != b && math.Abs(float64(a/b)-1) > 1e-9 {
				t.Errorf("%s %s: GEMM %v and %v", g.Name, p, a, b)
			}
		}
	}
}

func TestPathsThatHoldNoClusterFileAreExplained(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		dir:                                   "is a directory",
		filepath.Join(dir, "none.toml"):       "no such file",
		write("random.toml", "\x00\xff\x07{"): "random.toml:1:1",
		write("cut.toml", lab[:len(lab)/2]):   "cut.toml",
		write("large.toml", strings.Repeat("#", strict.MaxFile+1)): "larger than",
		"h100:8/": "no such file",
	} {
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
	for _, path := range []string{write("lab.toml", lab), "h100:8"} {
		if _, err := Load(path); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(lab)
	f.Add(own)
	f.Add(lab[:200])
	f.Add(meshLab)
	f.Add(strings.Replace(meshLab, "size = 4", "size = 1", 1))
	f.Add("gpu = \"h100\"\n[[level]]\nname=\"a\"\nsize=8\nbandwidth=\"1e300GB/s\"\nlatency_us=1e-300\n")
	f.Add("level.level.x = 1\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("f.toml", []byte(text))
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		written, err := c.TOML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("f.toml", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if diff := cmp.Diff(c, back, sameCluster); diff != "" {
			t.Errorf("%s\n%s", diff, written)
		}
	})
}
