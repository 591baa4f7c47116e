package cost

import (
	"fmt"

	"meshplan/models"
	"meshplan/plan"
	"meshplan/units"
)

// slowHostLink is the rate of PCIe 3 x16 in bytes per second, taken where the
// cluster does not say how a GPU reaches its host.
const slowHostLink = 12e9

func (m *Model) hostLink() float64 {
	if m.cluster.HostLink > 0 {
		return float64(m.cluster.HostLink)
	}
	return slowHostLink
}

// steppingTime is the time of an optimizer step per parameter on the GPU. The
// profile counts the bytes that its default recipe moves; another recipe reads and
// writes more or fewer bytes of state. Muon also multiplies each matrix of m rows
// and n >= m columns by itself, that product by itself and by the matrix: 4 m^2 n +
// 2 m^3 operations an iteration, 6 m for each parameter at m = n; m is the hidden
// size at most.
func (m *Model) steppingTime() (float64, error) {
	usual, err := m.profile.Recipe("")
	if err != nil {
		return 0, err
	}
	bytes := max(0, m.profile.Time.OptimizerBytes.Value+float64(2*(m.recipe.Optimizer-usual.Optimizer)))
	flops := m.recipe.NewtonSchulz * 6 * float64(m.model.Hidden)
	return bytes/m.hbm + flops/(m.peak*m.batched), nil
}

// optimizerTime is the time of an optimizer step of a rank's parameters. What
// lies in host memory is stepped there: gradients go down, unless backward has
// moved them, and weights come back over the GPU's own link, and the node's CPUs
// step the parameters of all its ranks.
func (m *Model) optimizerTime(v *view, params float64) float64 {
	t := &m.profile.Time
	device := params * m.stepping
	if v.optOffload.Hi == 0 {
		return device
	}
	down := percentOf(v.optOffload.Lo) * params
	moved := t.ParamComm.Value
	if !m.profile.Memory.OffloadGrads {
		moved += t.GradComm.Value
	}
	host := down*moved/m.hostLink() + float64(down*m.nodeRanks(v)*t.HostOptimizer.Value)
	return float64(device*(1-percentOf(v.optOffload.Hi))) + host
}

// nodeRanks is how many ranks share a node's host.
func (m *Model) nodeRanks(v *view) float64 {
	node := float64(max(1, m.cluster.GPUsPerNode))
	return min(node, v.tp.lo*v.cp.lo*v.ds.lo*v.dr.lo*v.pp.lo)
}

// offloadTime is the least time of a layer whose activations go to the host in
// forward and come back in backward beside the computation.
func (m *Model) offloadTime(v *view, kind models.Kind) pass {
	tokens := m.divided(v)
	t := percentOf(v.actOffload.Lo) * m.keptBy(v, kind, &tokens) / m.hostLink()
	return pass{fwd: t, bwd: t, inp: t}
}

// gradsTime is the least time of a layer's backward whose gradients go to the
// host while they are made.
func (m *Model) gradsTime(v *view, kind models.Kind) pass {
	h := &m.held[kind]
	local := m.onRank(v, h)
	if v.zero.Hi >= plan.ZeroGradients {
		_, sharded := m.shardRanks(v)
		local /= sharded
	}
	t := percentOf(v.optOffload.Lo) * local * m.profile.Time.GradComm.Value / m.hostLink()
	return pass{bwd: t, wgt: t}
}

// hostNeed is what the mean stage's ranks on one node keep in host memory, in
// bytes: the offloaded share of optimizer state and of activations.
func (m *Model) hostNeed(v *view) float64 {
	if v.optOffload.Lo == 0 && v.actOffload.Lo == 0 {
		return 0
	}
	p := v.cols.hi
	total := 0.0
	h := m.meanHeld(v)
	if p > 1 { // some stages hold embedding and head, which meanHeld leaves out
		h.split += m.tables(v) / p
		h = h.plus(m.mtpHeld(v, v.pp.lo), 1/p)
	}
	params := m.onRank(v, &h)
	if v.zero.Hi >= plan.ZeroOptimizer {
		_, sharded := m.shardRanks(v)
		params /= sharded
	}
	bytes := m.recipe.Optimizer
	if m.profile.Memory.OffloadGrads {
		bytes += m.recipe.Grad
	}
	total += percentOf(v.optOffload.Lo) * params * bytes
	flight := (v.leastFlight(0, p).most + v.leastFlight(p-1, p).most) / 2
	tokens := m.divided(v)
	for k, n := range m.layers {
		if n > 0 {
			total += percentOf(v.actOffload.Lo) * n / p * flight * m.keptBy(v, models.Kind(k), &tokens)
		}
	}
	return m.nodeRanks(v) * total
}

// tables is the parameters of embedding and head; a tied one is held twice where
// they surely lie on different stages.
func (m *Model) tables(v *view) float64 {
	table := m.wordTable(v)
	if m.model.TieEmbeddings && (v.pp.lo <= 1 || v.order.Hi >= plan.ZBV.Value()) {
		return table
	}
	return 2 * table
}

// hostPeak makes one limit of two: where a node's host memory is too small, it
// is a peak as far above the largest that is not refused as the need is above the
// host's.
func (m *Model) hostPeak(v *view) float64 {
	need, host := m.hostNeed(v), float64(m.cluster.HostMemory)
	if host <= 0 || need <= host {
		return 0
	}
	return m.runLimit(float64(m.gpu.Runtime)) * need / host
}

// offloadNotes are the sentences about a plan that keeps something on the host.
func (m *Model) offloadNotes(v *view) []string {
	need := m.hostNeed(v)
	if need == 0 {
		return nil
	}
	notes := []string{fmt.Sprintf("offload keeps %v of each node's host memory", units.Bytes(need))}
	if host := m.cluster.HostMemory; host > 0 {
		notes[0] += fmt.Sprintf(" of %v", host)
		if need > float64(host) {
			notes[0] += "; it does not fit, and the peak is scaled up by as much"
		}
	} else {
		notes[0] += ", whose size the cluster does not say"
	}
	if m.cluster.HostLink <= 0 {
		notes = append(notes, fmt.Sprintf("the cluster does not say how fast a GPU reaches its host; %v/s is taken, PCIe 3", units.Bytes(slowHostLink)))
	}
	if v.optOffload.Lo > 0 {
		c := &m.profile.Time.HostOptimizer
		notes = append(notes, fmt.Sprintf("the optimizer's time on the host is taken as %.2g s per 1e9 parameters of a node: %s", c.Value*1e9, c.Source))
	}
	return notes
}
