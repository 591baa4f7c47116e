package profile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

func itoa(n int) string { return strconv.Itoa(n) }

// fixtureParameters are the fixture's constants that may be fitted, with their
// values and priors.
var fixtureParameters = []struct {
	path         string
	value, prior float64
	memory       bool
	variant      int
	rate         bool
}{
	{"memory.logit_bytes", 6, 5, true, -1, false},
	{"time.traffic_hidden_bytes", 21.5, 20, false, -1, false},
	{"time.misaligned_slowdown", 1.2, 1.15, false, -1, false},
	{"variant[0].memory.score_bytes", 5, 4, true, 0, false},
	{"variant[0].time.traffic_hidden_bytes", 33, 30, false, 0, false},
	{"variant[1].time.host_layer_seconds", 0.0001, 0.0002, false, 1, false},
	{"rate[0].gemm", 0.9, 0.85, false, -1, true},
	{"rate[1].attention", 0.8, 0.9, false, -1, true},
}

func TestParametersAreTheConstantsThatMayBeFitted(t *testing.T) {
	p := fixtureProfile(t)
	list := p.Parameters()
	if len(list) != len(fixtureParameters) {
		t.Fatalf("%d parameters: %+v", len(list), list)
	}
	for i, want := range fixtureParameters {
		got := list[i]
		variant, rate := got.Of()
		if got.Path != want.path || got.Value != want.value || got.Prior != want.prior || got.Memory() != want.memory || variant != want.variant || (rate != nil) != want.rate {
			t.Errorf("%+v, of %d and %v; want %+v", got, variant, rate, want)
		}
		if spread := math.Log(got.High/got.Low) / 4; got.Spread() != spread {
			t.Errorf("%s: spread %g, want %g", got.Path, got.Spread(), spread)
		}
	}
	if _, rate := list[7].Of(); !slices.Equal(rate.GPUs, []string{"H200-SXM"}) {
		t.Errorf("%s is of %+v", list[7].Path, rate)
	}
}

// drawValues are values of a file's parameters in their ranges.
func drawValues(r *rand.Rand, p *Profile) []float64 {
	var values []float64
	for _, param := range p.Parameters() {
		values = append(values, min(param.High, param.Low*math.Exp(r.Float64()*math.Log(param.High/param.Low))))
	}
	return values
}

func TestWithParametersChangesThemAndNothingElse(t *testing.T) {
	p, again := fixtureProfile(t), fixtureProfile(t)
	values := drawValues(rand.New(rand.NewPCG(1, 2)), p)
	q := p.WithParameters(values)
	for i, param := range q.Parameters() {
		if param.Value != values[i] {
			t.Errorf("%s is %g, want %g", param.Path, param.Value, values[i])
		}
	}
	same := func(what string, a, b *Profile) {
		t.Helper()
		if got, want := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b); got != want {
			t.Errorf("%s\n%s\nwant\n%s", what, got, want)
		}
	}
	same("the profile itself is changed:", p, again)
	old := make([]float64, len(values))
	for i, param := range p.Parameters() {
		old[i] = param.Value
	}
	same("with its own values it is another:", p.WithParameters(old), p)
	same("and after others:", q.WithParameters(old), p)
	for i, member := range q.Family() {
		before := p.Family()[i]
		for key, c := range member.constants() {
			changes := c.Free()
			if (*c != *before.constant(key)) != changes {
				t.Errorf("%s: %s is %+v, before %+v", member.Name, key, *c, *before.constant(key))
			}
		}
	}
}

