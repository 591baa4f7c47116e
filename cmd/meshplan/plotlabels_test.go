package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// randomPicture is a front of n points whose knee is one between the ends, if there is one.
func randomPicture(r *rand.Rand, n int) *picture {
	pic := &picture{}
	memory, step := 80*r.Float64()+1, 1+r.Float64()
	reach := math.Pow(2, r.Float64()*3) - 1 // dense or wide
	for range n {
		a := spot{name: strings.Repeat("TP8 PP4 ", 1+r.IntN(4)), fits: true, proven: true}
		a.at.X, a.at.Y = memory, step
		pic.spots = append(pic.spots, a)
		memory /= 1.02 + reach*r.Float64()/5
		step *= 1.02 + reach*r.Float64()/5
	}
	if n > 2 {
		pic.spots[1+r.IntN(n-2)].knee = true
	}
	return pic
}

func TestNamesOfPointsDoNotOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	left := 0
	for range 300 {
		pic := randomPicture(r, 1+r.IntN(40))
		p, err := frontPlot(pic)
		if err != nil {
			t.Fatal(err)
		}
		at := named(p, pic.spots)
		var taken []vg.Rectangle
		for i, k := range at {
			a := &pic.spots[i]
			if k < 0 {
				if left++; a.knee || i == 0 || i == len(at)-1 {
					t.Errorf("of %d points, number %d has no name", len(at), i)
				}
				continue
			}
			corner := vg.Point{X: vg.Length(p.X.Norm(a.at.X)) * innerWidth, Y: vg.Length(p.Y.Norm(a.at.Y)) * innerHeight}
			own := places[k].of(corner, a.name)
			for _, o := range taken {
				if own.Min.X < o.Max.X && o.Min.X < own.Max.X && own.Min.Y < o.Max.Y && o.Min.Y < own.Max.Y {
					t.Errorf("of %d points, the name of number %d at %v overlaps %v", len(at), i, own, o)
				}
			}
			taken = append(taken, own)
		}
	}
	if left == 0 {
		t.Error("no point was without a name: the fronts are too small")
	}
}

func TestANameKnowsWhetherTheChordRunsThroughIt(t *testing.T) {
	chord := vg.Rectangle{Min: vg.Point{X: 100, Y: 0}, Max: vg.Point{X: 0, Y: 100}} // falls from 0,100 to 100,0
	for _, c := range []struct {
		name           string
		x0, y0, x1, y1 vg.Length
		want           bool
	}{
		{"in the middle of it", 40, 40, 60, 60, true},
		{"above it", 60, 60, 80, 70, false},
		{"below it", 10, 10, 40, 20, false},
		{"it cuts a corner", 50, 45, 90, 60, true},
		{"beyond its end", 110, 0, 150, 10, false},
	} {
		own := vg.Rectangle{Min: vg.Point{X: c.x0, Y: c.y0}, Max: vg.Point{X: c.x1, Y: c.y1}}
		if got := crosses(chord, own); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if crosses(vg.Rectangle{}, own) {
			t.Errorf("%s: no chord runs through it", c.name)
		}
	}
}
