package view

import (
	"slices"

	"mulligan"
)

func cleanPlace(p mulligan.Place) mulligan.Place {
	p.Dir, p.Root, p.Branch = Line(p.Dir), Line(p.Root), Line(p.Branch)
	p.Origin, p.Base = Line(p.Origin), Line(p.Base)
	return p
}

func cleanVerdict(v *mulligan.Verdict) *mulligan.Verdict {
	if v == nil {
		return nil
	}
	c := *v
	c.Status = mulligan.Status(Line(string(c.Status)))
	c.Gate, c.Summary = Line(c.Gate), Line(c.Summary)
	if c.Finding != nil {
		f := *c.Finding
		f.Command, f.Whole, f.Exit, f.Runner = Line(f.Command), Line(f.Whole), Line(f.Exit), Line(f.Runner)
		f.Text = Text(f.Text)
		f.Failing = slices.Clone(f.Failing)
		for i, item := range f.Failing {
			f.Failing[i] = mulligan.Item{Name: Line(item.Name), Place: Line(item.Place), Message: Line(item.Message)}
		}
		c.Finding = &f
	}
	return &c
}

func cleanOutcome(o mulligan.Outcome) *mulligan.Outcome {
	o.Ended = mulligan.Ended(Line(string(o.Ended)))
	o.Reason, o.Limit, o.LimitOf = Line(o.Reason), Line(o.Limit), Line(o.LimitOf)
	o.Step, o.Commit = Line(o.Step), Line(o.Commit)
	o.Tree = mulligan.Tree{ID: Line(o.Tree.ID), Head: Line(o.Tree.Head)}
	o.Left = mulligan.Tree{ID: Line(o.Left.ID), Head: Line(o.Left.Head)}
	o.Evidence = cleanVerdict(o.Evidence)
	o.Steps = slices.Clone(o.Steps)
	for i, s := range o.Steps {
		s.Step, s.Status, s.Commit = Line(s.Step), Line(s.Status), Line(s.Commit)
		s.By = cleanLines(s.By)
		o.Steps[i] = s
	}
	o.Notes, o.Undelivered = cleanLines(o.Notes), cleanLines(o.Undelivered)
	o.Questions = slices.Clone(o.Questions)
	for i, q := range o.Questions {
		o.Questions[i] = cleanQuestion(q)
	}
	return &o
}

func cleanLines(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Line(s)
	}
	return out
}
