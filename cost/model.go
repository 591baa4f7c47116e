// Package cost prices a training plan: the memory of every pipeline stage, the
// time of a step and the traffic on every level of the network. The same
// arithmetic runs over boxes, where it gives lower bounds; that is what lets a
// search call its best plan optimal.
//
// Products are converted before they are summed, float64(a*b) + c, so that no
// platform fuses them and the same plan has the same bytes everywhere.
//
//	m, err := cost.New(model, cluster, workload, profile)
//	p.Options.Stages, err = m.Split(&point, forms)
//	fmt.Println(m.Price(&p).Step)
package cost

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"meshplan/cluster"
	"meshplan/cost/profile"
	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// Model prices plans of one job. It is safe for concurrent use.
type Model struct {
	model    *models.Model
	cluster  *cluster.Cluster
	gpu      *cluster.GPU
	workload plan.Workload
	profile  *profile.Profile
	recipe   profile.Recipe

	precision plan.Precision // of everything but fp8 GEMMs
	low       lowPrecision
	bytes     float64 // of an activation
	seq       float64 // tokens of a sequence
	batch     float64 // sequences of a step
	load      float64 // tokens of the busiest rank's experts over the mean
	gpus      float64
	gates     float64 // column-parallel matrices of an MLP: 2 gated, 1 plain
	context   float64 // mean positions a token attends to, over the layers
	peak      float64 // FLOP/s
	rate      float64 // the same, of the GEMMs in the workload's precision
	hbm       float64 // bytes per second that element-wise kernels reach
	batched   float64 // share of the peak that large batched GEMMs reach
	stepping  float64 // seconds of an optimizer step per parameter on the GPU
	slower    float64 // time of a GEMM in the job over that of the same kernel alone; of one in fp8, see lowPrecision
	attends   float64 // share of the GPU's attention rate that the job's kernels reach

	kinds     []models.Kind
	layers    [models.NumKinds]float64 // how many of each kind
	params    [models.NumKinds]models.LayerParams
	held      [models.NumKinds]held    // the same by how it is divided
	mtp       float64                  // multi-token-prediction layers that are trained
	further   held                     // the parameters of one
	single    bool                     // all layers are of one kind
	ordered   bool                     // the dense layers come before the MoE layers, or there is one kind
	period    int                      // of the kinds of the layers
	drift     [models.NumKinds]float64 // see driftOf
	uneven    []float64                // see unevenness
	placeable []float64                // see placeable
	cores     []float64                // see coreRate
	domains   [plan.MaxLevels]float64  // GPUs of a domain of each level

	nets    [plan.NumDims]*network // one and the same but when a sensitivity is asked
	lazy    *tables
	kernels *expertCurves
	keeps   [models.NumKinds]recomputes // activations of a layer
	remade  [models.NumKinds]recomputes // those that recompute makes again
	scratch *sync.Pool                  // schedules; shared by copies of the model
}

// New makes the price model of a job. It fails when the profile lacks the
// workload's recipe, or the GPU the precision.
func New(o *models.Model, c *cluster.Cluster, w plan.Workload, p *profile.Profile) (*Model, error) {
	m := &Model{
		model: o, cluster: c, gpu: c.GPU, workload: w, bytes: 2,
		seq: float64(w.SeqLen), batch: float64(w.GlobalBatch), load: max(1, w.LoadFactor),
		gpus: float64(c.GPUs()), gates: 1,
	}
	if o.GatedMLP {
		m.gates = 2
	}
	for l := range c.Levels {
		m.domains[l] = float64(c.Domain(l))
	}
	m.placeable = placeable(c, o.Layers)
	net := newNetwork(c)
	for d := range m.nets {
		m.nets[d] = net
	}
	m.scratch = &sync.Pool{New: func() any { return new(schedule) }}
	return m.With(p)
}

// With is the model of the same job under another profile. It fails as New does.
func (m *Model) With(p *profile.Profile) (*Model, error) {
	n := *m
	var err error
	if n.recipe, err = p.Recipe(m.workload.Recipe); err != nil {
		return nil, err
	}
	n.profile = p
	if err := n.setRates(); err != nil {
		return nil, err
	}
	if n.precision != m.precision { // the profile's own, where the workload names none
		n.kernels = new(expertCurves)
	}
	n.layers, n.context = [models.NumKinds]float64{}, 0
	n.setLayers()
	n.lazy = new(tables)
	return &n, nil
}

// setRates sets what the GPU does in a second in the job's precision.
func (m *Model) setRates() (err error) {
	asked := m.workload.Precision
	if asked == "" {
		asked = m.profile.Precision
	}
	m.rate = float64(Rate(m.gpu, asked))
	if m.rate <= 0 {
		return fmt.Errorf("%s has no %s rate", m.gpu.Name, asked)
	}
	m.precision = asked
	if isLow(asked) {
		m.precision = plan.BF16
	}
	m.peak = float64(m.gpu.PeakOf(m.precision))
	m.hbm = float64(m.gpu.HBM) * m.gpu.HBMEfficiency()
	m.slower = m.profile.Time.GEMMSlowdown.Value / m.profile.GEMMShare(m.gpu.Name, m.precision)
	m.low = m.newLowPrecision(asked)
	m.attends = m.profile.AttentionShare(m.gpu.Name, asked) / m.profile.Time.AttnSlowdown.Value
	m.setCoreRates()
	const large = 8192
	m.batched = 2 * large * large * large / (m.peak * m.gemmTime(large, large, large))
	m.stepping, err = m.steppingTime()
	return err
}

