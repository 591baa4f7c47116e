package main

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// place is where a name stands: its corner from its point, and whether that is the
// name's lower left corner or its upper right one.
type place struct {
	offset vg.Point
	left   bool
}

// places are tried in this order. No point of a front can be to the upper right or to
// the lower left of another; names at the last ones may lie on its line.
var places = []place{
	{vg.Point{X: 8, Y: 5}, false}, {vg.Point{X: -8, Y: -5}, true},
	{vg.Point{X: 8, Y: 20}, false}, {vg.Point{X: -8, Y: -20}, true}, {vg.Point{X: 8, Y: 35}, false},
	{vg.Point{X: 8, Y: 32}, true}, {vg.Point{X: 8, Y: 47}, true},
}

// nearby is how many of the places are beside the point.
const nearby = 2

// The part of a plot between its axes, at least.
const (
	innerWidth  = plotWidth * 0.88
	innerHeight = plotHeight * 0.8
)

// nameSpots adds the names of as many points as have room: of the first, of the last and
// of the knee in any case, then of the others in turn.
func nameSpots(p *plot.Plot, spots []spot) error {
	labels := make([]plotter.XYLabels, len(places))
	for i, at := range named(p, spots) {
		if at >= 0 {
			labels[at].XYs = append(labels[at].XYs, spots[i].at)
			labels[at].Labels = append(labels[at].Labels, spots[i].name)
		}
	}
	for i, side := range places {
		names, err := plotter.NewLabels(labels[i])
		if err != nil {
			return err
		}
		names.Offset = side.offset
		for k := range names.TextStyle {
			if names.TextStyle[k].XAlign, names.TextStyle[k].YAlign = draw.XLeft, draw.YBottom; side.left {
				names.TextStyle[k].XAlign, names.TextStyle[k].YAlign = draw.XRight, draw.YTop
			}
		}
		p.Add(names)
	}
	return nil
}

// named says for each point at which of the places its name stands, -1 for none.
func named(p *plot.Plot, spots []spot) []int {
	at := make([]int, len(spots))
	corners := make([]vg.Point, len(spots))
	order := []int{0, len(spots) - 1} // at the ends there is less choice than at the knee
	for i := range spots {
		at[i] = -1
		corners[i] = vg.Point{X: vg.Length(p.X.Norm(spots[i].at.X)) * innerWidth, Y: vg.Length(p.Y.Norm(spots[i].at.Y)) * innerHeight}
		if spots[i].knee {
			order = append(order, i)
		}
	}
	always := len(order)
	for i := range spots {
		order = append(order, i)
	}
	var chord vg.Rectangle
	if always > 2 { // it is drawn where there is a knee
		chord = vg.Rectangle{Min: corners[0], Max: corners[len(corners)-1]}
	}
	var taken []vg.Rectangle
	free := func(own vg.Rectangle) bool {
		return within(own) && !slices.ContainsFunc(taken, func(o vg.Rectangle) bool { return overlap(own, o) })
	}
	for n, i := range order {
		open, name := places[:nearby], spots[i].name
		if n < always {
			open = places
		}
		for k := 0; k < len(open) && at[i] < 0; k++ {
			if own := open[k].of(corners[i], name); free(own) && !crosses(chord, own) {
				at[i], taken = k, append(taken, own)
			}
		}
		for k := 0; n < always && k < len(open) && at[i] < 0; k++ {
			if own := open[k].of(corners[i], name); free(own) || k == len(open)-1 {
				at[i], taken = k, append(taken, own)
			}
		}
	}
	return at
}

// of is the room that a name takes at this place beside a point.
func (s place) of(point vg.Point, name string) vg.Rectangle {
	style := draw.TextStyle{Font: font.From(plotter.DefaultFont, plotter.DefaultFontSize), Handler: plot.DefaultTextHandler}
	size := vg.Point{X: style.Width(name), Y: style.Height(name)}
	corner := point.Add(s.offset)
	if s.left {
		corner = corner.Sub(size)
	}
	return vg.Rectangle{Min: corner, Max: corner.Add(size)}
}

// within reports whether a name is between the axes.
func within(r vg.Rectangle) bool {
	return r.Min.X >= 0 && r.Min.Y >= 0 && r.Max.X <= innerWidth && r.Max.Y <= innerHeight
}

// crosses reports whether a line that falls from the upper left corner Max to Min, its
// lower right one, runs through a rectangle.
func crosses(line, r vg.Rectangle) bool {
	from, to := max(r.Min.X, line.Max.X), min(r.Max.X, line.Min.X)
	if from > to || line.Max.X >= line.Min.X {
		return false
	}
	at := func(x vg.Length) vg.Length {
		return line.Max.Y + (x-line.Max.X)*(line.Min.Y-line.Max.Y)/(line.Min.X-line.Max.X)
	}
	return at(to) <= r.Max.Y && at(from) >= r.Min.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}
