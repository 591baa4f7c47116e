package cluster

import (
	"bytes"
	"embed"
	"encoding/csv"
	"slices"
	"strconv"
)

//go:embed catalogue
var files embed.FS

// table is one CSV file of the catalogue: lines that start with # say where
// the rows come from, the first other line names the columns.
type table struct {
	columns []string
	rows    [][]string
}

// readTable reads a file of the catalogue. The files are part of the program,
// so a broken one is a programmer's error.
func readTable(name string) table {
	text, err := files.ReadFile("catalogue/" + name)
	if err != nil {
		panic("cluster: " + err.Error())
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		panic("cluster: catalogue/" + name + ": " + err.Error())
	}
	return table{all[0], all[1:]}
}

func (t table) text(row int, column string) string {
	return t.rows[row][slices.Index(t.columns, column)]
}

func (t table) number(row int, column string) float64 {
	v, err := strconv.ParseFloat(t.text(row, column), 64)
	if err != nil {
		panic("cluster: " + err.Error())
	}
	return v
}

// gemmRows are the measured bf16 GEMMs by GPU.
func gemmRows() map[string][]gemmRow {
	t := readTable("gemm.csv")
	by := map[string][]gemmRow{}
	for i := range t.rows {
		gpu := t.text(i, "gpu")
		by[gpu] = append(by[gpu], gemmRow{
			t.number(i, "m"), t.number(i, "n"), t.number(i, "k"), t.number(i, "time_us") * 1e-6,
		})
	}
	return by
}

// attentionRows are the measured attention kernels by GPU.
func attentionRows() map[string][]attentionRow {
	t := readTable("attention.csv")
	by := map[string][]attentionRow{}
	for i := range t.rows {
		gpu := t.text(i, "gpu")
		by[gpu] = append(by[gpu], attentionRow{t.number(i, "seq"), t.number(i, "efficiency")})
	}
	return by
}

// curveKey names one measured collective.
type curveKey struct {
	gpu   string
	op    Collective
	ranks int
}

// collectiveCurves are the measured collectives inside one node.
func collectiveCurves() map[curveKey]*Curve {
	t := readTable("collectives.csv")
	sizes, times := map[curveKey][]float64{}, map[curveKey][]float64{}
	for i := range t.rows {
		op := Collective(slices.Index(collectiveNames[:], t.text(i, "collective")))
		key := curveKey{t.text(i, "gpu"), op, int(t.number(i, "ranks"))}
		sizes[key] = append(sizes[key], t.number(i, "bytes"))
		times[key] = append(times[key], t.number(i, "time_us")*1e-6)
	}
	curves := map[curveKey]*Curve{}
	for key := range sizes {
		c, err := NewCurve(sizes[key], times[key])
		if err != nil {
			panic("cluster: catalogue/collectives.csv: " + err.Error())
		}
		curves[key] = c
	}
	return curves
}
