package cluster

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"meshplan/units"
)

// The least and the most of what links and GPUs can be set to; GPUs and clusters of
// files may be further off.
const (
	leastLink = 1e3  // bytes per second
	mostLink  = 1e15 // a thousand times what the fastest links of GPUs reach
	leastPeak = giga // operations per second
	mostPeak  = 1e18 // some hundred times that of the fastest GPUs
	leastHost = units.MiB
	mostHost  = 500 * units.TiB
)

// limits are the least and the most of a kind of value that are taken for one rather
// than a typing error; open says that it must be above the least.
func (a amount) limits() (least, most float64, open bool) {
	switch a {
	case linkRate, nicRate:
		return leastLink, mostLink, false
	case memory:
		return float64(leastHost), float64(mostHost), false
	case label:
		return 0, float64(maxGPUMemory), true
	case hop:
		return 0, float64(maxLatency), false
	case peakRate:
		return leastPeak, mostPeak, false
	case ratio:
		return 1, maxOversubscription, false
	}
	return math.Inf(-1), math.Inf(1), false // which numbers of GPUs there are depends on the cluster
}

// check is the error of a value out of the limits, with the nearest inside.
func (a amount) check(v float64) error {
	least, most, open := a.limits()
	switch {
	case v > least && v <= most || v == least && !open:
		return nil
	case open && v > most:
		return fmt.Errorf("want more than 0 and at most %s; nearest: %s", a.print(most), a.print(most))
	case open:
		return fmt.Errorf("want more than 0 and at most %s, such as %s", a.print(most), example[a])
	}
	return fmt.Errorf("want %s to %s; nearest: %s", a.print(least), a.print(most), a.print(min(max(v, least), most)))
}

// unread is the error of a text that is no value of the kind.
func (a amount) unread(text string) error {
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		if v, err := a.parse(rest); err == nil && a.check(-v) != nil {
			return a.check(-v)
		}
	}
	nearest := ""
	if v, err := strconv.ParseFloat(text, 64); err == nil && v > 0 && !math.IsInf(v, 0) && usual[a] != "" {
		nearest = "; nearest: " + text + usual[a]
	}
	return fmt.Errorf("want %s, or a relative value such as 2x or +10%%%s", example[a], nearest)
}

// usual is the unit in which a value of the kind is mostly given.
var usual = [...]string{linkRate: "GB/s", nicRate: "GB/s", memory: "GiB", label: "GB", hop: "us", peakRate: "TFLOP/s", gpuCount: "", ratio: ""}
