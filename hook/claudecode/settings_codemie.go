package claudecode

import (
	"encoding/json"
	"time"

	"mulligan"
)

// ReadCodemie reads the hooks of codemie's file (.codemie/codemie-cli.config.json), and how often
// its Stop hooks may send the agent back, or nil if the file does not tell. Its hooks are at the
// top or in the active profile, and its times are milliseconds; for the rest see ReadSettings.
func ReadCodemie(path string, data []byte) (hooks []mulligan.AgentHook, maxRetries *int, notes []string, err error) {
	r := reader{path: path, unit: time.Millisecond, defaults: func(string, string) time.Duration { return 60 * time.Second }}
	place, fields := r.activeProfile(r.readFile(data))
	r.readHooks(place+"hooks", fields["hooks"])
	if raw := fields["maxHookRetries"]; !isAbsent(raw) {
		if n, ok := wholeNumber(raw); ok {
			maxRetries = &n
		} else {
			r.addNote(place+"maxHookRetries", "is %s: want a whole number, 0 or more; it is passed over", showValue(raw))
		}
	}
	return r.read, maxRetries, r.notes, nil
}

// activeProfile returns the part of the file that counts, and the prefix of its places in notes: the
// active profile, with the settings of the top that it lacks.
func (r *reader) activeProfile(fields map[string]json.RawMessage) (string, map[string]json.RawMessage) {
	raw := fields["profiles"]
	if isAbsent(raw) {
		return "", fields
	}
	var profiles map[string]json.RawMessage
	if json.Unmarshal(raw, &profiles) != nil {
		r.addNote("profiles", "is %s: want an object; it is passed over", showValue(raw))
		return "", fields
	}
	active := "default"
	if name := fields["activeProfile"]; !isAbsent(name) && json.Unmarshal(name, &active) != nil {
		r.addNote("activeProfile", "is %s: want a text; the profile %s is taken", showValue(name), active)
	}
	var chosen map[string]json.RawMessage
	switch {
	case profiles[active] == nil:
		r.addNote("profiles", "has no profile %q, which is the active one: what stands at the top counts", active)
		return "", fields
	case json.Unmarshal(profiles[active], &chosen) != nil || chosen == nil:
		r.addNote("profiles."+active, "is %s: want an object; what stands at the top counts", showValue(profiles[active]))
		return "", fields
	}
	place := "profiles." + active + "."
	if chosen["maxHookRetries"] == nil {
		chosen["maxHookRetries"] = fields["maxHookRetries"]
	}
	if fields["hooks"] != nil {
		if chosen["hooks"] == nil {
			chosen["hooks"] = fields["hooks"]
			return "", chosen
		}
		r.addNote("hooks", "is passed over: %shooks counts", place)
	}
	return place, chosen
}
