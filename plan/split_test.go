package plan_test

import (
	"testing"

	"pgregory.net/rapid"

	"meshplan/plan"
)

func TestDefaultSplits(t *testing.T) {
	for _, c := range []struct {
		name            string
		form            plan.SplitForm
		layers, pp, vpp int
		want            string // "" = the form has none
	}{
		{"even", plan.SplitEven, 80, 8, 5, "2*40"},
		{"30 layers on 4 stages are not even", plan.SplitEven, 30, 4, 1, ""},
		{"405B: 126 layers and both ends on 16 stages", plan.SplitEmbedLoss, 126, 16, 1, "7+8*14+7"},
		{"405B interleaved", plan.SplitEmbedLoss, 126, 8, 8, "1+2*62+1"},
		{"one end: the head", plan.SplitEmbedLoss, 7, 2, 1, "4+3"},
		{"235B: a chunk each, both ends alone", plan.SplitEmbedLoss, 94, 4, 24, "0+1*94+0"},
		{"61 layers on 16 stages have no counted form", plan.SplitEmbedLoss, 61, 16, 1, ""},
		{"61 layers on 16 stages, first and last", plan.SplitFirstLast, 61, 16, 1, "3+4*14+2"},
		{"61 layers on 8 stages", plan.SplitFirstLast, 61, 8, 1, "7+8*6+6"},
		{"vpp must divide each stage", plan.SplitFirstLast, 61, 8, 2, ""},
		{"13 layers on two ranks", plan.SplitFirstLast, 13, 2, 1, "7+6"},
		{"61 layers in 32 chunks", plan.SplitLayout, 61, 8, 4, "1+2*29+1*2"},
		{"more chunks than layers, both ends empty", plan.SplitLayout, 6, 4, 2, "0+1*6+0"},
		{"too many chunks", plan.SplitLayout, 5, 4, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			split, ok := c.form.Default(c.layers, c.pp, c.vpp)
			got := ""
			if ok {
				got = plan.RunLength(split)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDefaultSplitsAreExpressedAndAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layers := rapid.IntRange(1, 200).Draw(t, "layers")
		pp, vpp := rapid.IntRange(1, 40).Draw(t, "pp"), rapid.IntRange(1, 8).Draw(t, "vpp")
		for _, form := range plan.AllForms() {
			split, ok := form.Default(layers, pp, vpp)
			if !ok {
				if form == plan.SplitLayout && pp*vpp <= layers+2 {
					t.Fatal("a layout expresses every count")
				}
				continue
			}
			total := 0
			for _, n := range split {
				total += int(n)
			}
			if total != layers || !form.Expresses(split, pp, vpp) {
				t.Fatalf("%s: %d layers over %d*%d as %s", form, layers, pp, vpp, plan.RunLength(split))
			}
		}
	})
}

// The rules on splits say, for each chunk and in Megatron's own terms, how many
// layers it holds; an enumeration of their arguments must give exactly the
// splits that the forms express.
func TestFormsExpressWhatTheirArgumentsCanSay(t *testing.T) {
	for pp := 1; pp <= 4; pp++ {
		for vpp := 1; vpp <= 2; vpp++ {
			says := map[plan.SplitForm]map[string]bool{plan.SplitEven: {}, plan.SplitEmbedLoss: {}, plan.SplitFirstLast: {}}
			chunks := pp * vpp
			for n := 1; n <= 4; n++ {
				says[plan.SplitEven][plan.RunLength(constant(chunks, n, n, n))] = true
				if chunks > 1 {
					says[plan.SplitEmbedLoss][plan.RunLength(constant(chunks, n-1, n, n))] = true
					says[plan.SplitEmbedLoss][plan.RunLength(constant(chunks, n, n, n-1))] = true
					says[plan.SplitEmbedLoss][plan.RunLength(constant(chunks, n-1, n, n-1))] = true
				}
				for first := 1; first <= 4; first++ {
					for last := 1; last <= 4; last++ {
						says[plan.SplitFirstLast][plan.RunLength(byRank(pp, vpp, first, n, last))] = true
					}
				}
			}
			each(chunks, 3, func(layers []int32) {
				text := plan.RunLength(layers)
				for form, said := range says {
					if form == plan.SplitEmbedLoss && chunks == 1 {
						continue
					}
					if got, want := form.Expresses(layers, pp, vpp), said[text] && sum(layers) > 0; got != want {
						t.Errorf("%s over %d*%d, %s: got %v", text, pp, vpp, form, got)
					}
				}
			})
		}
	}
}

func constant(n, first, middle, last int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(middle)
	}
	s[n-1] = int32(last)
	if n > 1 || first != middle {
		s[0] = int32(first)
	}
	return s
}

func byRank(pp, vpp, first, middle, last int) []int32 {
	var s []int32
	for range vpp {
		round := constant(pp, first, middle, last)
		if pp == 1 {
			round[0] = int32(first)
		}
		s = append(s, round...)
	}
	return s
}

func each(n, most int, visit func([]int32)) {
	s := make([]int32, n)
	for {
		visit(s)
		i := 0
		for ; i < n; i++ {
			if s[i]++; int(s[i]) <= most {
				break
			}
			s[i] = 0
		}
		if i == n {
			return
		}
	}
}

func sum(s []int32) (n int32) {
	for _, v := range s {
		n += v
	}
	return n
}

func TestRunLengthReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 60).Draw(t, "layers")
		got, err := plan.ParseRunLength(plan.RunLength(list))
		if err != nil || plan.RunLength(got) != plan.RunLength(list) || len(got) != len(list) {
			t.Fatalf("%v reads back as %v, %v", list, got, err)
		}
	})
}

func FuzzParseRunLength(f *testing.F) {
	f.Add("8*14+7*2")
	f.Add("1,2,3")
	f.Fuzz(func(t *testing.T, s string) {
		list, err := plan.ParseRunLength(s)
		if err == nil && (len(list) == 0 || len(list) > plan.MaxChunks) {
			t.Fatalf("%q gives %d entries", s, len(list))
		}
	})
}