func TestUnfittedIsTheProfileAtItsPriorsWithoutAnAnchor(t *testing.T) {
	p := fixtureProfile(t).WithAnchor(1.5)
	q := p.Unfitted()
	for i, want := range fixtureParameters {
		if got := q.Parameters()[i]; got.Value != want.prior || got.Prior != want.prior {
			t.Errorf("%s is %g, want %g", got.Path, got.Value, want.prior)
		}
		if got := p.Parameters()[i]; got.Value != want.value {
			t.Errorf("%s of the fitted profile is now %g, not %g", got.Path, got.Value, want.value)
		}
	}
	if q.Time.Anchor.Value != 1 || p.Time.Anchor.Value != 1.5 {
		t.Errorf("anchors %g and %g, want 1 and 1.5", q.Time.Anchor.Value, p.Time.Anchor.Value)
	}
	for key, c := range q.constants() {
		if want := p.constant(key); !c.Free() && key != "time.anchor" && *c != *want {
			t.Errorf("%s is %+v, want %+v", key, *c, *want)
		}
	}
}

func TestAnAnchorIsSharedByTheVariants(t *testing.T) {
	p := fixtureProfile(t)
	for _, q := range p.WithAnchor(1.25).Family() {
		if q.Time.Anchor.Value != 1.25 {
			t.Errorf("%s has the anchor %g", q.Name, q.Time.Anchor.Value)
		}
	}
	if p.Time.Anchor.Value != 1 {
		t.Error("the profile itself is changed")
	}
}

// Of a file that is rewritten only the numbers of its parameters and what they
// were fitted to change, line by line.
func TestRewriteChangesNothingButTheNumbersAndTheirAccount(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, text := range filesAndFixture(t) {
		p, err := Parse(text, name)
		if err != nil {
			t.Fatal(err)
		}
		values := drawValues(r, p)
		out, err := Rewrite(text, name, values, `7 "runs" of \n`)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		onlyNumbers(t, name, string(text), string(out))
		q, err := Parse(out, name)
		if err != nil {
			t.Fatal(err)
		}
		if q.Calibrated != `7 "runs" of \n` {
			t.Errorf("%s: calibrated to %q", name, q.Calibrated)
		}
		for i, param := range q.Parameters() {
			if math.Abs(param.Value/values[i]-1) > 5.1e-4 {
				t.Errorf("%s: %s is %g, want %g", name, param.Path, param.Value, values[i])
			}
		}
	}
}

// onlyNumbers wants two texts of the same lines, but for numbers behind
// "value =" of constants that have a prior and one line of their account.
func onlyNumbers(t *testing.T, name, before, after string) {
	t.Helper()
	strip := func(text string) []string {
		var lines []string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "calibrated = ") {
				continue
			}
			if head, tail, ok := strings.Cut(line, "{ value = "); ok && strings.Contains(line, ", prior = ") {
				_, tail, _ = strings.Cut(tail, ",")
				line = head + "{ value = X," + tail
			}
			lines = append(lines, line)
		}
		return lines
	}
	a, b := strip(before), strip(after)
	if len(a) != len(b) {
		t.Fatalf("%s: %d lines, before %d", name, len(b), len(a))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("%s: line\n%sis now\n%s", name, a[i], b[i])
		}
	}
}

func TestValuesAtTheEndsOfTheirRangesAreWritten(t *testing.T) {
	p := fixtureProfile(t)
	ends := func(of func(c Constant) float64) []float64 {
		var list []float64
		for _, param := range p.Parameters() {
			list = append(list, of(param.Constant))
		}
		return list
	}
	// 1.0001, the low end of a slowdown, is 1 to four digits.
	for name, values := range map[string][]float64{
		"low":  ends(func(c Constant) float64 { return c.Low }),
		"near": ends(func(c Constant) float64 { return c.Low * (1 + 1e-9) }),
		"high": ends(func(c Constant) float64 { return c.High }),
		"last": ends(func(c Constant) float64 { return c.High * (1 - 1e-9) }),
	} {
		out, err := Rewrite([]byte(fixture(t)), "p.toml", values, "ends")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, param := range parsed(t, string(out)).Parameters() {
			if math.Abs(param.Value/values[i]-1) > 5e-4 {
				t.Errorf("%s: %s is %g, want %g", name, param.Path, param.Value, values[i])
			}
		}
	}
}

