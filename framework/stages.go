package framework

import (
	"fmt"

	"meshplan/plan"
)

// LayersAddUp: the chunks hold the model's layers, no more and no fewer, in
// pp*vpp chunks.
func LayersAddUp(id string) StageRule {
	count := func(p *plan.Plan) (layers, chunks int) {
		list, err := p.Options.Stages.Layers()
		if err != nil {
			return 0, 0
		}
		for _, n := range list {
			layers += int(n)
		}
		return layers, len(list)
	}
	wanted := func(p *plan.Plan) int { return int(p.Placement.Degree(plan.PP)) * int(max(1, p.Options.VPP)) }
	return StageRule{
		ID: id,
		Holds: func(f *Facts, p *plan.Plan) bool {
			layers, chunks := count(p)
			return layers == f.Model.Layers && chunks == wanted(p)
		},
		Text: func(f *Facts, p *plan.Plan) string {
			layers, chunks := count(p)
			return fmt.Sprintf("layers %s are %d in %d chunks; the model has %d and pp*vpp is %d",
				p.Options.Stages.Text, layers, chunks, f.Model.Layers, wanted(p))
		},
	}
}

// FormExpresses: a split written in one of the forms is one that the form can
// express. It says nothing about splits in other forms.
func FormExpresses(id, condition string, forms ...plan.SplitForm) StageRule {
	holds := func(_ *Facts, p *plan.Plan) bool {
		for _, form := range forms {
			if p.Options.Stages.Form == form {
				return expressed(p)
			}
		}
		return true
	}
	return StageRule{
		ID: id, Holds: holds,
		Text: func(f *Facts, p *plan.Plan) string {
			s, pp, vpp := p.Options.Stages, p.Placement.Degree(plan.PP), max(1, p.Options.VPP)
			if holds(f, p) {
				return fmt.Sprintf("layers %s are of the form %s", s.Text, s.Form)
			}
			layers, _ := s.Layers()
			better := "no form of split can"
			if form, ok := plan.FormOf(plan.AllForms(), layers, int(pp), int(vpp)); ok {
				better = fmt.Sprintf("the form %s can", form)
			}
			return fmt.Sprintf("layers %s over pp %d and vpp %d cannot be written in the form %s, which needs %s; %s",
				s.Text, pp, vpp, s.Form, condition, better)
		},
	}
}

func expressed(p *plan.Plan) bool {
	layers, err := p.Options.Stages.Layers()
	return err == nil && p.Options.Stages.Form.Expresses(layers, int(p.Placement.Degree(plan.PP)), int(max(1, p.Options.VPP)))
}
