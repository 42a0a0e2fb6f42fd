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

// ReadSettings reads the hooks of a settings file of Claude Code (.claude/settings.json). It is the
// file of another program: what is unknown or wrong in it is ignored with a note that names the
// place, and the rest counts. Events that happen inside an agent are read too, with Unhandled set.
// The order is the file's. Nothing that is in a file of another program is an error.
func ReadSettings(path string, data []byte) (hooks []mulligan.AgentHook, notes []string, err error) {
	r := reader{path: path, unit: time.Second, defaults: claudeTimeout}
	fields := r.readFile(data)
	if isTrue(fields["disableAllHooks"]) {
		r.addNote("disableAllHooks", "is true: its hooks are not run")
		return nil, r.notes, nil
	}
	r.readHooks("hooks", fields["hooks"])
	if len(r.read) > 0 && fields["env"] != nil && !slices.Contains([]string{"null", "{}"}, string(fields["env"])) {
		r.addNote("env", "is passed over: hooks get the environment that mulligan was started with")
	}
	return r.read, r.notes, nil
}

// DisablesAll reports whether a settings file turns all hooks off, those of other files too: a file
// that counts before another (settings.local.json before settings.json) decides for both.
func DisablesAll(data []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(trimByteOrderMark(data), &fields) == nil && isTrue(fields["disableAllHooks"])
}

func isTrue(raw json.RawMessage) bool { return string(raw) == "true" }

// claudeTimeout returns Claude Code's time limit for a hook that has none of its own.
func claudeTimeout(event, kind string) time.Duration {
	switch {
	case kind == "agent":
		return 60 * time.Second
	case kind == "prompt", event == mulligan.EventPrompt:
		return 30 * time.Second
	}
	return 600 * time.Second
}

// A reader gathers the hooks of a file, and notes about it.
type reader struct {
	path     string
	unit     time.Duration // of a timeout that is a number
	defaults func(event, kind string) time.Duration
	read     []mulligan.AgentHook
	notes    []string
}

func (r *reader) addNote(place, format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf("%s: %s: %s", r.path, place, fmt.Sprintf(format, args...)))
}

// readHooks reads the mapping of events to groups.
func (r *reader) readHooks(place string, raw json.RawMessage) {
	if isAbsent(raw) {
		return
	}
	events, ok := readMembers(raw)
	if !ok {
		r.addNote(place, "is %s: want an object of events; it is passed over", showValue(raw))
		return
	}
	for _, m := range events {
		r.readEvent(place+"."+m.name, m.name, m.value)
	}
}

func (r *reader) readEvent(place, event string, raw json.RawMessage) {
	if !Has(event) {
		r.addNote(place, "is no event that is known here: its hooks are left to the agent")
	}
	var groups []json.RawMessage
	if json.Unmarshal(raw, &groups) != nil {
		r.addNote(place, "is %s: want a list; it is passed over", showValue(raw))
		return
	}
	for i, group := range groups {
		r.readGroup(fmt.Sprintf("%s[%d]", place, i), event, group)
	}
}

func (r *reader) readGroup(place, event string, raw json.RawMessage) {
	fields, ok := readMembers(raw)
	if !ok {
		r.addNote(place, "is %s: want an object with hooks; it is passed over", showValue(raw))
		return
	}
	var matcher string
	var hooks []json.RawMessage
	for _, m := range fields {
		switch m.name {
		case "matcher":
			matcher = r.readMatcher(place+".matcher", m.value)
		case "hooks":
			if json.Unmarshal(m.value, &hooks) != nil {
				r.addNote(place+".hooks", "is %s: want a list; it is passed over", showValue(m.value))
			}
		default:
			r.addNote(place+"."+m.name, "is not known here and passed over")
		}
	}
	for i, hook := range hooks {
		r.readHook(fmt.Sprintf("%s.hooks[%d]", place, i), mulligan.AgentHook{Event: event, Matcher: matcher, From: r.path}, hook)
	}
}

func (r *reader) readMatcher(place string, raw json.RawMessage) string {
	var matcher string
	if json.Unmarshal(raw, &matcher) != nil {
		r.addNote(place, "is %s: want a text; the hooks are for all", showValue(raw))
		return ""
	}
	if _, err := regexp.Compile(matcher); err != nil && matcher != "*" && !isList(matcher) {
		r.addNote(place, "%q cannot be read as a regular expression: the hooks are for all", text.Clip(strings.TrimSpace(matcher), valueShown))
	}
	return matcher
}

// Has reports whether Claude Code has hooks at a moment.
func Has(event string) bool {
	return slices.Contains(agentEvents(), event) || slices.Contains(ownEvents, event)
}

// ownEvents are the events that mulligan runs, for every agent.
var ownEvents = []string{mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventStop, mulligan.EventSessionEnd}

// agentEvents are the events that only an agent meets.
func agentEvents() []string {
	return strings.Fields(`Setup UserPromptExpansion PreToolUse PermissionRequest PermissionDenied PostToolUse
		PostToolUseFailure PostToolBatch Notification MessageDisplay SubagentStart SubagentStop TaskCreated
		TaskCompleted TeammateIdle StopFailure PreCompact PostCompact PreModelSwitch PostModelSwitch Elicitation
		ElicitationResult InstructionsLoaded ConfigChange CwdChanged DirectoryAdded FileChanged WorktreeCreate
		WorktreeRemove`)
}
