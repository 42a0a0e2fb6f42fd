package claudecode

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// ReadSettings reads the hooks of a settings file of Claude Code (.claude/settings.json). It is the
// file of another program: what is unknown in it is ignored with a note that names the place, and the
// rest counts. Events that happen inside an agent are read too, with Unhandled set. The order is the
// file's. The error is config.Mistakes: what is not JSON, or has the wrong shape where hooks should
// be, would make hooks go missing that a person relies on.
func ReadSettings(path string, data []byte) (hooks []mulligan.AgentHook, notes []string, err error) {
	r := newReader(path, data, time.Second, claudeTimeout)
	fields := r.readFile()
	if isTrue(fields["disableAllHooks"]) {
		r.addNote(jsonPlace{"disableAllHooks"}, "is true: its hooks are not run")
		return nil, r.notes, nil
	}
	r.readHooks(jsonPlace{"hooks"}, fields["hooks"])
	if len(r.read) > 0 && fields["env"] != nil && !slices.Contains([]string{"null", "{}"}, string(fields["env"])) {
		r.addNote(jsonPlace{"env"}, "is passed over: hooks get the environment that mulligan was started with")
	}
	return r.read, r.notes, r.mistakes.Err()
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

// readHooks reads the mapping of events to groups.
func (r *reader) readHooks(place jsonPlace, raw json.RawMessage) {
	if isAbsent(raw) {
		return
	}
	events, ok := readMembers(raw)
	if !ok {
		r.addMistake(place, "is %s: want an object of events", showValue(raw))
		return
	}
	for _, m := range events {
		r.readEvent(place.field(m.name), m.name, m.value)
	}
}

func (r *reader) readEvent(place jsonPlace, event string, raw json.RawMessage) {
	if !Has(event) {
		r.addNote(place, "is no event that is known here: its hooks are left to the agent")
	}
	var groups []json.RawMessage
	if json.Unmarshal(raw, &groups) != nil {
		r.addWrongShape(event, place, "is %s: want a list", showValue(raw))
		return
	}
	for i, group := range groups {
		r.readGroup(place.item(i), event, group)
	}
}

func (r *reader) readGroup(place jsonPlace, event string, raw json.RawMessage) {
	fields, ok := readMembers(raw)
	if !ok {
		r.addWrongShape(event, place, "is %s: want an object with hooks", showValue(raw))
		return
	}
	var matcher string
	var hooks []json.RawMessage
	given := false
	for _, m := range fields {
		switch m.name {
		case "matcher":
			matcher = r.readMatcher(place.field("matcher"), m.value)
		case "hooks":
			if given = true; json.Unmarshal(m.value, &hooks) != nil {
				r.addWrongShape(event, place.field("hooks"), "is %s: want a list", showValue(m.value))
			}
		default:
			r.addNote(place.field(m.name), "is not known here and passed over")
		}
	}
	if !given {
		r.addWrongShape(event, place, `has no hooks: want {"hooks": [{"type": "command", "command": "…"}]}`)
	}
	for i, hook := range hooks {
		r.readHook(place.field("hooks").item(i), mulligan.AgentHook{Event: event, Matcher: matcher, From: r.path}, hook)
	}
}

func (r *reader) readMatcher(place jsonPlace, raw json.RawMessage) string {
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
