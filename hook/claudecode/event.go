package claudecode

import (
	"bytes"
	"encoding/json"

	"mulligan"
)

// An event is what a hook reads: the fields that Claude Code gives, and after them ours.
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

// eventJSON is one line. What is not UTF-8 in it is replaced, so that any reader takes it.
func eventJSON(in mulligan.AgentHookCall) []byte {
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

// wanted says whether a hook's matcher is for this call. Events that happen in one way only
// have no matcher, whatever the config says.
func wanted(h mulligan.AgentHook, in mulligan.AgentHookCall) bool {
	switch in.Event {
	case mulligan.EventSessionStart:
		return Matches(h.Matcher, in.Source)
	case mulligan.EventSessionEnd:
		return Matches(h.Matcher, in.Reason)
	}
	return true
}
