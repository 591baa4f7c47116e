package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// base is a job without fault; the cases change one thing.
const base = "plan --model llama-3.1-8b --cluster h100:8 --global-batch 64 --seq 4096 --no-forced"

// sizeBase is a job of min-gpus without fault.
const sizeBase = "min-gpus --model llama-3.1-8b --cluster h100 --global-batch 64 --seq 4096"

// good is the same job as a file.
const good = "model = \"llama-3.1-8b\"\ncluster = \"h100:8\"\nglobal_batch = 64\nseq = 4096\n"

// badInputs are command lines that must be refused with one clear line. files
// are written to the working directory first; want must be in the message.
var badInputs = []struct {
	name  string
	args  string // split at spaces; a ~ stands for a space within an argument
	file  string // the text of job.toml
	want  string
	stdin string
}{
	{name: "an unknown verb", args: "paln", want: `nearest: plan`},
	{name: "an unknown subcommand", args: "models lst", want: `nearest: list`},
	{name: "an unknown help topic", args: "help exit-code", want: `nearest: exit-codes`},
	{name: "an unknown shell", args: "completion basch", want: `nearest: bash`},
	{name: "an unknown flag", args: base + " --modle x", want: `nearest: model`},
	{name: "an unknown short flag", args: base + " -x", want: `-x`},
	{name: "a flag without its value", args: "plan --top", want: `--top`},
	{name: "a flag of another verb", args: base + " --plan tp=8", want: `--plan`},
	{name: "no model", args: "plan --cluster h100:8 --global-batch 64 --seq 4096", want: "no model given"},
	{name: "no cluster", args: "plan --model llama-3.1-8b --global-batch 64 --seq 4096", want: "no cluster given"},
	{name: "no batch", args: "plan --model llama-3.1-8b --cluster h100:8 --seq 4096", want: "no global-batch given"},
	{name: "no sequence length", args: "plan --model llama-3.1-8b --cluster h100:8 --global-batch 64", want: "no seq given"},
	{name: "an unknown model", args: base + " --model llama-3.1-7b", want: "llama-3.1-8b"},
	{name: "an empty model", args: base + " --model ~", want: "empty"},
	{name: "a model file that does not exist", args: base + " --model ./missing.toml", want: "missing.toml"},
	{name: "a directory for a model file", args: base + " --model ./dir.toml", want: "dir.toml"},
	{name: "a tokenizer's config.json", args: base + " --model ./tokenizer_config.json", want: "tokenizer_config.json"},
	{name: "a truncated config.json", args: base + " --model ./truncated.json", want: "truncated.json"},
	{name: "random bytes for a model file", args: base + " --model ./random.toml", want: "random.toml"},
	{name: "random bytes for a config.json", args: base + " --model ./random.json", want: "random.json"},
	{name: "an unknown cluster", args: base + " --cluster h10:8", want: "h100"},
	{name: "a cluster without a GPU count", args: base + " --cluster h100", want: "h100"},
	{name: "a GPU count of zero", args: base + " --cluster h100:0", want: "h100:0"},
	{name: "a negative GPU count", args: base + " --cluster h100:-8", want: "h100:-8"},
	{name: "a GPU count that is no number", args: base + " --cluster h100:many", want: "many"},
	{name: "a GPU count beyond any cluster", args: base + " --cluster h100:99999999999999999999", want: "h100:"},
	{name: "random bytes for a cluster file", args: base + " --cluster ./random.toml", want: "random.toml"},
	{name: "a directory for a cluster file", args: base + " --cluster ./dir.toml", want: "dir.toml"},
	{name: "a batch of zero", args: base + " --global-batch 0", want: "whole number from 1"},
	{name: "a negative batch", args: base + " --global-batch -4", want: "whole number from 1"},
	{name: "a batch that is a fraction", args: base + " --global-batch 1.5", want: "whole number from 1"},
	{name: "a batch beyond any number", args: base + " --global-batch 99999999999999999999", want: "whole number from 1"},
	{name: "a sequence length of zero", args: base + " --seq 0", want: "whole number from 1"},
	{name: "more tokens a step than any job has", args: base + " --global-batch 100000000 --seq 1000000", want: "tokens a step"},
	{name: "an unknown precision", args: base + " --precision bf61", want: "nearest: bf16"},
	{name: "a precision that the GPU lacks", args: base + " --cluster v100:8", want: "no bf16 rate; use --precision fp16"},
	{name: "fp8 on a GPU without it", args: base + " --cluster a100:8 --precision fp8", want: "no fp8 rate; use --precision bf16 or --precision fp16"},
	{name: "mxfp8 on a GPU that scales no blocks", args: base + " --cluster h100:8 --precision mxfp8", want: "no mxfp8 rate; use --precision bf16 or"},
	{name: "an unknown recipe", args: base + " --recipe nonesuch", want: "nonesuch"},
	{name: "a load factor that is not a number", args: base + " --load-factor NaN", want: "want a number from 1"},
	{name: "an infinite load factor", args: base + " --load-factor Inf", want: "want a number from 1"},
	{name: "a load factor below 1", args: base + " --load-factor 0.5", want: "want a number from 1"},
	{name: "an unknown framework", args: base + " --framework megatorn", want: "megatron"},
	{name: "a framework of a later release", args: base + " --framework vllm", want: "not in this release"},
	{name: "an unknown profile", args: base + " --profile nonesuch", want: "nonesuch"},
	{name: "a pin without a value", args: base + " --pin tp", want: `"tp"`},
	{name: "a pin on an unknown name", args: base + " --pin tpp=8", want: `nearest "tp"`},
	{name: "contradicting pins", args: base + " --pin tp=8,tp=4", want: "contradict"},
	{name: "pins with an empty range between them", args: base + " --pin pp<=2,pp>=4", want: "contradict"},
	{name: "a pin below a value", args: base + " --pin tp<8", want: "<= and >="},
	{name: "a pin of zero", args: base + " --pin tp=0", want: "whole number"},
	{name: "a pin to a level the cluster lacks", args: base + " --pin tp~in~rack", want: "rack"},
	{name: "a what-if without a value", args: base + " --set nvlink", want: "want RESOURCE=VALUE"},
	{name: "a what-if of an unknown resource", args: base + " --set nvlik=2x", want: `set nvlik=2x: unknown resource "nvlik"; nearest: nvlink`},
	{name: "a what-if without a unit", args: base + " --set hbm=141", want: "set hbm=141: want 141GB, or a relative value"},
	{name: "a what-if beyond any machine", args: base + " --set nvlink=1e6x,hbm=1e6x,flops=1e6x", want: "nvlink=1e+06x: want 1.000 kB/s to 1.000 PB/s; nearest: 1.000 PB/s"},
	{name: "no plan to show", args: base + " --top 0", want: "whole number from 1"},
	{name: "a negative number of jobs", args: base + " --jobs -1", want: "whole number from 1"},
	{name: "a time limit without a unit", args: base + " --time-limit 31", want: `--time-limit "31": has no unit: want a time such as 30s or 5m; nearest: 31s`},
	{name: "a time limit without a unit and with an exponent", args: base + " --time-limit 1e3", want: "nearest: 1000s"},
	{name: "a time limit beyond any number", args: base + " --time-limit 1h9999999h", want: "want a time of at most 2562047h"},
	{name: "a time limit beyond the longest", args: base + " --time-limit 2562047h1m", want: "want a time of at most 2562047h"},
	{name: "a time limit in an unknown unit", args: base + " --time-limit 1d", want: "want a time above zero, such as 30s or 5m"},
	{name: "a time limit that is infinite", args: base + " --time-limit Inf", want: "want a time above zero, such as 30s or 5m"},
	{name: "pins of a comma alone", args: base + " --pin ,", want: `--pin ",": is empty`},
	{name: "a plan of commas alone", args: "explain --plan ,~,", want: `--plan ", ,": is empty`},
	{name: "a plot without a name", args: "pareto --plot .png", want: `--plot ".png": want a file that ends in .svg or .png`},
	{name: "a plot without a name in a folder", args: "pareto --plot ./.svg", want: "want a file that ends in .svg or .png"},
	{name: "a what-if of a job file", args: base + " job.toml", file: "top = 3\nset = \"nvlik=2x\"\n", want: `job.toml:2:`},
	{name: "a what-if of a job file, by its words", args: base + " job.toml", file: "set = \"nvlik=2x\"\n", want: `: set nvlik=2x: unknown resource "nvlik"; nearest: nvlink`},
	{name: "an unknown pin of a job file", args: base + " job.toml", file: "top = 3\npin = \"tpp=8\"\n", want: `meshplan: job.toml:2:1: pin "tpp=8": unknown name "tpp"; nearest "tp"`},
	{name: "pins of a job file that contradict each other", args: base + " job.toml", file: "pin = \"tp=8,tp=4\"\n", want: `meshplan: job.toml:1:1: pins "tp=8" and "tp=4" contradict`},
	{name: "a pin of a job file to a level the cluster lacks", args: base + " job.toml", file: "pin = \"tp in rack\"\n", want: `meshplan: job.toml:1:1: pin "tp in rack": the cluster has no level`},
	{name: "a pin of the command line, over one of a job file", args: base + " --pin tpp=8 job.toml", file: "pin = \"tp=8\"\n", want: `meshplan: pin "tpp=8": unknown name`},
	{name: "an unknown framework of a job file", args: base + " job.toml", file: "framework = \"megatorn\"\n", want: `meshplan: job.toml:1:1: unknown framework "megatorn"; nearest "megatron"`},
	{name: "a framework of a later release in a job file", args: base + " job.toml", file: "framework = \"vllm\"\n", want: `meshplan: job.toml:1:1: framework "vllm" is not in this release`},
	{name: "an unknown profile of a job file", args: base + " job.toml", file: "profile = \"megatorn\"\n", want: `meshplan: job.toml:1:1: unknown profile "megatorn"; nearest`},
	{name: "an unknown profile of a job file beside a framework", args: base + " --framework fsdp job.toml", file: "profile = \"fsdpp\"\n", want: `meshplan: job.toml:1:1: unknown profile "fsdpp"; nearest`},
	{name: "an unknown recipe of a job file", args: base + " job.toml", file: "recipe = \"bf17\"\n", want: `meshplan: job.toml:1:1: profile megatron has no recipe "bf17"; nearest: bf16`},
	{name: "a precision of a job file that the GPU lacks", args: base + " job.toml", file: "precision = \"nvfp4\"\n", want: `meshplan: job.toml:1:1: H100-SXM has no nvfp4 rate`},
	{name: "nodes of a job file", args: base + " job.toml", file: "nodes = \"gpu[1-\"\n", want: `meshplan: job.toml:1:1: nodes: column 4: the bracket is not closed`},
	{name: "a topology of a job file", args: base + " job.toml", file: "topology = \"missing.conf\"\n", want: `meshplan: job.toml:1:1: topology "missing.conf": no such file`},
	{name: "candidates of a job file", args: sizeBase + " job.toml", file: "candidates = \"12\"\n", want: `meshplan: job.toml:1:1: candidates: h100 cannot have 12 GPUs`},
	{name: "GPUs pinned in a job file where they are asked for", args: sizeBase + " job.toml", file: "pin = \"gpus>=8\"\n", want: `meshplan: job.toml:1:1: pin "gpus>=8": a candidate uses all`},
	{name: "an unknown degree of a job file's plan", args: explainBase + " job.toml", file: "plan = \"tpp=8\"\n", want: `meshplan: job.toml:1:1: plan "tpp=8": unknown key "tpp"`},
	{name: "a plan of a job file that is too large", args: explainBase + " job.toml", file: "plan = \"tp=8,pp=64,dp=64\"\n", want: `meshplan: job.toml:1:1: `},
	{name: "layers where the search chooses them, in a job file", args: explainBase + " --fill best job.toml", file: "plan = \"layers=32\"\n", want: `meshplan: job.toml:1:1: --fill best chooses layers`},
	{name: "a time limit of zero", args: base + " --time-limit 0s", want: "above zero"},
	{name: "two job files", args: "plan job.toml job.toml", file: good, want: "one job file"},
	{name: "an extra argument to list", args: "models list all", want: "no argument"},
	{name: "an extra argument to version", args: "version 2", want: "no argument"},
	{name: "show without a name", args: "models show", want: "wants a name"},
	{name: "show of two names", args: "clusters show h100:8 h100:16", want: "one name"},
	{name: "show of an unknown model", args: "models show llama-9", want: "llama-9"},
	{name: "two forms of output", args: "models show llama-3.1-8b --json --toml", want: "exclude"},
	{name: "a job file that does not exist", args: "plan missing.toml", want: "missing.toml: no such file"},
	{name: "a directory for a job file", args: "plan dir.toml", want: "dir.toml: is a directory"},
	{name: "random bytes for a job file", args: "plan random.toml", want: "random.toml:1:"},
	{name: "an endless job file", args: "plan /dev/zero", want: "/dev/zero: not a regular file"},
	{name: "an endless job on standard input", args: "plan -", stdin: strings.Repeat("#", 2<<20), want: "-: larger than 256 KiB"},
	{name: "a job file that is JSON", args: "plan job.toml", file: "{\"model\": \"llama-3.1-8b\"}", want: "job.toml:1:1: not TOML"},
	{name: "a truncated job file", args: "plan job.toml", file: "model = \"llama-3.1-8b\"\ncluster = \"h100", want: "job.toml:2:"},
	{name: "an unknown key", args: "plan job.toml", file: good + "  globl_batch = 3\n", want: `job.toml:5:3: unknown key "globl_batch"; nearest: global_batch`},
	{name: "a key with a dash", args: "plan job.toml", file: good + "time-limit = \"3s\"\n", want: "nearest: time_limit"},
	{name: "a table", args: "plan job.toml", file: good + "[model]\nname = \"x\"\n", want: "job.toml:5:"},
	{name: "a key that is one word of another", args: "plan job.toml", file: good + "glbal = 3\n", want: `job.toml:5:1: unknown key "glbal"; nearest: global_batch`},
	{name: "a table of an unknown name", args: "plan job.toml", file: good + "[workload]\nseq = 1\n", want: `job.toml:5:2: unknown key "workload"`},
	{name: "a dotted key", args: "plan job.toml", file: "seq.len = 4\n", want: `unknown key "seq.len"`},
	{name: "a key given twice", args: "plan job.toml", file: good + "seq = 1\n", want: "job.toml:5:"},
	{name: "a string for a number", args: "plan job.toml", file: good + "top = \"3\"\n", want: `job.toml:5:1: top wants a whole number, not "3"`},
	{name: "a number for a string", args: "plan job.toml", file: good + "pin = 8\n", want: "job.toml:5:1: pin wants a string"},
	{name: "a float for a count", args: "plan job.toml", file: good + "jobs = 2.0\n", want: "jobs wants a whole number"},
	{name: "not a number in a file", args: "plan job.toml", file: good + "load_factor = nan\n", want: "job.toml:5:1: load_factor"},
	{name: "a list for a string", args: "plan job.toml", file: good + "pin = [\"tp=8\"]\n", want: "pin wants a string"},
	{name: "a negative size in a file", args: "plan job.toml", file: strings.Replace(good, "64", "-64", 1), want: "job.toml:3:1: global_batch"},
	{name: "a bad value that a flag overrides", args: "plan job.toml --top 3", file: good + "top = 0\n", want: "job.toml:5:1: top"},
	{name: "an unknown model in a file", args: "plan job.toml", file: strings.Replace(good, "8b", "7b", 1), want: `meshplan: job.toml:1:1: no model "llama-3.1-7b" in the catalogue; nearest: llama-3.1-70b, llama-3.1-8b`},
	{name: "an unknown cluster in a file", args: "plan job.toml", file: strings.Replace(good, "h100", "h101", 1), want: `meshplan: job.toml:2:1: unknown cluster "h101:8"; nearest: h100`},
	{name: "an unknown kind of cluster in a file", args: "min-gpus job.toml", file: strings.Replace(good, "h100:8", "h101", 1), want: `meshplan: job.toml:2:1: `},
	{name: "an empty job file", args: "plan job.toml", file: "", want: "no model given"},
	{name: "a bad job on standard input", args: "plan -", stdin: "modle = 1\n", want: `-:1:1: unknown key "modle"`},
	{name: "deeply nested lists", args: "plan -", stdin: "model = " + strings.Repeat("[", 100_000), want: "-:1:17: nested too deeply"},
	{name: "no candidates", args: sizeBase + " --candidates ~", want: "want a whole number from 1"},
	{name: "a candidate of no GPUs", args: sizeBase + " --candidates 8,0", want: `--candidates "8,0": "0": want a whole number from 1 to 10,000,000, such as 8,16,32; nearest: 1`},
	{name: "a candidate that is no number", args: sizeBase + " --candidates 8,many", want: `"many": want a whole number`},
	{name: "a candidate of a part of a node", args: sizeBase + " --candidates 8,12", want: "candidates: h100 cannot have 12 GPUs: 12 is not a whole number of nvlink domains of 8 GPUs; nearest: 8, 16"},
	{name: "a largest candidate that cannot be had", args: sizeBase + " --candidates 1100", want: "nearest: 1088, 1104"},
	{name: "a candidate beyond the cluster", args: sizeBase + " --cluster h100:64 --candidates 128", want: "128 GPUs: want 1 to 64; nearest: 64"},
	{name: "a cluster of a part of a node", args: sizeBase + " --cluster h100:12", want: "nearest: 8, 16"},
	{name: "a kind of cluster that is unknown", args: sizeBase + " --cluster h10", want: "h100"},
	{name: "days without tokens", args: sizeBase + " --days 30", want: "--days without --tokens: give the tokens of the training as well, such as --tokens 1e12"},
	{name: "two goals", args: sizeBase + " --step-time 20s --tokens-per-day 1e11", want: "--step-time and --tokens-per-day are 2 goals: give one of them"},
	{name: "three goals", args: sizeBase + " --step-time 20s --tokens-per-day 1e11 --days 30 --tokens 1e12", want: "are 3 goals"},
	{name: "a step time without a unit", args: sizeBase + " --step-time 20", want: "has no unit: want a time such as 20s or 1m30s; nearest: 20s"},
	{name: "a step time below zero", args: sizeBase + " --step-time -20s", want: "want a time above zero"},
	{name: "no tokens a day", args: sizeBase + " --tokens-per-day 0", want: "want a number above 0 and at most 1e+18, such as 1e11"},
	{name: "tokens that are not a number", args: sizeBase + " --tokens NaN", want: "want a number above 0"},
	{name: "infinite days", args: sizeBase + " --days Inf --tokens 1", want: "want a number above 0 and at most 1e+06; nearest: 1e+06"},
	{name: "a negative price", args: sizeBase + " --price-per-gpu-hour -1", want: "want a number above 0 and at most 1e+06, such as 2.5"},
	{name: "no price", args: sizeBase + " --price-per-gpu-hour 0", want: "want a number above 0 and at most 1e+06, such as 2.5"},
	{name: "no days", args: sizeBase + " --days 0 --tokens 1e12", want: "want a number above 0 and at most 1e+06, such as 30"},
	{name: "too many tokens a day", args: sizeBase + " --tokens-per-day 1e30", want: "want a number above 0 and at most 1e+18; nearest: 1e+18"},
	{name: "GPUs pinned where they are asked for", args: sizeBase + " --pin gpus>=8", want: `pin "gpus>=8": a candidate uses all its GPUs; --candidates names the numbers to look at`},
	{name: "min-gpus with a flag of plan", args: sizeBase + " --top 3", want: "--top"},
	{name: "a goal of plan", args: base + " --step-time 20s", want: "--step-time"},
	{name: "explain without a plan", args: strings.Replace(base, "plan", "explain", 1)[:len(base)-9], want: "no plan given"},
	{name: "explain of an unknown degree", args: explainBase + " --plan tpp=8", want: "tp"},
	{name: "explain of a degree of zero", args: explainBase + " --plan tp=0", want: "tp=0"},
	{name: "explain of a plan that is too large", args: explainBase + " --plan tp=8,pp=64,dp=64", want: "GPU"},
	{name: "explain of contradicting degrees", args: explainBase + " --plan dp=8,dp_shard=4,dp_replicate=4", want: "contradict"},
	{name: "explain with an unknown fill", args: explainBase + " --plan tp=8 --fill bset", want: "nearest: best"},
}

