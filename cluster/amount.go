package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"meshplan/units"
)

// amount is the kind of a resource's value: how it is read and printed.
type amount uint8

const (
	linkRate amount = iota // bytes per second
	nicRate                // the same, or the label of a NIC
	memory                 // bytes
	label                  // bytes of GPU memory, GB read as GiB
	hop                    // seconds
	peakRate               // operations per second
	gpuCount               // a whole number
	ratio                  // a number of at least 1
)

// example ends the error of a value that cannot be read.
var example = [...]string{
	linkRate: "24GB/s or 200Gb/s", nicRate: "24GB/s, or the label of a NIC such as 200G", memory: "2TiB", label: "141GB",
	hop: "2us", peakRate: "500TFLOP/s", gpuCount: "72", ratio: "2",
}

// unit is the unit of a value.
func (a amount) unit() string {
	return [...]string{linkRate: "bytes_per_second", nicRate: "bytes_per_second", memory: "bytes", label: "bytes",
		hop: "seconds", peakRate: "flops_per_second", gpuCount: "gpus", ratio: "1"}[a]
}

// read is a value of the kind.
func (a amount) read(text string) (float64, error) {
	v, err := a.parse(text)
	if err != nil || math.IsNaN(v) {
		return 0, a.unread(text)
	}
	return v, nil
}

func (a amount) parse(text string) (float64, error) {
	switch a {
	case linkRate, nicRate:
		v, err := units.ParseRate(text)
		return float64(v), err
	case memory:
		return parseMemory(text)
	case label:
		return parseLabel(text)
	case hop:
		v, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
		return v.Seconds(), err
	case peakRate:
		return parsePeak(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if math.IsInf(v, 0) {
		return 0, errors.New("infinite")
	}
	return v, err
}

// print is a value with its unit.
func (a amount) print(v float64) string {
	switch a {
	case linkRate, nicRate:
		return units.BytesPerSecond(v).String()
	case memory:
		return units.Bytes(v).String()
	case label:
		return printLabel(v)
	case hop:
		return units.Seconds(v).String()
	case peakRate:
		return units.FLOPsPerSecond(v).String()
	case gpuCount:
		return units.Grouped(int64(v)) + " GPUs"
	}
	return printNumber(v)
}

// printNumber is a number with four digits, a large whole one with all.
func printNumber(v float64) string {
	if v == math.Trunc(v) && v >= 1000 && v <= 1e9 {
		return units.Grouped(int64(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// printLabel is the memory of a GPU in the units of its label, which parseLabel reads.
func printLabel(v float64) string {
	for _, unit := range []struct {
		name     string
		of, from units.Bytes
	}{{"TB", units.TiB, 10 * units.TiB}, {"GB", units.GiB, units.GiB / 10}, {"MB", units.MiB, units.MiB}} {
		if v >= float64(unit.from) {
			return strconv.FormatFloat(v/float64(unit.of), 'g', 4, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " B"
}

// parseLabel reads the memory on a GPU's label, "141GB": makers count it in
// units of 2^30 bytes.
func parseLabel(text string) (float64, error) {
	upper := strings.ToUpper(text)
	for _, unit := range []string{"GB", "TB", "MB"} {
		if number, ok := strings.CutSuffix(upper, unit); ok {
			text = number + unit[:1] + "iB"
		}
	}
	return parseMemory(text)
}

// parseMemory reads "2TiB". A number without a unit would be one of bytes.
func parseMemory(text string) (float64, error) {
	if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		return 0, errors.New("no unit")
	}
	v, err := units.ParseBytes(text)
	return float64(v), err
}

// parsePeak reads "989TFLOP/s" or "1.979 PFLOPS".
func parsePeak(text string) (float64, error) {
	upper := strings.ToUpper(text)
	for _, unit := range []struct {
		name  string
		scale float64
	}{{"TFLOP", tera}, {"EFLOP", 1e6 * tera}, {"PFLOP", 1000 * tera}, {"GFLOP", giga}} {
		for _, end := range []string{"/S", "S"} {
			if number, ok := strings.CutSuffix(upper, unit.name+end); ok {
				v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
				return v * unit.scale, err
			}
		}
	}
	return 0, errors.New("no unit")
}

// nicLabels are the NICs whose effective rate is known, by the Gb/s on the label:
// see catalogue/systems.toml for the sources of 100, 200 and 400G; an 800G NIC is
// taken to reach twice a 400G one.
var nicLabels = map[int64]units.BytesPerSecond{100: 12 * giga, 200: 23.5 * giga, 400: 48.5 * giga, 800: 97 * giga}

// parseNIC reads the label of a NIC, "200G": the rate that large messages reach;
// ok is false for anything else.
func parseNIC(text string) (effective units.BytesPerSecond, ok bool, err error) {
	number, ok := strings.CutSuffix(strings.ToUpper(text), "G")
	v, parse := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !ok || parse != nil {
		return 0, false, nil
	}
	if effective, ok := nicLabels[int64(v)]; ok && v == math.Trunc(v) {
		return effective, true, nil
	}
	nearest := slices.MinFunc([]int64{100, 200, 400, 800}, func(a, b int64) int {
		return cmp.Compare(math.Abs(math.Log(float64(a)/max(v, 1))), math.Abs(math.Log(float64(b)/max(v, 1))))
	})
	return 0, true, fmt.Errorf("the effective rate of NICs of 100G, 200G, 400G and 800G is known; nearest: %dG; or give the effective rate of a GPU, such as 24GB/s", nearest)
}