func TestTheAccountIsWrittenBehindTheNameOfTheProfile(t *testing.T) {
	const head = "# name = \"no\"\n"
	free := "[time]\njitter = { value = 0.2, prior = 0.2, low = 0.1, high = 0.5, source = \"s\" }\n"
	recipe := "[[recipe]]\nname = \"own\"\nweight = 2\nsource = \"s\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"where there is none", head + "name = \"x\"\nbase = \"megatron\"\n", head + "name = \"x\"\ncalibrated = \"c\"\nbase = \"megatron\"\n"},
		{"where the name is the first line", "name = \"x\"\nbase = \"megatron\"\n", "name = \"x\"\ncalibrated = \"c\"\nbase = \"megatron\"\n"},
		{"where the first line is one already", "calibrated = \"old\"\nname = \"x\"\nbase = \"megatron\"\n", "calibrated = \"c\"\nname = \"x\"\nbase = \"megatron\"\n"},
		{"in place of one", "base = \"megatron\"\n  calibrated=\"old\"\nname=\"x\"\n", "base = \"megatron\"\ncalibrated = \"c\"\nname=\"x\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Rewrite([]byte(c.text+recipe+free), "p.toml", []float64{0.3}, "c")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(out), c.want+recipe+strings.Replace(free, "value = 0.2", "value = 0.3", 1); got != want {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRewriteAnchorChangesTheAnchorAlone(t *testing.T) {
	for _, c := range []struct{ name, text, old, new string }{
		{"in place of one", fixture(t), "anchor = { value = 1, source", "anchor = { value = 1.235, source"},
		{"of a base", child, "[time]\n", "[time]\nanchor = { value = 1.235, source = \"median of measured over predicted step times\" }\n"},
		{"in place of none", strings.Replace(fixture(t), "anchor = { value = 1, source = \"a test\"", "anchor = { value = 1, source = \"anchored to no run\"", 1),
			"anchor = { value = 1, source = \"anchored to no run\"", "anchor = { value = 1.235, source = \"median of measured over predicted step times\""},
		{"of a base, in a table with blanks", strings.Replace(child, "[time]", " [ time ] # mine", 1), "# mine\n", "# mine\nanchor = { value = 1.235, source = \"median of measured over predicted step times\" }\n"},
		{"behind a comment about the table", "# see [time]\n" + child, "\n[time]\n", "\n[time]\nanchor = { value = 1.235, source = \"median of measured over predicted step times\" }\n"},
		{"of a file without the table", "name = \"x\"\nbase = \"megatron\"", "\"megatron\"", "\"megatron\"\n\n[time]\nanchor = { value = 1.235, source = \"median of measured over predicted step times\" }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := RewriteAnchor([]byte(c.text), "p.toml", 1.23456)
			if err != nil {
				t.Fatal(err)
			}
			if want := changed(t, c.text, c.old, c.new); string(out) != want {
				t.Errorf("\n%s\nwant\n%s", out, want)
			}
			if p := parsed(t, string(out)); p.Time.Anchor.Value != 1.235 {
				t.Errorf("anchor %g", p.Time.Anchor.Value)
			}
		})
	}
	if _, err := RewriteAnchor([]byte("name = 3"), "p.toml", 1); err == nil {
		t.Error("a text that is no profile is rewritten")
	}
	_, err := RewriteAnchor([]byte(fixture(t)), "p.toml", 2000)
	checkError(t, err, "time.anchor is 2000: want at most 1000")
}

func TestARangeThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	at := func(text string) string {
		before, _, _ := strings.Cut(fixture(t), text)
		return "p.toml:" + itoa(strings.Count(before, "\n")+1) + ":1: "
	}
	logit := func(rest string) string { return "logit_bytes = { " + rest + `, source = "x" }` }
	const gemm = `gemm = { value = 0.9, prior = 0.85, low = 0.5, high = 1.1, source = "a test" }`
	const misaligned = `misaligned_slowdown = { value = 1.2, prior = 1.15, low = 1.0001, high = 2,`
	for _, c := range []struct{ name, old, new, want string }{
		{"a low end at the prior", lineLogit, logit("value = 6, prior = 5, low = 5, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 5 between 5 and 12: want low < prior < high, all above 0"},
		{"a low end above the prior", lineLogit, logit("value = 6, prior = 5, low = 5.5, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 5 between 5.5 and 12"},
		{"a high end at the prior", lineLogit, logit("value = 5, prior = 6, low = 5, high = 6"), at(lineLogit) + "memory.logit_bytes has the prior 6 between 5 and 6"},
		{"a low end of nothing", lineLogit, logit("value = 6, prior = 5, low = 0, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 5 between 0 and 12"},
		{"a negative range", lineLogit, logit("value = 6, prior = -5, low = -12, high = -2"), at(lineLogit) + "memory.logit_bytes has the prior -5 between -12 and -2"},
		{"ends without a prior", lineLogit, logit("value = 6, low = 2, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 0 between 2 and 12"},
		{"a prior without ends", lineLogit, logit("value = 6, prior = 5"), at(lineLogit) + "memory.logit_bytes has the prior 5 alone: want low and high beside it"},
		{"a prior of infinity without ends", lineLogit, logit("value = 6, prior = inf"), at(lineLogit) + "memory.logit_bytes has the prior +Inf alone"},
		{"a prior with one end", lineLogit, logit("value = 6, prior = 5, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 5 between 0 and 12"},
		{"ends that are no numbers", lineLogit, logit("value = 6, prior = 5, low = nan, high = 12"), at(lineLogit) + "memory.logit_bytes has the prior 5 between NaN and 12"},
		{"an infinite end", lineLogit, logit("value = 6, prior = 5, low = 2, high = inf"), at(lineLogit) + "memory.logit_bytes has the prior 5 between 2 and +Inf"},
		{"a value below its range", lineLogit, logit("value = 1, prior = 5, low = 2, high = 12"), at(lineLogit) + "memory.logit_bytes is 1: want a value in its own range from 2 to 12"},
		{"a value above its range", lineLogit, logit("value = 13, prior = 5, low = 2, high = 12"), at(lineLogit) + "memory.logit_bytes is 13: want a value in its own range from 2 to 12"},
		{"a range beyond what the constant can be", misaligned, "misaligned_slowdown = { value = 1.2, prior = 1.15, low = 0.9, high = 2,", at(misaligned) + "time.misaligned_slowdown may be fitted from 0.9 to 2: want a range within 1 to 100"},
		{"a rate out of its range", gemm, strings.Replace(gemm, "0.9", "1.2", 1), at(gemm) + "rate[0].gemm is 1.2: want a value in its own range from 0.5 to 1.1"},
		{"a rate of nothing", gemm, `gemm = { value = 0, source = "x" }`, at(gemm) + "rate[0].gemm is 0: want at least 0.01"},
		{"a rate that nothing reaches", gemm, `gemm = { value = 1e6, source = "x" }`, at(gemm) + "rate[0].gemm is 1e+06: want at most 100"},
		{"a rate with a prior alone", gemm, `gemm = { value = 0.9, prior = 0.8, source = "x" }`, at(gemm) + "rate[0].gemm has the prior 0.8 alone"},
		{"a rate without a source", gemm, `gemm = { value = 0.9 }`, "a share of rate 1 has no source"},
		{"a rate with a range and no source", gemm, `gemm = { prior = 0.85, low = 0.5, high = 1.1 }`, "a share of rate 1 has no source"},
		{"a rate of no GPU", "gpus = [\"H200-SXM\"]\n", "", "rate 2 names no gpus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(changed(t, fixture(t), c.old, c.new)), "p.toml")
			checkError(t, err, c.want)
		})
	}
}

// A profile may leave eight constants of each section to be fitted, what it sets
// and what it shares with its file together. The fixture has one of memory and two
// of time, and a variant one more of each.
func TestTooManyConstantsToFitAreRefused(t *testing.T) {
	for _, c := range []struct {
		section string
		keys    []string
		most    int // of the keys that are not too many
	}{
		{"memory", []string{"norm_bytes", "layer_norm_bytes", "attention_bytes", "flash_stats_bytes", "gated_mlp_bytes", "plain_mlp_bytes", "router_bytes", "routed_bytes"}, 6},
		{"time", []string{"traffic_head_bytes", "traffic_kv_bytes", "traffic_ffn_bytes", "traffic_logit_bytes", "traffic_ring_bytes", "grad_comm_bytes", "optimizer_traffic_bytes"}, 5},
	} {
		text := fixture(t)
		for i, key := range c.keys {
			before, rest, ok := strings.Cut(text, "\n"+key+" = { value = ")
			value, rest, closed := strings.Cut(rest, ",")
			v, err := strconv.ParseFloat(value, 64)
			if !ok || !closed || err != nil {
				t.Fatalf("%s is not in the fixture: %v", key, err)
			}
			text = fmt.Sprintf("%s\n%s = { value = %s, prior = %s, low = %g, high = %g,%s", before, key, value, value, v/2, v*2, rest)
			_, err = Parse([]byte(text), "p.toml")
			if i < c.most && err != nil {
				t.Errorf("%d of %s: %v", i+1, c.section, err)
			}
			if i >= c.most {
				checkError(t, err, "has more than 8 constants in "+c.section+" that may be fitted")
			}
		}
	}
}

func TestTheShareOfACurveIsTheProductOfTheRatesThatTakeTheJob(t *testing.T) {
	p := fixtureProfile(t)
	for _, c := range []struct {
		gpu, precision  string
		gemm, attention float64
	}{
		{"H100-SXM", "bf16", 0.9, 0.7},
		{"H100-SXM", "fp8", 1, 1},
		{"H200-SXM", "bf16", 0.9 * 1.05, 0.7 * 0.8},
		{"H200-SXM", "fp8", 1.05, 0.8},
		{"A100-SXM-80GB", "bf16", 1, 1},
		{"h200-sxm", "bf16", 1, 1}, // catalogue names, letter by letter
		{"", "", 1, 1},
	} {
		gemm, attention := p.GEMMShare(c.gpu, plan.Precision(c.precision)), p.AttentionShare(c.gpu, plan.Precision(c.precision))
		if math.Abs(gemm-c.gemm) > 1e-12 || math.Abs(attention-c.attention) > 1e-12 {
			t.Errorf("%s in %s: shares %g and %g, want %g and %g", c.gpu, c.precision, gemm, attention, c.gemm, c.attention)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		gpus, precisions := []string{"a", "b", "c"}, []string{"bf16", "fp8", "mxfp8"}
		pick := func(list []string, what string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(list), 0, len(list), rapid.ID[string]).Draw(t, what)
		}
		p := new(Profile)
		gpu, precision := rapid.SampledFrom(gpus).Draw(t, "gpu"), rapid.SampledFrom(precisions).Draw(t, "precision")
		want := 1.0
		for range rapid.IntRange(0, 5).Draw(t, "rates") {
			r := Rate{GPUs: pick(gpus, "gpus"), GEMM: Constant{Value: rapid.Float64Range(0.1, 2).Draw(t, "share")}}
			named := pick(precisions, "precisions")
			for _, name := range named {
				r.Precisions = append(r.Precisions, plan.Precision(name))
			}
			if slices.Contains(r.GPUs, gpu) && (len(named) == 0 || slices.Contains(named, precision)) {
				want *= r.GEMM.Value
			}
			p.Rates = append(p.Rates, r)
		}
		if got := p.GEMMShare(gpu, plan.Precision(precision)); math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("share %g, want %g", got, want)
		}
		if got := p.AttentionShare(gpu, plan.Precision(precision)); got != 1 {
			t.Fatalf("rates of GEMMs give attention a share of %g", got)
		}
	})
}
