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
	workspace := b.Config.Get("workspace")
	for _, v := range append(workspace.Get("copy").List(), workspace.Get("setup")) {
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
	b.refuseSecretsWith(v, text, "put it into an environment variable, and write $NAME in its place")
}

// refuseHookSecrets refuses secrets in all keys of a hook, at a moment of the session or of the agent,
// that decide what is run. Secrets in its prompt are left out instead, for it is only read.
func (b *builder) refuseHookSecrets(v config.Value) {
	for _, key := range []string{"name", "command", "dir", "url"} {
		b.refuseSecrets(v.Get(key), v.Get(key).String())
	}
	env, headers := v.Get("env"), v.Get("headers")
	for _, name := range env.Keys() {
		b.refuseSecretsWith(env.Get(name), name+"="+env.Get(name).String(), "a hook has the environment that mulligan is started with: put it there, and take it out here")
	}
	for _, name := range headers.Keys() {
		b.refuseSecrets(headers.Get(name), name+": "+headers.Get(name).String())
	}
}

func (b *builder) refuseSecretsWith(v config.Value, text, hint string) {
	_, names := b.Secrets(text)
	if len(names) == 0 {
		return
	}
	m := v.Wrong("it holds a secret (%s), and a plan is stored", strings.Join(names, ", ")).WithHint(hint)
	m.Source, _ = b.Secrets(m.Source)
	b.addMistake(m)
}

// removeSecrets returns a text without its secrets.
func (b *builder) removeSecrets(text string) string {
	left, _ := b.Secrets(text)
	return left
}

// concealPlan takes secrets out of the texts of a plan.
func (b *builder) concealPlan(p *mulligan.Plan) {
	b.concealText(p, "the task's path", &p.Task.Path)
	b.concealText(p, "the task's folder", &p.Task.Folder)
	b.concealText(p, "the task", &p.Task.Text)
	b.concealText(p, "git.message", &p.Git.Message)
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		step := &p.Steps[i]
		b.concealText(p, fmt.Sprintf("the prompt of step %q", step.Name), &step.Prompt)
		b.concealText(p, fmt.Sprintf("the feedback file of step %q", step.Name), &step.Feedback)
	}
	b.concealStrategies(p)
	b.concealText(p, "hook_feedback_file", &p.AgentHooks.Feedback)
	for i := range p.AgentHooks.Hooks {
		h := &p.AgentHooks.Hooks[i]
		b.concealText(p, fmt.Sprintf("the prompt of hook %q", h.Name), &h.Prompt)
	}
}

// concealText takes secrets out of a text. Agents are given what is left, so it adds a note for the
// person.
func (b *builder) concealText(p *mulligan.Plan, what string, text *string) {
	left, names := b.Secrets(*text)
	if *text = left; len(names) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf(
			"%s holds a secret (%s), which is left out; an agent that needs it has it in an environment variable, named under its env:", what, strings.Join(names, ", ")))
	}
}
