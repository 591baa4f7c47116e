// Package frameworktest asks frameworks about launches that are known to run or
// to be refused.
//
//	frameworktest.Check(t, torchtitan.New(), launches)
package frameworktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"meshplan/cluster"
	"meshplan/framework"
	"meshplan/models"
	"meshplan/plan"
)

// Launch is a job as a user launches it, and what a framework says to it.
type Launch struct {
	Name    string       // a sentence
	Model   string       // a name of the catalogue
	Shape   models.Model // where Model is ""
	GPUs    int          // all of which the job uses
	Batch   int64
	Seq     int64
	Plan    string // the framework fills the rest
	Refused string // the rules that refuse it, without the framework's name; "" if none does
}

// Check asks every rule of the framework about every launch.
func Check(t *testing.T, fw framework.Framework, launches []Launch) {
	t.Helper()
	for _, l := range launches {
		t.Run(l.Name, func(t *testing.T) {
			f := l.facts(t)
			p := Fill(t, fw, f, l.Plan)
			got := broken(t, fw, f, &p)
			want := strings.Fields(l.Refused)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s\nrefused by %v, expected %v", p, got, want)
			}
		})
	}
}

// Fill completes a plan as the framework does.
func Fill(t *testing.T, fw framework.Framework, f *framework.Facts, text string) plan.Plan {
	t.Helper()
	part, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := fw.Fill(f, part)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (l *Launch) facts(t *testing.T) *framework.Facts {
	t.Helper()
	m := &l.Shape
	if l.Model != "" {
		var err error
		if m, err = models.Load(l.Model); err != nil {
			t.Fatal(err)
		}
	}
	return &framework.Facts{
		Model:    m,
		Cluster:  &cluster.Cluster{Levels: []cluster.Level{{Name: "nvlink", Size: l.GPUs}}},
		Workload: plan.Workload{GlobalBatch: l.Batch, SeqLen: l.Seq},
	}
}

// broken are the ids of the rules that the plan breaks, sorted, with the rule
// that all GPUs are used among them.
func broken(t *testing.T, fw framework.Framework, f *framework.Facts, p *plan.Plan) []string {
	t.Helper()
	pins, err := framework.ParsePins(fmt.Sprintf("gpus=%d", f.Cluster.GPUs()))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	say := func(id, text string) {
		if text == "" {
			t.Errorf("%s says nothing", id)
		}
		ids = append(ids, strings.TrimPrefix(id, fw.Name()+"/"))
	}
	point := p.Point()
	for _, r := range framework.Broken(f, framework.Rules(f, fw, pins), &point) {
		say(r.ID, r.Text(f, &point))
	}
	for _, r := range fw.StageRules() {
		if !r.Holds(f, p) {
			say(r.ID, r.Text(f, p))
		}
	}
	slices.Sort(ids)
	return ids
}
