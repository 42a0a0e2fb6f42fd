package claudecode

import (
	"encoding/json"
	"time"

	"mulligan"
)

// codemieRetries is how often codemie lets a Stop hook send the agent back if its file has no number, or
// 0.
const codemieRetries = 5

// ReadCodemie reads the hooks of codemie's file (.codemie/codemie-cli.config.json), and how often
// its Stop hooks may send the agent back, or nil if the file does not tell. Its hooks are at the
// top or in the active profile, and its times are milliseconds; for the rest see ReadSettings.
func ReadCodemie(path string, data []byte) (hooks []mulligan.AgentHook, maxRetries *int, notes []string, err error) {
	r := newReader(path, data, time.Millisecond, func(string, string) time.Duration { return 60 * time.Second })
	place, fields := r.activeProfile(r.readFile())
	r.readHooks(place.field("hooks"), fields["hooks"])
	return r.read, r.readRetries(place.field("maxHookRetries"), fields["maxHookRetries"]), r.notes, r.mistakes.Err()
}

// readRetries returns how often Stop hooks may send the agent back, or nil if the file does not tell.
// For codemie 0 is as if there were no number.
func (r *reader) readRetries(place jsonPlace, raw json.RawMessage) *int {
	if isAbsent(raw) {
		return nil
	}
	n, ok := wholeNumber(raw)
	switch {
	case !ok:
		r.addNote(place, "is %s: want a whole number, 0 or more; it is passed over", showValue(raw))
		return nil
	case n == 0:
		n = codemieRetries
		r.addNote(place, "is 0, which codemie takes for its usual %d: so many count; max_hook_retries: 0 in mulligan.yaml is none", n)
	}
	return &n
}

// activeProfile returns the part of the file that counts, and the prefix of its places in notes: the
// active profile, with the settings of the top that it lacks.
func (r *reader) activeProfile(fields map[string]json.RawMessage) (jsonPlace, map[string]json.RawMessage) {
	raw := fields["profiles"]
	if isAbsent(raw) {
		return nil, fields
	}
	var profiles map[string]json.RawMessage
	if json.Unmarshal(raw, &profiles) != nil {
		r.addMistake(jsonPlace{"profiles"}, "is %s: want an object", showValue(raw))
		return nil, fields
	}
	active, named := "default", !isAbsent(fields["activeProfile"])
	if named && json.Unmarshal(fields["activeProfile"], &active) != nil {
		r.addMistake(jsonPlace{"activeProfile"}, "is %s: want a text", showValue(fields["activeProfile"]))
		return nil, fields
	}
	place := jsonPlace{"profiles", active}
	var chosen map[string]json.RawMessage
	switch {
	case profiles[active] == nil && named && isAbsent(fields["hooks"]):
		r.addMistake(jsonPlace{"activeProfile"}, "profiles has no profile %q", active)
		return nil, fields
	case profiles[active] == nil:
		r.addNote(jsonPlace{"profiles"}, "has no profile %q, which is the active one: what stands at the top counts", active)
		return nil, fields
	case json.Unmarshal(profiles[active], &chosen) != nil || chosen == nil:
		r.addMistake(place, "is %s: want an object", showValue(profiles[active]))
		return nil, fields
	}
	if chosen["maxHookRetries"] == nil {
		chosen["maxHookRetries"] = fields["maxHookRetries"]
	}
	if fields["hooks"] != nil {
		if chosen["hooks"] == nil {
			chosen["hooks"] = fields["hooks"]
			return nil, chosen
		}
		r.addNote(jsonPlace{"hooks"}, "is passed over: %s counts", place.field("hooks"))
	}
	return place, chosen
}
