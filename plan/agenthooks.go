package plan

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"mulligan"
	"mulligan/config"
	"mulligan/hook/claudecode"
	"mulligan/internal/shellword"
)

// insideAgent tells a person why mulligan does not run the hook of an event inside the agent.
const insideAgent = "runs inside the agent: no agent of this plan can run it yet"

// resolveAgentHooks returns the hooks at moments of the agent: the config's own first, then those
// of other programs' files.
func (b *builder) resolveAgentHooks() mulligan.AgentHooks {
	c := b.Config
	a := mulligan.AgentHooks{
		Hooks:      b.resolveOwnAgentHooks(),
		MaxRetries: c.Get("max_hook_retries").Int(),
		Backoff:    c.Get("hook_retry_backoff").Duration(),
		Feedback:   b.readText(c.Get("hook_feedback_file")),
		OnLimit:    c.Get("on_limit").String(),
	}
	b.refuseHooksOff(a.Hooks)
	b.addForeignHooks(&a)
	if len(a.Hooks) == 0 {
		return mulligan.AgentHooks{}
	}
	return a
}

// addNote adds a note for the person, without secrets.
func (b *builder) addNote(format string, args ...any) {
	b.notes = append(b.notes, b.removeSecrets(fmt.Sprintf(format, args...)))
}

// resolveOwnAgentHooks returns the hooks of the config, in its order.
func (b *builder) resolveOwnAgentHooks() []mulligan.AgentHook {
	var hooks []mulligan.AgentHook
	all := b.Config.Get("agent_hooks")
	for _, event := range all.Keys() {
		for _, group := range all.Get(event).List() {
			matcher := b.checkMatcher(event, group.Get("matcher"))
			for _, v := range group.Get("hooks").List() {
				if !v.OK() {
					continue
				}
				h := b.resolveAgentHook(v)
				h.Event, h.Matcher = event, matcher
				hooks = append(hooks, settleHook(h))
			}
		}
	}
	return hooks
}

func (b *builder) resolveAgentHook(v config.Value) mulligan.AgentHook {
	b.checkHookTimeout(v.Get("timeout"), "60s")
	b.refuseHookSecrets(v)
	b.checkAddress(v.Get("url"))
	b.checkCommand(v.Get("command"))
	h := mulligan.AgentHook{
		Name:     shortenName(cmp.Or(v.Get("name").String(), v.Get("command").String(), v.Get("url").String(), b.removeSecrets(v.Get("prompt").String()))),
		Type:     v.Get("type").String(),
		Command:  v.Get("command").String(),
		URL:      v.Get("url").String(),
		Headers:  b.resolveHeaders(v.Get("headers")),
		Prompt:   v.Get("prompt").String(),
		Timeout:  v.Get("timeout").Duration(),
		FailOpen: v.Get("on_failure").String() == "allow",
		From:     b.displayFile(v),
	}
	if h.Type == claudecode.TypePrompt {
		h.Agent = b.resolveAnswerer(v)
	}
	return h
}

// settleHook returns a hook with the matcher and the reason for not running it that its event
// brings about.
func settleHook(h mulligan.AgentHook) mulligan.AgentHook {
	if isInsideEvent(h.Event) {
		h.Unhandled = insideAgent
	}
	// Stop and prompts have nothing that a matcher could match.
	if h.Matcher == "*" || h.Event == mulligan.EventStop || h.Event == mulligan.EventPrompt {
		h.Matcher = ""
	}
	return h
}

// outsideEvents returns the events that mulligan itself knows of, in the order in which a session meets
// them.
func outsideEvents() []string {
	return []string{mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventStop, mulligan.EventSessionEnd}
}

// isInsideEvent reports whether only the agent knows when an event happens.
func isInsideEvent(event string) bool { return !slices.Contains(outsideEvents(), event) }

// isUnclaimed reports whether a hook stands at an event inside the agent, and no agent of the plan
// asks mulligan about it.
func isUnclaimed(h mulligan.AgentHook) bool { return isInsideEvent(h.Event) && !h.Inside }

// checkMatcher returns the text of a hook's matcher, and refuses one that cannot be read. Matchers
// of events inside the agent are the agent's to read.
func (b *builder) checkMatcher(event string, v config.Value) string {
	text := v.String()
	b.refuseSecrets(v, text)
	switch event {
	case mulligan.EventStop, mulligan.EventPrompt:
		if text != "" && text != "*" {
			b.addNote("%s: %s has nothing to match: its hooks run always", v.Path(), event)
		}
	case mulligan.EventSessionStart, mulligan.EventSessionEnd:
		if _, err := regexp.Compile(text); err != nil && text != "*" {
			b.addMistake(v.Wrong("%q is not a regular expression: %v", text, err))
		}
	}
	return text
}

// checkCommand refuses a command that the shell cannot read: it would be broken at every turn.
func (b *builder) checkCommand(command config.Value) {
	if wrong, ok := errors.AsType[*shellword.SyntaxError](shellword.Check(command.String())); ok {
		b.addMistake(command.WrongAt(wrong.Line, wrong.Col, "the shell cannot read the command: %s", wrong.Message))
	}
	if command.OK() && shellword.IsBlank(command.String()) {
		b.addMistake(command.Wrong("the command has only comments: say what to run, or take the hook out"))
	}
}

// resolveAnswerer returns the agent that a hook's prompt goes to.
func (b *builder) resolveAnswerer(v config.Value) string {
	name, named := b.resolveOwnOrUsual(v.Get("agent"))
	if !named {
		b.addMistake(v.Get("prompt").Wrong("no agent is named to answer it").WithHint("add agent: NAME to the hook"))
	}
	return name
}

// displayFile returns the file that a value stands in, as a plan names it.
func (b *builder) displayFile(v config.Value) string {
	name, _, _ := v.Pos()
	if dir := v.Dir(); dir != "" {
		name = relativeTo(b.Root, filepath.Join(dir, filepath.Base(name)))
	}
	return b.removeSecrets(name)
}
