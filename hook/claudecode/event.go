package claudecode

import (
	"bytes"
	"cmp"
	"encoding/json"

	"mulligan"
)

// An event is what a hook reads: the fields of Claude Code, and after them ours.
type event struct {
	Session    string  `json:"session_id"`
	Transcript string  `json:"transcript_path"`
	Dir        string  `json:"cwd"`
	Name       string  `json:"hook_event_name"`
	Active     *bool   `json:"stop_hook_active,omitempty"`
	Message    *string `json:"last_assistant_message,omitempty"`
	Prompt     *string `json:"prompt,omitempty"`
	Source     *string `json:"source,omitempty"`
	Reason     *string `json:"reason,omitempty"`
	Step       string  `json:"step"`
	Attempt    int     `json:"attempt"`
	Iteration  int     `json:"iteration"`
	Retry      int     `json:"hook_retry"`
}

// eventJSON returns the event in one line. What is not UTF-8 in it is replaced, so that any reader
// can read it.
func eventJSON(in mulligan.AgentHookCall) []byte {
	if in.Input != nil {
		return insideJSON(in)
	}
	e := event{
		Session: in.Session, Transcript: in.Transcript, Dir: in.Dir, Name: in.Event,
		Step: in.Step, Attempt: in.Attempt, Iteration: in.Iteration, Retry: in.Retry,
	}
	switch in.Event {
	case mulligan.EventStop:
		active := in.Retry > 0
		e.Active, e.Message = &active, &in.Message
	case mulligan.EventPrompt:
		e.Prompt = &in.Prompt
	case mulligan.EventSessionStart:
		e.Source = &in.Source
	case mulligan.EventSessionEnd:
		e.Reason = &in.Reason
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.Encode(e) // of plain fields and into memory: neither can fail
	return out.Bytes()
}

// insideJSON returns an event that an agent reported, with our fields added to its own.
func insideJSON(in mulligan.AgentHookCall) []byte {
	fields := map[string]any{}
	if json.Unmarshal(in.Input, &fields) != nil {
		return in.Input
	}
	fields["step"], fields["attempt"], fields["iteration"], fields["hook_retry"] = in.Step, in.Attempt, in.Iteration, in.Retry
	fields["mulligan_session"] = in.Session
	out, _ := json.Marshal(fields) // what was read from JSON always marshals
	return append(out, '\n')
}

// matchedValue returns what a matcher is compared with: for what happens inside an agent, a field
// that depends on the event, or "" if the event has no such field.
func matchedValue(in mulligan.AgentHookCall) string {
	var fields struct {
		Tool         string `json:"tool_name"`
		Trigger      string `json:"trigger"`
		Agent        string `json:"agent_type"`
		Notification string `json:"notification_type"`
		Source       string `json:"source"`
	}
	if json.Unmarshal(in.Input, &fields) != nil {
		return ""
	}
	return cmp.Or(fields.Tool, fields.Trigger, fields.Agent, fields.Notification, fields.Source)
}

// isWanted reports whether a hook's matcher is for this call. Events that happen in one way only
// have no matcher, whatever the config has.
func isWanted(h mulligan.AgentHook, in mulligan.AgentHookCall) bool {
	switch in.Event {
	case mulligan.EventSessionStart:
		return Matches(h.Matcher, in.Source)
	case mulligan.EventSessionEnd:
		return Matches(h.Matcher, in.Reason)
	}
	value := matchedValue(in)
	return value == "" || Matches(h.Matcher, value)
}
