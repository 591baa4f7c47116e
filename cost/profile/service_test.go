package profile

import (
	"strings"
	"testing"
)

func TestPatternsMatchNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"nanotron", "nanotron", true},
		{"nanotron", "Nanotron", true},
		{"nanotron", "nanotron v0.5", false},
		{"nanotron*", "nanotron v0.5", true},
		{"*llm-foundry*", "Composer/llm-foundry FSDP", true},
		{"NeMo 2*", "NeMo 24.07", true},
		{"NeMo 2*", "NeMo/Megatron-Core 24.07", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"a*a", "a", false}, // no letter is used twice
		{"*a*", "banana", true},
		{"megatron", "", false},
	} {
		if got := matchAny([]string{c.pattern}, c.name) >= 0; got != c.want {
			t.Errorf("%q matches %q: %t, want %t", c.pattern, c.name, got, c.want)
		}
	}
}

func TestTheMostSpecificServiceHasTheLargestWeight(t *testing.T) {
	loose := Service{Names: []string{"*Speed*"}}
	exact := Service{Names: []string{"Megatron-DeepSpeed"}}
	kernel := Service{Names: []string{"*Speed*"}, Kernels: []string{"fa*"}}
	weight := func(s Service, framework, kernel string) int {
		w, ok := s.Serves(Software{Framework: framework, Kernel: kernel})
		if !ok {
			return -1
		}
		return w
	}
	const name = "Megatron-DeepSpeed"
	if a, b, c := weight(loose, name, "fa2"), weight(exact, name, "fa2"), weight(kernel, name, "fa2"); a < 0 || a >= b || b >= c {
		t.Errorf("weights %d, %d, %d do not rise", a, b, c)
	}
	if weight(kernel, name, "torch") >= 0 || weight(kernel, name, "") >= 0 || weight(exact, "DeepSpeed", "fa2") >= 0 {
		t.Error("a service takes runs that are not its own")
	}
}

func TestAServiceThatIsWrongIsRefused(t *testing.T) {
	const good = "\n[[service]]\nnames = [\"x*\"]\nsource = \"s\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"without names", strings.Replace(good, `names = ["x*"]`, "", 1), "service 4 has no names"},
		{"of everything", strings.Replace(good, "x*", "*", 1), `service 4 has the pattern "*", which matches everything`},
		{"without a source", strings.Replace(good, `source = "s"`, "", 1), "service 4 has no source"},
		{"with degrees", good + "plan = \"tp=8\"\n", `service 4 has the plan "tp=8": want only sp, zero and recompute in it`},
		{"with a plan that is none", good + "plan = \"sp=maybe\"\n", `service 4 has a plan "sp=maybe": sp`},
		{"of unknown FLOPs", good + "flops = \"mine\"\n", `service 4 counts flops as "mine"`},
		{"with an unknown key", good + "kernel = \"fa\"\n", `unknown key "service.kernel"; nearest: kernels`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(megatron(t)+good+c.text), "p.toml")
			checkError(t, err, c.want)
		})
	}
	if p, err := Parse([]byte(megatron(t)+good), "p.toml"); err != nil || len(p.Services) != 3 {
		t.Errorf("%v", err)
	}
}

// Each published name of a framework has one profile that serves it best.
func TestFrameworksHaveTheirProfiles(t *testing.T) {
	for name, want := range map[string]string{
		"Megatron-Bridge/Megatron-Core":         "megatron",
		"NeMo/Megatron-Core (DGX Cloud recipe)": "megatron",
		"NeMo 24.03.01":                         "megatron",
		"Megatron-LM":                           "megatron",
		"Megatron-LM 2020":                      "megatron-2022",
		"Megatron-LM 2021":                      "megatron-2022",
		"Megatron-LM 2022":                      "megatron-2022",
		"Megatron-DeepSpeed":                    "megatron-2022",
		"nanotron v0.5":                         "nanotron",
		"torchtitan 2025-06":                    "torchtitan",
		"HF Transformers + PEFT/DeepSpeed":      "deepspeed",
		"DeepSpeed 0.17":                        "deepspeed",
		"Composer/llm-foundry FSDP":             "llm-foundry",
		"NeMo AutoModel (PyTorch FSDP2)":        "fsdp",
		"MaxText (JAX)":                         "",
		"InternEvo":                             "",
		"":                                      "",
	} {
		best, weight := "", -1
		for _, profile := range Names() {
			p, err := Find(profile)
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Services {
				if w, ok := p.Services[i].Serves(Software{Framework: name}); ok && w > weight {
					best, weight = profile, w
				}
			}
		}
		if best != want {
			t.Errorf("%q is served by %q, want %q", name, best, want)
		}
	}
}
