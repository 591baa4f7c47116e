package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxChunks bounds the entries that a run-length text may stand for.
const MaxChunks = 10_000

// RunLength is the canonical text of a list of layers per chunk: "8*14+7*2"
// is fourteen chunks of eight layers and two of seven.
func RunLength[N int | int32](layers []N) string {
	var b strings.Builder
	for i := 0; i < len(layers); {
		n := i + 1
		for n < len(layers) && layers[n] == layers[i] {
			n++
		}
		if i > 0 {
			b.WriteByte('+')
		}
		fmt.Fprint(&b, layers[i])
		if n-i > 1 {
			fmt.Fprintf(&b, "*%d", n-i)
		}
		i = n
	}
	return b.String()
}

// ParseRunLength reads a run-length text; a comma may stand for the plus. It
// refuses negative numbers and more than MaxChunks entries.
func ParseRunLength(text string) ([]int, error) {
	var layers []int
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '+' || r == ',' }) {
		value, times, repeated := strings.Cut(strings.TrimSpace(run), "*")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 0 || n > MaxChunks {
			return nil, fmt.Errorf("layers %q: %q is not a number of layers; expected for example 8*14+7*2", Clip(text), Clip(run))
		}
		count := 1
		if repeated {
			count, err = strconv.Atoi(strings.TrimSpace(times))
			if err != nil || count < 1 {
				return nil, fmt.Errorf("layers %q: %q is not layers*chunks; expected for example 8*14+7*2", Clip(text), Clip(run))
			}
		}
		if count > MaxChunks-len(layers) {
			return nil, fmt.Errorf("layers %q: more than %d chunks", Clip(text), MaxChunks)
		}
		for range count {
			layers = append(layers, n)
		}
	}
	if len(layers) == 0 {
		return nil, fmt.Errorf("layers %q: empty; expected for example 8*14+7*2", Clip(text))
	}
	return layers, nil
}

// Layers is the number of layers of each chunk; nil for the zero value.
func (s Stages) Layers() ([]int32, error) {
	if s.Text == "" {
		return nil, nil
	}
	list, err := ParseRunLength(s.Text)
	if err != nil {
		return nil, err
	}
	layers := make([]int32, len(list))
	for i, n := range list {
		layers[i] = int32(n)
	}
	return layers, nil
}
