package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/config"
	"mulligan/hook"
)

// allHooks resolves the user's commands at every moment.
func (b *builder) allHooks() map[mulligan.Moment][]mulligan.HookSpec {
	specs := map[mulligan.Moment][]mulligan.HookSpec{}
	for _, moment := range mulligan.Moments() {
		for _, v := range b.Config.Get("hooks", string(moment)).List() {
			if v.OK() {
				specs[moment] = append(specs[moment], b.hook(moment, v))
			}
		}
	}
	if len(specs) == 0 {
		return nil
	}
	return specs
}

func (b *builder) hook(moment mulligan.Moment, v config.Value) mulligan.HookSpec {
	b.hookTime(v.Get("timeout"), "30s")
	b.hookDelivery(v)
	b.hookSecrets(v)
	h := mulligan.HookSpec{
		Name:    shortName(cmp.Or(v.Get("name").String(), v.Get("command").String())),
		Command: v.Get("command").String(),
		Timeout: v.Get("timeout").Duration(),
		Pipe:    v.Get("pipe_output").Bool(),
		Now:     v.Get("deliver").String() == "now",
		Env:     b.hookEnv(v.Get("env")),
		Dir:     b.hookDir(v.Get("dir")),
	}
	if when := v.Get("when").String(); when != "always" {
		h.When = when
	}
	if command := v.Get("command"); command.OK() {
		h.Script = b.script(command, moment)
	}
	return h
}

// script is what the shell is given: the command, its variables references to the environment.
func (b *builder) script(command config.Value, moment mulligan.Moment) string {
	script, err := hook.Compile(command.String(), moment)
	if wrong, ok := errors.AsType[*hook.CommandError](err); ok {
		b.wrong(command.WrongAt(wrong.Line, wrong.Col, "%s", wrong.Message))
	} else if err != nil {
		b.wrong(command.Wrong("%v", err))
	}
	return script
}

// hookTime refuses a hook that may run for ever: a session waits for its hooks.
func (b *builder) hookTime(limit config.Value, usual string) {
	if limit.OK() && limit.Duration() == 0 {
		b.wrong(limit.Wrong("a hook needs a time to end in: leave the key out for %s", usual))
	}
}

// hookDelivery refuses to deliver at once what is not delivered at all.
func (b *builder) hookDelivery(v config.Value) {
	deliver := v.Get("deliver")
	if deliver.String() == "now" && v.Get("pipe_output").OK() && !v.Get("pipe_output").Bool() {
		m := deliver.Wrong("the agent gets nothing of this hook")
		m.Hint = "add pipe_output: true"
		b.wrong(m)
	}
}

// hookEnv are the variables of a hook. Those that mulligan itself gives are not for the
// config: a command must be able to believe them.
func (b *builder) hookEnv(v config.Value) map[string]string {
	if len(v.Keys()) == 0 {
		return nil
	}
	env := map[string]string{}
	for _, name := range v.Keys() {
		value := v.Get(name)
		switch {
		case strings.HasSuffix(name, "*") || !isVariable(name):
			b.wrong(value.Wrong("%q is not the name of an environment variable", name))
		case strings.HasPrefix(strings.ToUpper(name), "MULLIGAN_"):
			b.wrong(value.Wrong("names that begin with MULLIGAN_ are mulligan's own"))
		case strings.ContainsRune(value.String(), 0):
			b.wrong(value.Wrong("has a zero byte, which no environment variable can hold"))
		case value.OK():
			env[name] = value.String()
		}
	}
	return env
}

func (b *builder) hookDir(v config.Value) string {
	if !v.OK() {
		return ""
	}
	if !isLocal(v.String()) {
		b.wrong(v.Wrong("%q is not a path inside the workspace", v.String()))
		return ""
	}
	if dir := path.Clean(v.String()); dir != "." {
		return dir
	}
	return ""
}

// longestName is how much of a command stands for a name.
const longestName = 60

// shortName is what people call a hook: its name, or what it runs on one line.
func shortName(given string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(given), "\n")
	line = strings.TrimSpace(line)
	cut := strings.TrimSpace(rest) != ""
	if utf8.RuneCountInString(line) > longestName {
		line, cut = strings.TrimSpace(string([]rune(line)[:longestName-2])), true
	}
	if cut {
		line += " …"
	}
	return line
}

// hookNotes are what a person should know of hooks that are right and yet do less than they seem to.
func hookNotes(hooks map[mulligan.Moment][]mulligan.HookSpec) []string {
	var notes []string
	for _, h := range hooks[mulligan.SessionEnd] {
		if h.Pipe {
			notes = append(notes, fmt.Sprintf("session_end hook %q: pipe_output does nothing there, the agent takes no turn after it", h.Name))
		}
	}
	return notes
}

// HookLines says, line by line, which hooks run when, and for how long at most.
func HookLines(p *mulligan.Plan) []string {
	var lines []string
	for _, moment := range mulligan.Moments() {
		for _, h := range p.Hooks[moment] {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", moment, h.Name, strings.Join(hookTerms(moment, h), ", ")))
		}
	}
	return lines
}

func hookTerms(moment mulligan.Moment, h mulligan.HookSpec) []string {
	terms := []string{"at most " + span(h.Timeout)}
	if h.When != mulligan.Always {
		terms = append(terms, "on "+h.When)
	}
	switch {
	case moment == mulligan.SessionEnd: // nobody is there to get it
	case h.Now:
		terms = append(terms, "its output goes to the agent at once")
	case h.Pipe:
		terms = append(terms, "its output goes to the agent")
	}
	if h.Dir != "" {
		terms = append(terms, "in "+h.Dir)
	}
	return terms
}

// piped says whether a hook of one of the moments gives the agent something.
func piped(p *mulligan.Plan, moments ...mulligan.Moment) bool {
	for _, m := range moments {
		if slices.ContainsFunc(p.Hooks[m], func(h mulligan.HookSpec) bool { return h.Pipe }) {
			return true
		}
	}
	return false
}

// now says whether a hook gives the agent something in the middle of an iteration.
func now(p *mulligan.Plan) bool {
	return slices.ContainsFunc(p.Hooks[mulligan.PostIteration], func(h mulligan.HookSpec) bool { return h.Now })
}
