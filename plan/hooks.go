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

// resolveHooks returns the user's commands at every moment.
func (b *builder) resolveHooks() map[mulligan.Moment][]mulligan.HookSpec {
	specs := map[mulligan.Moment][]mulligan.HookSpec{}
	for _, moment := range mulligan.Moments() {
		for _, v := range b.Config.Get("hooks", string(moment)).List() {
			if v.OK() {
				specs[moment] = append(specs[moment], b.resolveHook(moment, v))
			}
		}
	}
	if len(specs) == 0 {
		return nil
	}
	return specs
}

func (b *builder) resolveHook(moment mulligan.Moment, v config.Value) mulligan.HookSpec {
	b.checkHookTimeout(v.Get("timeout"), "30s")
	b.checkHookDelivery(v)
	b.refuseHookSecrets(v)
	h := mulligan.HookSpec{
		Name:    shortenName(cmp.Or(v.Get("name").String(), v.Get("command").String())),
		Command: v.Get("command").String(),
		Timeout: v.Get("timeout").Duration(),
		Pipe:    v.Get("pipe_output").Bool(),
		Now:     v.Get("deliver").String() == "now",
		Env:     b.resolveHookEnv(v.Get("env")),
		Dir:     b.resolveHookDir(v.Get("dir")),
	}
	if when := v.Get("when").String(); when != "always" {
		h.When = when
	}
	if command := v.Get("command"); command.OK() {
		h.Script = b.compileScript(command, moment)
	}
	return h
}

// compileScript returns what the shell is given: the command, with its variables as references to the
// environment.
func (b *builder) compileScript(command config.Value, moment mulligan.Moment) string {
	script, err := hook.Compile(command.String(), moment)
	if wrong, ok := errors.AsType[*hook.CommandError](err); ok {
		b.addMistake(command.WrongAt(wrong.Line, wrong.Col, "%s", wrong.Message))
	} else if err != nil {
		b.addMistake(command.Wrong("%v", err))
	}
	return script
}

// checkHookTimeout refuses a hook that may run for ever: a session waits for its hooks.
func (b *builder) checkHookTimeout(limit config.Value, usual string) {
	if limit.OK() && limit.Duration() == 0 {
		b.addMistake(limit.Wrong("a hook needs a time to end in: leave the key out for %s", usual))
	}
}

// checkHookDelivery refuses to deliver at once what is not delivered at all.
func (b *builder) checkHookDelivery(v config.Value) {
	deliver := v.Get("deliver")
	if deliver.String() == "now" && v.Get("pipe_output").OK() && !v.Get("pipe_output").Bool() {
		b.addMistake(deliver.Wrong("the agent gets nothing of this hook").WithHint("add pipe_output: true"))
	}
}

// resolveHookEnv returns the variables of a hook. The config may not set those that mulligan itself sets:
// a command must be able to trust them.
func (b *builder) resolveHookEnv(v config.Value) map[string]string {
	if len(v.Keys()) == 0 {
		return nil
	}
	env := map[string]string{}
	for _, name := range v.Keys() {
		value := v.Get(name)
		switch {
		case !variableName().MatchString(name):
			b.addMistake(value.Wrong("%q is not the name of an environment variable", name))
		case strings.HasPrefix(strings.ToUpper(name), "MULLIGAN_"):
			b.addMistake(value.Wrong("names that begin with MULLIGAN_ are mulligan's own"))
		case strings.ContainsRune(value.String(), 0):
			b.addMistake(value.Wrong("has a zero byte, which no environment variable can hold"))
		case value.OK():
			env[name] = value.String()
		}
	}
	return env
}

func (b *builder) resolveHookDir(v config.Value) string {
	if v.OK() && !isLocalPath(v.String()) {
		b.addMistake(v.Wrong("%q is not a path inside the workspace", v.String()))
		return ""
	}
	if dir := path.Clean(v.String()); dir != "." {
		return dir
	}
	return ""
}

// longestName bounds the part of a command that serves as a name.
const longestName = 60

// shortenName returns what people call a hook: its name, or the first line of what it runs.
func shortenName(given string) string {
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

// hookNotes returns notes on hooks that are right and yet do less than they seem to.
func hookNotes(hooks map[mulligan.Moment][]mulligan.HookSpec) []string {
	var notes []string
	for _, h := range hooks[mulligan.SessionEnd] {
		if h.Pipe {
			notes = append(notes, fmt.Sprintf("session_end hook %q: pipe_output does nothing there, the agent takes no turn after it", h.Name))
		}
	}
	return notes
}

// HookLines returns, line by line, which hooks run when, and for how long at most.
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
	terms := []string{"at most " + FormatDuration(h.Timeout)}
	if h.When != mulligan.Always {
		terms = append(terms, "on "+h.When)
	}
	switch {
	case moment == mulligan.SessionEnd: // no agent is left to get it
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

// hasPipedHook reports whether the output of a hook at one of the moments goes to the agent.
func hasPipedHook(p *mulligan.Plan, moments ...mulligan.Moment) bool {
	return slices.ContainsFunc(moments, func(m mulligan.Moment) bool {
		return slices.ContainsFunc(p.Hooks[m], func(h mulligan.HookSpec) bool { return h.Pipe })
	})
}
