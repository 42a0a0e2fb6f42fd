package plan

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
)

// checkSecrets refuses secrets in what is run besides agents and checks.
func (b *builder) checkSecrets() {
	worktree := b.Config.Get("worktree")
	for _, v := range append(worktree.Get("copy").List(), worktree.Get("setup")) {
		b.refuseSecrets(v, v.String())
	}
	agents := b.Config.Get("agents")
	for _, name := range agents.Keys() {
		for _, v := range agents.Get(name).Get("writable").List() {
			b.refuseSecrets(v, v.String())
		}
	}
}

// refuseSecrets refuses a secret in what is run: the journal would have it, or lack it, and
// a resumed session would run something else.
func (b *builder) refuseSecrets(v config.Value, text string) {
	if b.Secrets == nil {
		return
	}
	_, names := b.Secrets(text)
	if len(names) == 0 {
		return
	}
	m := v.Wrong("it holds a secret (%s), and a plan is stored", strings.Join(names, ", "))
	m.Hint = "put it into an environment variable, and write $NAME in its place"
	m.Source, _ = b.Secrets(m.Source)
	b.wrong(m)
}

// conceal takes secrets out of the texts of a plan. Agents are given what is left, so the
// person is told.
func (b *builder) conceal(p *mulligan.Plan) {
	if b.Secrets == nil {
		return
	}
	clean := func(what string, text *string) {
		left, names := b.Secrets(*text)
		if *text = left; len(names) > 0 {
			p.Notes = append(p.Notes, fmt.Sprintf(
				"%s holds a secret (%s), which is left out; an agent that needs it has it in an environment variable, named under its env:", what, strings.Join(names, ", ")))
		}
	}
	clean("the task's path", &p.Task.Path)
	clean("the task's folder", &p.Task.Folder)
	clean("the task", &p.Task.Text)
	clean("git.message", &p.Git.Message)
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		step := &p.Steps[i]
		clean(fmt.Sprintf("the prompt of step %q", step.Name), &step.Prompt)
		clean(fmt.Sprintf("the feedback file of step %q", step.Name), &step.Feedback)
	}
}
