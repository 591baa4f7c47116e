package cost

import "math"

// maxLayers bounds the layers and ranks of models whose capacities are
// measured.
const maxLayers = 256

// capacity is how many layers of a kind the ranks but the last can hold when
// none holds more than k: held[k].
type capacity struct {
	tight bool // some rank holds less than the mean
	held  [maxLayers + 1]float32
}

// measure sets the capacities under a limit on allocated bytes; mean is how
// many layers a rank has to hold on the mean.
func (c *capacity) measure(v *view, a *memory, l *perLayer, limit, mean, layers float64) {
	p := v.pp.lo
	if math.IsInf(limit, 1) || p > maxLayers || layers > maxLayers {
		return
	}
	most := int(layers)
	for r := 0.0; r < p-1; r++ {
		each := l.state() + float64(v.leastFlight(r, p).most*l.kept)
		n := math.Floor(float64((limit-a.common()-a.ends(r, p))/each*(1+slack)) + slack)
		c.tight = c.tight || n < mean+1
		if !c.tight && r > 0 {
			return // later ranks hold fewer micro-batches
		}
		c.held[int(max(0, min(n, layers)))]++
	}
	ranks, total := p-1, float32(0)
	for k := 0; k <= most; k++ {
		capped := c.held[k] // ranks that hold exactly k at most
		if k > 0 {
			total += float32(ranks)
		}
		c.held[k] = total
		ranks -= float64(capped)
	}
}

// fullest is the least number of layers that the fullest of the first n ranks
// holds when they hold the given number together; infinite if they cannot.
func (c *capacity) fullest(layers, n float64) float64 {
	full := max(0, math.Ceil(layers/n))
	if !c.tight {
		return full
	}
	for k := int(full); k <= maxLayers; k++ {
		if float64(c.held[k]) >= layers {
			return float64(k)
		}
		if k > int(full) && c.held[k] <= c.held[k-1] {
			break
		}
	}
	return math.Inf(1)
}
