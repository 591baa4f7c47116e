package cost

// launches are the forward times of GEMMs on the same tokens, each read off the
// curves once: kinds of layers, and what recompute repeats of one, have GEMMs in
// common.
type launches struct {
	model *Model
	rows  float64 // tokens
	known []launch
}

// launch is the time of one GEMM.
type launch struct {
	gemm
	seconds float64
}

func (m *Model) launchesOn(tokens float64) *launches { return &launches{model: m, rows: tokens} }

// all is the time of the GEMMs, and the times to quantise their operands in
// forward and in backward.
func (l *launches) all(list []gemm) (gemms float64, quantise pass) {
	m := l.model
	for _, g := range list {
		gemms += l.of(g)
		if m.low.on && !g.high {
			quantise.fwd += m.quantise(float64(l.rows*g.k) + float64(g.n*g.k))
			quantise.bwd += m.quantise(l.rows * g.n)
		}
	}
	return gemms, quantise
}

// of is the time of one, without quantising.
func (l *launches) of(g gemm) float64 {
	for i := range l.known {
		if l.known[i].gemm == g {
			return l.known[i].seconds
		}
	}
	seconds := l.model.linearTime(l.rows, g)
	l.known = append(l.known, launch{g, seconds})
	return seconds
}
