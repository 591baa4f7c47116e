package profile

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"meshplan/strict"
)

// maxFree is the most constants of a section that may be fitted of one profile,
// its variant's and those that it shares with the others of its file together.
// Rates are beside them.
const maxFree = 8

// Parameter is a constant of a profile file that may be fitted.
type Parameter struct {
	// Path is its place: "time.host_layer_seconds", of the second variant
	// "variant[1].time.host_layer_seconds", of the first rate "rate[0].gemm".
	Path string
	Constant
	variant int
	key     string
	rate    *Rate
}

// Of is the variant, numbered from 0, or the rate that the parameter belongs to;
// of one of the profile itself it is -1 and nil.
func (p *Parameter) Of() (variant int, rate *Rate) {
	if p.rate != nil {
		return own, p.rate
	}
	return p.variant, nil
}

// Memory reports whether the parameter belongs to the memory account.
func (p *Parameter) Memory() bool { return strings.HasPrefix(p.key, "memory.") }

// Spread is the standard deviation of the prior's logarithm: a quarter of the
// way from the low to the high end.
func (p *Parameter) Spread() float64 { return math.Log(p.High/p.Low) / 4 }

// Parameters are the free constants of the file, in its order: the profile's own,
// then those of each variant, then the rates.
func (p *Profile) Parameters() []Parameter {
	var list []Parameter
	collect := func(variant int, of *Profile, set func(string) bool) {
		for key, c := range of.constants() {
			if c.Free() && set(key) {
				list = append(list, Parameter{Path: element(variant, key), Constant: *c, variant: variant, key: key})
			}
		}
	}
	collect(own, p, func(string) bool { return true })
	for i := range p.Variants {
		v := &p.Variants[i]
		collect(i, &Profile{Memory: v.Memory, Time: v.Time}, func(key string) bool { return v.set[key] })
	}
	for i := range p.Rates {
		one := Profile{Rates: p.Rates[i : i+1]}
		for path, c := range one.rates {
			if c.Free() {
				path = strings.Replace(path, "[0]", fmt.Sprintf("[%d]", i), 1)
				list = append(list, Parameter{Path: path, Constant: *c, variant: ofRate, key: path, rate: &p.Rates[i]})
			}
		}
	}
	return list
}

// ofRate stands for the variant of parameters that are rates.
const ofRate = -2

// WithParameters is the file's profile with other values of its parameters, in
// the order of Parameters.
func (p *Profile) WithParameters(values []float64) *Profile {
	q := *p
	q.Variants, q.Rates = slices.Clone(p.Variants), slices.Clone(p.Rates)
	rates := map[string]*Constant{}
	for path, c := range q.rates {
		rates[path] = c
	}
	for i, param := range p.Parameters() {
		if param.variant == ofRate {
			rates[param.key].Value = values[i]
			continue
		}
		if param.variant == own {
			q.constant(param.key).Value = values[i]
			continue
		}
		v := &q.Variants[param.variant]
		part := &Profile{Memory: v.Memory, Time: v.Time}
		part.constant(param.key).Value = values[i]
		v.Memory, v.Time = part.Memory, part.Time
	}
	return &q
}

// Unfitted is the profile as it was before any run was seen: neither fitted nor
// anchored.
func (p *Profile) Unfitted() *Profile {
	q := *p
	for _, c := range q.constants() {
		*c = c.unfitted()
	}
	q.Time.Anchor.Value = 1
	q.Variants, q.Rates = slices.Clone(p.Variants), slices.Clone(p.Rates)
	for _, c := range q.rates {
		*c = c.unfitted()
	}
	for i := range q.Variants {
		v := &q.Variants[i]
		part := &Profile{Memory: v.Memory, Time: v.Time}
		for _, c := range part.constants() {
			*c = c.unfitted()
		}
		v.Memory, v.Time = part.Memory, part.Time
	}
	return &q
}