const explainBase = "explain --model llama-3.1-8b --cluster h100:8 --global-batch 64 --seq 4096"

// TestBadInputIsOneClearError holds for each case: exit code 2, one line on
// standard error that begins with the program's name, nothing on standard
// output.
func TestBadInputIsOneClearError(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeBadFiles(t)
	for _, tc := range badInputs {
		t.Run(tc.name, func(t *testing.T) {
			if err := os.WriteFile("job.toml", []byte(tc.file), 0o644); err != nil {
				t.Fatal(err)
			}
			var args []string
			for _, a := range strings.Fields(tc.args) {
				args = append(args, strings.ReplaceAll(a, "~", " "))
			}
			var stdout, stderr bytes.Buffer
			code := run(lastOf(args), strings.NewReader(tc.stdin), &stdout, &stderr)
			line := stderr.String()
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output is not empty: %.200q", stdout.String())
			}
			if !strings.HasPrefix(line, "meshplan: ") || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
				t.Errorf("standard error is not one line of the program's: %.400q", line)
			}
			if !strings.Contains(line, tc.want) {
				t.Errorf("the message lacks %q: %s", tc.want, line)
			}
			if len(line) > 400 {
				t.Errorf("the message has %d bytes: %.100s...", len(line), line)
			}
		})
	}
}

// lastOf drops a flag with its value where the same flag comes again, so that a case can
// change what a base has.
func lastOf(args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		if name := args[i]; strings.HasPrefix(name, "--") && slices.Contains(args[i+1:], name) && !strings.HasPrefix(args[i+1], "--") {
			i++
			continue
		}
		list = append(list, args[i])
	}
	return list
}

// writeBadFiles writes the files that the cases name into the working
// directory.
func writeBadFiles(t *testing.T) {
	t.Helper()
	random := make([]byte, 2000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for name, text := range map[string]string{
		"random.toml":    string(random),
		"random.json":    string(random),
		"truncated.json": `{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hid`,
		"tokenizer_config.json": `{"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>",
			"model_max_length": 131072, "add_bos_token": true}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(".", "dir.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// FuzzJobFile feeds any text as a job file: it is read or refused with one
// line, and never a panic.
func FuzzJobFile(f *testing.F) {
	f.Add(good)
	for _, tc := range badInputs {
		f.Add(tc.file)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := newJob().readFile(t.Context(), "-", strings.NewReader(text))
		if err != nil && strings.ContainsAny(oneLine(err.Error()), "\n\r\x1b") {
			t.Errorf("not one line: %q", err)
		}
	})
}
