package measured

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"meshplan/cost/profile"
	"meshplan/framework/all"
	"meshplan/plan"
)

// Calibration is the constants of a profile file as fitted to measured runs.
type Calibration struct {
	FormatVersion int      `json:"format_version"`
	Profile       string   `json:"profile"`
	Runs          int      `json:"runs"`  // scored rows that the profile or a variant of it serves
	Used          int      `json:"used"`  // of these, those that a constant was learnt from
	Folds         int      `json:"folds"` // sweeps, or for want of one models on a GPU in a precision
	Constants     []Fitted `json:"constants"`
	Before        Part     `json:"before"`   // the profile as it was
	Unfitted      Part     `json:"unfitted"` // all constants at their priors
	After         Part     `json:"after"`    // as fitted to all runs
	Held          Part     `json:"held"`     // each fold by constants fitted without it
	// Anchor is what step times were multiplied by where nothing was fitted, and
	// Anchored the runs that it is the median of.
	Anchor   float64 `json:"anchor,omitempty"`
	Anchored int     `json:"anchored,omitempty"`

	values []float64
	anchor float64 // of the profile, that it had before among it
}

// Fitted is one constant.
type Fitted struct {
	Path string `json:"path"`
	// Variant is that of the profile which the constant belongs to, GPUs and
	// Precisions those of its rate; all are empty for one of the profile itself.
	Variant    string           `json:"variant,omitempty"`
	GPUs       []string         `json:"gpus,omitempty"`
	Precisions []plan.Precision `json:"precisions,omitempty"`

	Prior  float64 `json:"prior"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Before float64 `json:"before"`
	Value  float64 `json:"value"`
	// Spread is the standard deviation of its logarithm given the runs, over the
	// prior's: 1 is nothing learnt.
	Spread float64 `json:"spread"`
	Pinned bool    `json:"pinned"` // else the runs say too little, and it stays at its prior
}

// PinnedBelow is the spread above which the runs do not pin a constant.
const PinnedBelow = 0.85

// Fewest runs from which constants are fitted; fewer can only anchor a profile.
const fewest = 8

// CalibrateFile fits the free constants of a profile file to the runs of a table
// that the profile or a variant of it serves. With anchor it fits none, but scales
// the profile's step times by the median of measured over predicted.
func CalibrateFile(ctx context.Context, path string, file *profile.Profile, anchor bool) (*Calibration, error) {
	t, err := loadTable(path)
	if err != nil {
		return nil, err
	}
	return calibrate(ctx, t, file, anchor)
}

func calibrate(ctx context.Context, t *runs, file *profile.Profile, anchor bool) (*Calibration, error) {
	list, err := catalogue()
	if err != nil {
		return nil, err
	}
	for _, name := range file.Frameworks {
		if _, err := all.Find(name); err != nil {
			return nil, fmt.Errorf("profile %s: %w", file.Name, err)
		}
	}
	at := list.put(file)
	rows, err := t.score(ctx, list)
	if err != nil {
		return nil, err
	}
	var of []scored
	for i := range rows {
		if s := &rows[i]; s.skip == nil && s.prediction.job.of.member.file == at {
			of = append(of, *s)
		}
	}
	if err := noneScored(t.name, rows); err != nil {
		return nil, err
	}
	c := &Calibration{FormatVersion: FormatVersion, Profile: file.Name, Runs: len(of), Constants: []Fitted{},
		Before: judged(of), Unfitted: judged(nil), Held: judged(nil)}
	l := &learner{list: list, at: at, rows: of}
	l.begin()
	c.Used, c.Folds = l.used(), len(l.folds)
	if anchor {
		if err := c.anchorTo(ctx, t.name, l); err != nil {
			return nil, err
		}
		return c, nil
	}
	if err := c.fitTo(ctx, t.name, l); err != nil {
		return nil, err
	}
	return c, nil
}

// fitTo fits the constants to the rows and judges them.
func (c *Calibration) fitTo(ctx context.Context, table string, l *learner) error {
	if err := c.fittable(table, l); err != nil {
		return err
	}
	full, err := l.learn(ctx, "")
	if err != nil {
		return err
	}
	c.values = full.values
	for k := range l.free {
		c.Constants = append(c.Constants, fitted(l.list[l.at].file, &l.free[k], full, k))
	}
	if c.Unfitted, err = l.judge(ctx, l.priors()); err != nil {
		return err
	}
	if c.After, err = l.judge(ctx, full.values); err != nil {
		return err
	}
	held, err := l.held(ctx, full)
	c.Held = judged(held)
	return err
}

// fittable says what is missing where nothing can be fitted.
func (c *Calibration) fittable(table string, l *learner) error {
	switch {
	case len(l.free) == 0:
		return fmt.Errorf("profile %s has no constants that may be fitted: none has prior, low and high; --anchor scales its step times", c.Profile)
	case c.Runs == 0:
		return fmt.Errorf("%s: no run that profile %s serves: the column framework has none of the names of its services", table, c.Profile)
	case c.Used < fewest:
		return fmt.Errorf("%s: %d runs that profile %s serves and that can teach it something; %d are needed to fit constants, one is enough to --anchor",
			table, c.Used, c.Profile, fewest)
	}
	return nil
}

// noneScored is the error of a table with rows of which none is scored; nil for
// another.
func noneScored(name string, rows []scored) error {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(s scored) bool { return s.skip == nil }) {
		return nil
	}
	first := &rows[0]
	return fmt.Errorf("%s: none of %d rows can be scored, line %d since %s; validate says why of each", name, len(rows), first.line, first.skip.detail)
}

// fitted is the constant at place k of those that were learnt.
func fitted(file *profile.Profile, p *profile.Parameter, of *learnt, k int) Fitted {
	f := Fitted{Path: p.Path, Prior: p.Prior, Low: p.Low, High: p.High, Before: p.Value,
		Value: of.values[k], Spread: of.spread[k], Pinned: !of.kept[k]}
	variant, rate := p.Of()
	switch {
	case rate != nil:
		f.GPUs, f.Precisions = rate.GPUs, rate.Precisions
	case variant >= 0:
		f.Variant = file.Variants[variant].Name
	}
	return f
}

// anchorTo scales the step times to the rows.
func (c *Calibration) anchorTo(ctx context.Context, table string, l *learner) error {
	var ratios []float64
	for i := range l.rows {
		if s := &l.rows[i]; s.seconds > 0 && s.flags&doubtful == 0 {
			ratios = append(ratios, s.seconds/s.prediction.seconds)
		}
	}
	if len(ratios) == 0 {
		return fmt.Errorf("%s: no timed run without a flag that profile %s serves: want one at least", table, c.Profile)
	}
	c.Anchor, c.Anchored = median(ratios), len(ratios)
	c.anchor = l.list[l.at].file.Time.Anchor.Value * c.Anchor
	if err := profile.CheckAnchor(c.anchor); err != nil {
		return fmt.Errorf("%s: measured over predicted step times are %.4g in the median: %w; are the times in seconds?", table, c.Anchor, err)
	}
	file := l.list[l.at].file.WithAnchor(c.anchor)
	l.list = slices.Clone(l.list)
	l.list[l.at] = familyOf(file)
	rows := slices.Clone(l.rows)
	if err := reprice(ctx, rows, l.list); err != nil {
		return err
	}
	c.After = judged(rows)
	return nil
}

// WriteJSON writes the calibration as indented JSON.
func (c *Calibration) WriteJSON(w io.Writer) error { return writeJSON(w, c) }

// Text is the profile file's text with the fitted constants in place of its own.
func (c *Calibration) Text(text []byte, name string) ([]byte, error) {
	if c.anchor > 0 {
		return profile.RewriteAnchor(text, name, c.anchor)
	}
	return profile.Rewrite(text, name, c.values, c.account())
}

// account says in words what the constants were fitted to.
func (c *Calibration) account() string {
	s := fmt.Sprintf("%d runs of %d sweeps", c.Used, c.Folds)
	if e := c.Held.Time; e.N > 0 {
		s += fmt.Sprintf("; step time of sweeps left out off by %.1f %% in the mean", 100*float64(e.MAPE))
	}
	if e := c.Held.Memory; e.N > 0 {
		s += fmt.Sprintf("; memory by %.1f %%", 100*float64(e.MAPE))
	}
	return s
}

// judged is the judgement of rows.
func judged(rows []scored) Part {
	list := make([]*scored, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return partOf(list, func(s *scored) string { return s.source })
}

// learner fits the constants of one profile file to rows that it serves.
type learner struct {
	list families
	at   int // of the file in the list
	rows []scored

	free         []profile.Parameter
	time, memory []int    // places of the free constants of either account
	samples      []sample // of the rows, those of one price model side by side
	folds        []string
}

// begin gathers samples and folds.
func (l *learner) begin() {
	l.free = l.list[l.at].file.Parameters()
	for k := range l.free {
		if l.free[k].Memory() {
			l.memory = append(l.memory, k)
		} else {
			l.time = append(l.time, k)
		}
	}
	l.samples = samplesOf(l.rows, memberOf(l.at))
	at := map[any]int{}
	for i := range l.samples {
		if m := l.samples[i].model; at[m] == 0 {
			at[m] = len(at) + 1
		}
	}
	slices.SortStableFunc(l.samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(at[a.model], at[b.model]), cmp.Compare(a.served.member.place, b.served.member.place), cmp.Compare(a.row, b.row))
	})
	seen := map[string]bool{}
	for i := range l.rows {
		if f := foldOf(&l.rows[i]); !seen[f] {
			seen[f] = true
			l.folds = append(l.folds, f)
		}
	}
	slices.Sort(l.folds)
}

// used is how many rows have samples.
func (l *learner) used() int {
	rows := map[int]bool{}
	for i := range l.samples {
		rows[l.samples[i].row] = true
	}
	return len(rows)
}

// priors are the constants before any run was seen.
func (l *learner) priors() []float64 {
	v := make([]float64, len(l.free))
	for k := range v {
		v[k] = l.free[k].Prior
	}
	return v
}

// with is the families when the file's constants have these values.
func (l *learner) with(values []float64) families {
	list := slices.Clone(l.list)
	list[l.at] = familyOf(l.list[l.at].file.WithParameters(values))
	return list
}

// learnt is the constants that were fitted, all of the file's.
type learnt struct {
	values []float64
	spread []float64
	kept   []bool // at the prior
	x      []float64
}

// learn fits the constants without the fold of that name. It begins at the
// priors: a start at the constants of all rows would tell of the fold.
func (l *learner) learn(ctx context.Context, without string) (*learnt, error) {
	n := len(l.free)
	out := &learnt{values: l.priors(), spread: make([]float64, n), kept: make([]bool, n), x: make([]float64, n)}
	for k := range n {
		out.spread[k], out.kept[k] = 1, true
	}
	for _, memory := range []bool{false, true} {
		if err := l.learnAccount(ctx, without, memory, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// learnAccount fits the constants of the time or of the memory account: all of
// them first, then once more those alone that the samples pin.
func (l *learner) learnAccount(ctx context.Context, without string, memory bool, out *learnt) error {
	var samples []sample
	for i := range l.samples {
		if s := &l.samples[i]; s.memory == memory && (without == "" || s.fold != without) {
			samples = append(samples, *s)
		}
	}
	places := l.time
	if memory {
		places = l.memory
	}
	if len(samples) == 0 || len(places) == 0 {
		return nil
	}
	for {
		s, err := l.solve(ctx, samples, places, out)
		if err != nil {
			return err
		}
		var firm []int
		for i, k := range places {
			out.spread[k], out.x[k] = s.pinned[i], s.x[i]
			if s.pinned[i] <= PinnedBelow {
				firm = append(firm, k)
			} else {
				out.values[k] = l.free[k].Prior
			}
		}
		if len(firm) == len(places) {
			for i, k := range places {
				out.values[k], out.kept[k] = s.values[i], false
			}
			return nil
		}
		if places = firm; len(places) == 0 {
			return nil
		}
	}
}

// solve fits the constants at the places from where they are, the others as they
// are.
func (l *learner) solve(ctx context.Context, samples []sample, places []int, from *learnt) (*solution, error) {
	f := &fit{samples: samples, touches: l.touches}
	var start []float64
	for _, k := range places {
		f.free, start = append(f.free, l.free[k]), append(start, from.x[k])
	}
	f.apply = func(values []float64) families {
		all := slices.Clone(from.values)
		for i, k := range places {
			all[k] = values[i]
		}
		return l.with(all)
	}
	return f.solve(ctx, start)
}

// touches reports whether a sample depends on the constant at all: one of a
// variant on that of the variant, one of a GPU on that GPU's rates.
func (l *learner) touches(p *profile.Parameter, s *sample) bool {
	variant, rate := p.Of()
	switch {
	case rate != nil:
		return rate.Takes(s.gpu, s.precision)
	case variant >= 0:
		return s.served.member.place == variant+1
	}
	return true
}

// judge prices the rows under other constants.
func (l *learner) judge(ctx context.Context, values []float64) (Part, error) {
	rows, err := l.priced(ctx, values, func(*scored) bool { return true })
	return judged(rows), err
}

// priced is the rows that the filter takes, predicted under other constants.
func (l *learner) priced(ctx context.Context, values []float64, takes func(*scored) bool) ([]scored, error) {
	list := l.with(values)
	var rows []scored
	for i := range l.rows {
		if takes(&l.rows[i]) {
			rows = append(rows, l.rows[i])
		}
	}
	err := reprice(ctx, rows, list)
	return rows, err
}

// held is the rows, each predicted by constants that were fitted without its
// fold.
func (l *learner) held(ctx context.Context, full *learnt) ([]scored, error) {
	teaches := map[string]bool{}
	for i := range l.samples {
		teaches[l.samples[i].fold] = true
	}
	parts := make([][]scored, len(l.folds))
	err := eachOf(ctx, len(l.folds), func(i int) error {
		of := full
		if teaches[l.folds[i]] {
			var err error
			if of, err = l.learn(ctx, l.folds[i]); err != nil {
				return err
			}
		}
		var err error
		parts[i], err = l.priced(ctx, of.values, func(s *scored) bool { return foldOf(s) == l.folds[i] })
		return err
	})
	return slices.Concat(parts...), err
}

// reprice predicts the rows under other constants, in place.
func reprice(ctx context.Context, rows []scored, list families) error {
	for i := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := &rows[i]
		j := *s.prediction.job
		j.of.profile = j.of.under(list)
		m, err := s.prediction.price.With(j.of.profile)
		if err != nil {
			return err
		}
		p, skip := price(m, &j)
		if skip != nil {
			return skip
		}
		s.prediction = p
	}
	return nil
}

// Key is the constant's name beside those of its variant or rate: "rate.gemm" of
// "rate[0].gemm".
func (f *Fitted) Key() string {
	of, key, inside := strings.Cut(f.Path, "].")
	switch {
	case !inside:
		return f.Path
	case strings.HasPrefix(of, "rate"):
		return "rate." + key
	}
	return key
}

// Within is by how much the constant may be off, one standard deviation:
// "within 12 %".
func (f *Fitted) Within() string {
	return fmt.Sprintf("within %.0f %%", 100*math.Expm1(f.Spread*math.Log(f.High/f.Low)/4))
}
