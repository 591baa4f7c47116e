package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"meshplan/cost"
	"meshplan/search"
	"meshplan/units"
)

// The size of a plot.
const (
	plotWidth  = 10 * vg.Inch
	plotHeight = 6.5 * vg.Inch
	plotMargin = vg.Length(12)
)

// The colours of a plot, told apart without colours by the shapes.
var (
	fitsColor       = color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	borderlineColor = color.RGBA{R: 0xd0, G: 0x6a, B: 0x00, A: 0xff}
	kneeColor       = color.RGBA{R: 0xb0, G: 0x10, B: 0x30, A: 0xff}
	lineColor       = color.Gray{Y: 0xb0}
)

// picture is a front as it is drawn.
type picture struct {
	title, x, y string // with the units of the axes
	spots       []spot // by rising time
}

// spot is a point of a front.
type spot struct {
	at                 plotter.XY
	name               string
	fits, proven, knee bool
}

// plotTitle says what a front is about.
func plotTitle(s *subject, gpus string) string {
	return fmt.Sprintf("%s on %s %s, global batch %s x %s tokens, %s", s.model, gpus, s.gpu,
		units.Grouped(s.batch), units.Grouped(s.seq), s.framework)
}

// stepAxis is the label of the axis of step times, which says that they are upper
// bounds where none of the points is proven for that.
func stepAxis(u *search.UpperBounds) string {
	if u != nil {
		return "step time (s), upper bounds, not proven"
	}
	return "step time (s)"
}

// memoryPicture is the front of memory as it is drawn.
func memoryPicture(s *subject, f *search.Front) *picture {
	pic := &picture{title: plotTitle(s, units.Grouped(int64(s.gpus))), x: "peak memory of the tightest GPU (GiB)", y: stepAxis(f.UpperBounds)}
	for i := range f.Points {
		p := &f.Points[i]
		pic.spots = append(pic.spots, spot{
			at:   plotter.XY{X: p.PeakReservedBytes / float64(units.GiB), Y: p.StepSeconds},
			name: degrees(&p.Degrees), fits: p.Verdict == cost.Fits.String(), proven: p.Proven || f.UpperBounds.Finished(), knee: p.Knee,
		})
	}
	return pic
}

// writePlot draws the front into an SVG or PNG file.
func writePlot(path string, pic *picture) error {
	p, err := frontPlot(pic)
	if err != nil {
		return internalError(err)
	}
	canvas, err := draw.NewFormattedCanvas(plotWidth, plotHeight, filepath.Ext(path)[1:])
	if err != nil {
		return internalError(err)
	}
	p.Draw(draw.Crop(draw.New(canvas), plotMargin, -plotMargin, plotMargin, -plotMargin))
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return internalError(err)
	}
	if err := os.WriteFile(path, picture.Bytes(), 0o666); err != nil {
		return plotError(err)
	}
	return nil
}

// frontPlot is the front on logarithmic axes, on which the knee is measured.
func frontPlot(pic *picture) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = pic.title, pic.x, pic.y
	p.Title.Padding = vg.Points(8)
	at := make(plotter.XYs, len(pic.spots))
	for i := range pic.spots {
		at[i] = pic.spots[i].at
	}
	frame(&p.X, at, func(q plotter.XY) float64 { return q.X })
	frame(&p.Y, at, func(q plotter.XY) float64 { return q.Y })
	p.Add(plotter.NewGrid())
	stairs, err := plotter.NewLine(at)
	if err != nil {
		return nil, err
	}
	stairs.StepStyle, stairs.Color = plotter.PreStep, lineColor
	p.Add(stairs)
	if slices.ContainsFunc(pic.spots, func(a spot) bool { return a.knee }) {
		chord, err := plotter.NewLine(plotter.XYs{at[0], at[len(at)-1]})
		if err != nil {
			return nil, err
		}
		chord.Color, chord.Dashes = lineColor, []vg.Length{vg.Points(4), vg.Points(4)}
		p.Add(chord)
	}
	p.Legend.Top, p.Legend.Padding = true, vg.Points(4)
	for _, k := range []struct {
		name  string
		style draw.GlyphStyle
		is    func(*spot) bool
	}{
		{"fits", draw.GlyphStyle{Color: fitsColor, Radius: 3, Shape: draw.CircleGlyph{}},
			func(a *spot) bool { return a.proven && a.fits }},
		{"borderline", draw.GlyphStyle{Color: borderlineColor, Radius: 4, Shape: draw.TriangleGlyph{}},
			func(a *spot) bool { return a.proven && !a.fits }},
		{"not proven", draw.GlyphStyle{Color: fitsColor, Radius: 3, Shape: draw.RingGlyph{}},
			func(a *spot) bool { return !a.proven }},
		{"knee", draw.GlyphStyle{Color: kneeColor, Radius: 7, Shape: draw.RingGlyph{}},
			func(a *spot) bool { return a.knee }},
	} {
		var some plotter.XYs
		for i := range pic.spots {
			if k.is(&pic.spots[i]) {
				some = append(some, at[i])
			}
		}
		if len(some) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(some)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = k.style
		p.Add(marks)
		p.Legend.Add(k.name, marks)
	}
	if err := nameSpots(p, pic.spots); err != nil {
		return nil, err
	}
	return p, nil
}

// frame makes an axis logarithmic, with some room around the points.
func frame(a *plot.Axis, at plotter.XYs, of func(plotter.XY) float64) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(roundTicks)
	a.Min, a.Max = math.Inf(1), 0
	for _, q := range at {
		a.Min, a.Max = min(a.Min, of(q)), max(a.Max, of(q))
	}
	room := math.Pow(a.Max/a.Min, 0.08) * 1.02
	a.Min, a.Max = a.Min/room, a.Max*room*math.Pow(a.Max/a.Min, 0.06)
}

// roundTicks are round values between two, about as many at any range.
func roundTicks(lo, hi float64) []plot.Tick {
	const most = 12
	var ticks []plot.Tick
	for _, round := range [][]float64{
		{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5},
		{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 3}, {1},
	} {
		ticks = ticks[:0]
		for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
			for _, r := range round {
				if v := r * decade; v >= lo && v <= hi {
					ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.4g", v)})
				}
			}
		}
		if len(ticks) <= most {
			break
		}
	}
	if len(ticks) < 2 {
		return evenTicks(lo, hi)
	}
	return ticks
}

// evenTicks are the multiples of 1, 2 or 5 times a power of ten between two values that
// are close to each other: two or more, with the decimals that tell them apart.
func evenTicks(lo, hi float64) (ticks []plot.Tick) {
	below := int(math.Floor(math.Log10(hi-lo))) - 1
	for _, times := range []float64{50, 20, 10, 5} {
		step := times * math.Pow10(below)
		ticks = ticks[:0]
		for n := math.Ceil(lo / step); n*step <= hi; n++ {
			ticks = append(ticks, plot.Tick{Value: n * step, Label: fmt.Sprintf("%.*f", max(0, -below), n*step)})
		}
		if len(ticks) >= 2 {
			break
		}
	}
	return ticks
}