// Rewrite is the text of a profile file with other values of its parameters and
// another account of what they were fitted to; everything else stays.
func Rewrite(text []byte, name string, values []float64, calibrated string) ([]byte, error) {
	p, err := Parse(text, name)
	if err != nil {
		return nil, err
	}
	out := string(text)
	for i, param := range p.Parameters() {
		doc, err := strict.Decode(name, []byte(out), new(Profile))
		if err != nil {
			return nil, err
		}
		if out, err = doc.SetNumber(param.Path+".value", param.written(values[i])); err != nil {
			return nil, err
		}
	}
	out = withLine(out, "calibrated", "calibrated = "+strconv.Quote(calibrated))
	_, err = Parse([]byte(out), name)
	return []byte(out), err
}

// written is a value to four digits, or the end of the constant's range that
// these digits lie beyond.
func (c *Constant) written(value float64) string {
	text := strconv.FormatFloat(value, 'g', 4, 64)
	if v, err := strconv.ParseFloat(text, 64); err == nil && (v < c.Low || v > c.High) {
		return strconv.FormatFloat(min(max(value, c.Low), c.High), 'g', -1, 64)
	}
	return text
}

// withLine is the text of a profile file with a line in place of that of a key
// before its first table, or for want of one behind the name's.
func withLine(text, key, line string) string {
	lines := strings.SplitAfter(text, "\n")
	name := 0
	for i, l := range lines {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "[") {
			break
		}
		set, _, ok := strings.Cut(l, "=")
		switch set = strings.TrimSpace(set); {
		case ok && set == key:
			lines[i] = line + lines[i][len(strings.TrimRight(lines[i], "\r\n")):]
			return strings.Join(lines, "")
		case ok && set == "name":
			name = i
		}
	}
	lines[name] = strings.TrimSuffix(lines[name], "\n") + "\n" + line + "\n"
	return strings.Join(lines, "")
}

// WithAnchor is the profile with another anchor, which its variants share.
func (p *Profile) WithAnchor(ratio float64) *Profile {
	q := *p
	q.Time.Anchor.Value = ratio
	return &q
}

// CheckAnchor is the error of an anchor that no profile can have.
func CheckAnchor(ratio float64) error {
	if err := (Constant{Value: ratio, Source: anchorSource}).validate("time.anchor"); err != nil {
		return fmt.Errorf("time.anchor %w", err)
	}
	return nil
}

// anchorSource is the source of an anchor, quoted, and timeTable the line before
// those of the table it is in.
const anchorSource = `"median of measured over predicted step times"`

var timeTable = regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*time[ \t]*\][ \t]*(#[^\r\n]*)?`)

// RewriteAnchor is the text of a profile file with another anchor.
func RewriteAnchor(text []byte, name string, ratio float64) ([]byte, error) {
	doc, err := strict.Decode(name, text, new(Profile))
	if err != nil {
		return nil, err
	}
	value := strconv.FormatFloat(ratio, 'g', 4, 64)
	out := string(text)
	if doc.HasElement("time.anchor.value") {
		out, err = doc.SetNumber("time.anchor.value", value)
		out = strings.Replace(out, `source = "anchored to no run"`, "source = "+anchorSource, 1)
	} else { // the base's
		line := "anchor = { value = " + value + ", source = " + anchorSource + " }"
		if at := timeTable.FindStringIndex(out); at != nil {
			out = out[:at[1]] + "\n" + line + out[at[1]:]
		} else {
			out = strings.TrimRight(out, "\n") + "\n\n[time]\n" + line + "\n"
		}
	}
	if err != nil {
		return nil, err
	}
	_, err = Parse([]byte(out), name)
	return []byte(out), err
}

// validateFree checks the number of free constants of each profile of the file.
func (p *Profile) validateFree(doc *strict.Doc) error {
	for _, q := range p.Family() {
		count := map[string]int{}
		for key, c := range q.constants() {
			section, _, _ := strings.Cut(key, ".")
			if !c.Free() {
				continue
			}
			if count[section]++; count[section] > maxFree {
				return fmt.Errorf("%s: %s has more than %d constants in %s that may be fitted", doc.At(strings.Split(key, ".")...), q.Name, maxFree, section)
			}
		}
	}
	return nil
}