// setLayers sets what the model's layers are and hold.
func (m *Model) setLayers() {
	m.kinds = m.model.Kinds()
	for _, k := range m.kinds {
		m.layers[k]++
	}
	m.single = m.layers[models.Dense] == 0 || m.layers[models.MoE] == 0
	m.ordered = slices.IsSorted(m.kinds)
	m.period = periodOf(m.kinds)
	m.uneven = unevenness(len(m.kinds))
	for k := range m.params {
		if m.layers[k] > 0 {
			m.params[k] = m.model.Layer(models.Kind(k))
			m.drift[k] = driftOf(m.kinds, models.Kind(k), m.layers[k])
			m.held[k] = heldOf(&m.params[k])
			m.keeps[k], m.remade[k] = m.newKept(models.Kind(k))
		}
	}
	m.setMTP()
	for _, window := range m.model.Windows() {
		m.context += models.MeanContext(int(m.workload.SeqLen), window) / float64(len(m.kinds))
	}
}

// Margin is the share of the usable memory that a plan must leave free to "fit".
func (m *Model) Margin() float64 { return m.profile.Memory.Margin.Value }

// RefuseMargin is the share of the usable memory by which a plan must exceed it
// to be refused.
func (m *Model) RefuseMargin() float64 { return m.profile.Memory.Refuse.Value }

// ReservedRatio is the reserved over the allocated bytes of a peak.
func (m *Model) ReservedRatio() float64 { return m.profile.Memory.Reserved.Value }

// Runtime is the memory that the runtime reports to a process, of which contexts
// and communicators take some.
func (m *Model) Runtime() units.Bytes { return m.gpu.Runtime }

// Verdict says whether a plan's memory fits.
type Verdict uint8

// The verdicts. Fits leaves the profile's margin free; Borderline does not, or
// exceeds the usable memory by no more than the profile may be wrong.
const (
	Fits Verdict = iota
	Borderline
	DoesNotFit
)

// String is "fits", "borderline" or "does_not_fit".
func (v Verdict) String() string { return [...]string{"fits", "borderline", "does_not_fit"}[v] }

// Figures are the numbers by which plans are compared.
type Figures struct {
	Step    units.Seconds // time of one optimizer step
	Peak    units.Bytes   // reserved memory of the tightest stage
	Usable  units.Bytes   // what the allocator can have
	Verdict Verdict
}

// Bound bounds the figures of every plan in a box: least step time, least peak
// memory, most usable memory.
type Bound struct {
	Step   units.Seconds
	Peak   units.Bytes
	Usable units.Bytes
}

func (m *Model) verdict(peak, usable float64) Verdict {
	switch {
	case peak <= m.fitLimit(usable):
		return Fits
	case peak <= m.runLimit(usable):
		return Borderline
	}
	return DoesNotFit
}

// fitLimit and runLimit are the largest peaks of plans that fit, and of those that
// are not refused.
func (m *Model) fitLimit(usable float64) float64 { return usable * (1 - m.Margin()) }
func (m *Model) runLimit(usable float64) float64 { return usable * (1 + m.RefuseMargin()) }

// waiting is the time of a step on so many GPUs over that of ranks that are equally
// fast and of a profile that is anchored to no run.
func (m *Model) waiting(gpus float64) float64 {
	t := &m.profile.Time
	return t.Anchor.Value * (1 + float64(t.Jitter.Value*math.Log2(max(1, gpus/8))))
}

// placeable[p] is the most GPUs that a plan of p stages can use: on each level it
// uses each domain alike, in multiples of the stages that it spreads there.
func placeable(c *cluster.Cluster, most int) []float64 {
	used := make([]float64, most+1)
	for p := 1; p <= most; p++ {
		used[p] = placedFrom(c.Levels, p)
	}
	return used
}

// placedFrom is that of p stages on some levels.
func placedFrom(levels []cluster.Level, p int) float64 {
	if len(levels) == 0 {
		if p > 1 {
			return 0
		}
		return 1
	}
	best, size := 0.0, levels[0].Size
	for n := 1; n <= min(p, size); n++ {
		if p%n == 0 {
			best = max(best, float64(size/n*n)*placedFrom(levels[1:], p/n))
		}
	}
	return best
}

// unevenness[p] is ceil(L/p) p / L: how much more than the mean the fullest of
// p stages holds.
func unevenness(layers int) []float64 {
	u := make([]float64, layers+1)
	for p := 1; p <= layers; p++ {
		u[p] = float64((layers+p-1)/p*p) / float64(layers)
	}
	return u
}
