package claudecode

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// ReadSettings reads the hooks of a settings file of Claude Code (.claude/settings.json). It is
// the file of another program: what is unknown or wrong in it is passed over with a note that
// names the place, and the rest counts. Events that happen inside an agent are read too and
// say in Unhandled that mulligan does not run them. The order is the file's. Nothing that a
// file of another program has in it is an error.
func ReadSettings(path string, data []byte) (hooks []mulligan.AgentHook, notes []string, err error) {
	r := reader{path: path, unit: time.Second, defaults: claudeTimeout}
	fields := r.file(data)
	if off(fields["disableAllHooks"]) {
		r.note("disableAllHooks", "is true: its hooks are not run")
		return nil, r.notes, nil
	}
	r.hooks("hooks", fields["hooks"])
	if len(r.read) > 0 && fields["env"] != nil && !slices.Contains([]string{"null", "{}"}, string(fields["env"])) {
		r.note("env", "is passed over: hooks get the environment that mulligan was started with")
	}
	return r.read, r.notes, nil
}

// DisablesAll says that a settings file turns all hooks off, those of other files too: one that
// counts before another (settings.local.json before settings.json) speaks for both.
func DisablesAll(data []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(withoutMark(data), &fields) == nil && off(fields["disableAllHooks"])
}

func off(raw json.RawMessage) bool { return string(raw) == "true" }

// claudeTimeout is what Claude Code gives a hook that names no time of its own.
func claudeTimeout(event, kind string) time.Duration {
	switch {
	case kind == "prompt":
		return 30 * time.Second
	case kind == "agent":
		return 60 * time.Second
	case event == mulligan.EventPrompt:
		return 30 * time.Second
	}
	return 600 * time.Second
}

// A reader gathers the hooks of a file, and what there is to say of it.
type reader struct {
	path     string
	unit     time.Duration // of a timeout that is a number
	defaults func(event, kind string) time.Duration
	read     []mulligan.AgentHook
	notes    []string
}

func (r *reader) note(place, format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf("%s: %s: %s", r.path, place, fmt.Sprintf(format, args...)))
}

// hooks reads the mapping of events to groups.
func (r *reader) hooks(place string, raw json.RawMessage) {
	if raw == nil || isNull(raw) {
		return
	}
	events, ok := members(raw)
	if !ok {
		r.note(place, "is %s: want an object of events; it is passed over", shown(raw))
		return
	}
	for _, m := range events {
		r.event(place+"."+m.name, m.name, m.value)
	}
}

func (r *reader) event(place, event string, raw json.RawMessage) {
	if !Has(event) {
		r.note(place, "is no event that is known here: its hooks are left to the agent")
	}
	var groups []json.RawMessage
	if json.Unmarshal(raw, &groups) != nil {
		r.note(place, "is %s: want a list; it is passed over", shown(raw))
		return
	}
	for i, group := range groups {
		r.group(fmt.Sprintf("%s[%d]", place, i), event, group)
	}
}

func (r *reader) group(place, event string, raw json.RawMessage) {
	fields, ok := members(raw)
	if !ok {
		r.note(place, "is %s: want an object with hooks; it is passed over", shown(raw))
		return
	}
	var matcher string
	var hooks []json.RawMessage
	for _, m := range fields {
		switch m.name {
		case "matcher":
			matcher = r.matcher(place+".matcher", m.value)
		case "hooks":
			if json.Unmarshal(m.value, &hooks) != nil {
				r.note(place+".hooks", "is %s: want a list; it is passed over", shown(m.value))
			}
		default:
			r.note(place+"."+m.name, "is not known here and passed over")
		}
	}
	for i, hook := range hooks {
		r.hook(fmt.Sprintf("%s.hooks[%d]", place, i), mulligan.AgentHook{Event: event, Matcher: matcher, From: r.path}, hook)
	}
}

func (r *reader) matcher(place string, raw json.RawMessage) string {
	var matcher string
	if json.Unmarshal(raw, &matcher) != nil {
		r.note(place, "is %s: want a text; the hooks are for all", shown(raw))
		return ""
	}
	if matcher != "*" && !isList(matcher) {
		if _, err := regexp.Compile(matcher); err != nil {
			r.note(place, "%q cannot be read as a regular expression: the hooks are for all", text.Clip(strings.TrimSpace(matcher), valueShown))
		}
	}
	return matcher
}

// Has says whether Claude Code has hooks at a moment.
func Has(event string) bool {
	return slices.Contains(insideAgent(), event) || slices.Contains(ours(), event)
}

// ours are the events that mulligan runs, for every agent.
func ours() []string {
	return []string{mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventStop, mulligan.EventSessionEnd}
}

// insideAgent are the events that only an agent meets.
func insideAgent() []string {
	return strings.Fields(`Setup UserPromptExpansion PreToolUse PermissionRequest PermissionDenied PostToolUse
		PostToolUseFailure PostToolBatch Notification MessageDisplay SubagentStart SubagentStop TaskCreated
		TaskCompleted TeammateIdle StopFailure PreCompact PostCompact PreModelSwitch PostModelSwitch Elicitation
		ElicitationResult InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate
		WorktreeRemove`)
}
