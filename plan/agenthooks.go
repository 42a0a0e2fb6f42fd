package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/shellword"
)

// insideAgent is why mulligan does not run the hook of a moment that only the agent knows of.
const insideAgent = "runs inside the agent: no agent of this plan can run it yet"

// allAgentHooks resolves the hooks at moments of the agent: the config's own first, then those
// of other programs' files.
func (b *builder) allAgentHooks() mulligan.AgentHooks {
	c := b.Config
	a := mulligan.AgentHooks{
		Hooks:      b.ownAgentHooks(),
		MaxRetries: c.Get("max_hook_retries").Int(),
		Backoff:    c.Get("hook_retry_backoff").Duration(),
		Feedback:   b.fileText(c.Get("hook_feedback_file")),
		OnLimit:    c.Get("on_limit").String(),
	}
	b.refuseHooksOff(a.Hooks)
	b.foreignHooks(&a)
	if len(a.Hooks) == 0 {
		return mulligan.AgentHooks{}
	}
	b.notes = append(b.notes, b.unrunnable(a.Hooks)...)
	return a
}

func (b *builder) note(format string, args ...any) {
	b.notes = append(b.notes, b.shown(fmt.Sprintf(format, args...)))
}

// ownAgentHooks are those of the config, in its order.
func (b *builder) ownAgentHooks() []mulligan.AgentHook {
	var hooks []mulligan.AgentHook
	all := b.Config.Get("agent_hooks")
	for _, event := range all.Keys() {
		for _, group := range all.Get(event).List() {
			matcher := b.matcher(event, group.Get("matcher"))
			for _, v := range group.Get("hooks").List() {
				if !v.OK() {
					continue
				}
				h := b.agentHook(v)
				h.Event, h.Matcher = event, matcher
				hooks = append(hooks, settled(h))
			}
		}
	}
	return hooks
}

func (b *builder) agentHook(v config.Value) mulligan.AgentHook {
	b.hookTime(v.Get("timeout"), "60s")
	b.agentHookSecrets(v)
	b.address(v.Get("url"))
	if command := v.Get("command"); command.OK() {
		b.readable(command)
	}
	h := mulligan.AgentHook{
		Name:     shortName(cmp.Or(v.Get("name").String(), v.Get("command").String(), v.Get("url").String(), b.shown(v.Get("prompt").String()))),
		Type:     v.Get("type").String(),
		Command:  v.Get("command").String(),
		URL:      v.Get("url").String(),
		Headers:  b.headers(v.Get("headers")),
		Prompt:   v.Get("prompt").String(),
		Timeout:  v.Get("timeout").Duration(),
		FailOpen: v.Get("on_failure").String() == "allow",
		From:     b.file(v),
	}
	if h.Type == "prompt" {
		h.Agent = b.answerer(v)
	}
	return h
}

// settled is a hook with what its event makes of it.
func settled(h mulligan.AgentHook) mulligan.AgentHook {
	switch h.Event {
	case mulligan.EventStop, mulligan.EventPrompt:
		h.Matcher = "" // there is nothing that it could match
	case mulligan.EventSessionStart, mulligan.EventSessionEnd:
	default:
		h.Unhandled = insideAgent
	}
	if h.Matcher == "*" {
		h.Matcher = ""
	}
	return h
}

// matcher checks what says when a hook is run. Those of the agent's own moments are the agent's
// to read.
func (b *builder) matcher(event string, v config.Value) string {
	text := v.String()
	b.refuseSecrets(v, text)
	switch event {
	case mulligan.EventStop, mulligan.EventPrompt:
		if text != "" && text != "*" {
			b.note("%s: %s has nothing to match: its hooks run always", v.Path(), event)
		}
	case mulligan.EventSessionStart, mulligan.EventSessionEnd:
		if _, err := regexp.Compile(text); err != nil && text != "*" {
			b.wrong(v.Wrong("%q is not a regular expression: %v", text, err))
		}
	}
	return text
}

// readable refuses a command that no shell can read: it would be broken at every turn.
func (b *builder) readable(command config.Value) {
	if wrong, ok := errors.AsType[*shellword.SyntaxError](shellword.Check(command.String())); ok {
		b.wrong(command.WrongAt(wrong.Line, wrong.Col, "the shell cannot read the command: %s", wrong.Message))
	}
}

// answerer is the agent that a prompt goes to.
func (b *builder) answerer(v config.Value) string {
	if own := v.Get("agent"); own.IsSet() {
		if own.OK() {
			b.resolveAgent(own)
		}
		return own.String()
	}
	usual := b.Config.Get("agent")
	if !usual.IsSet() {
		m := v.Get("prompt").Wrong("no agent is named to answer it")
		m.Hint = "add agent: NAME to the hook"
		b.wrong(m)
	}
	return usual.String()
}

// file is the file that a value stands in, as a plan names it.
func (b *builder) file(v config.Value) string {
	name, _, _ := v.Pos()
	if dir := v.Dir(); dir != "" {
		name = inside(b.Root, filepath.Join(dir, filepath.Base(name)))
	}
	return b.shown(name)
}

// unrunnable tells of hooks that could not be run if they were to run now.
func (b *builder) unrunnable(hooks []mulligan.AgentHook) []string {
	if b.Environ == nil {
		return nil
	}
	var notes []string
	vars := map[string]string{"CLAUDE_PROJECT_DIR": b.Root}
	for _, h := range hooks {
		if h.Type != "command" || h.Unhandled != "" {
			continue
		}
		word, err := shellword.Find(h.Command, b.Root, b.Environ, vars)
		if err == nil {
			continue
		}
		if filepath.IsAbs(word) {
			word = inside(b.Root, word)
		}
		notes = append(notes, b.shown(fmt.Sprintf("%s hook %q of %s cannot be run: %s %v", h.Event, h.Name, h.From, word, err)))
	}
	return notes
}
