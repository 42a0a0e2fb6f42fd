package main

import (
	"bytes"
	"encoding/json"
	"time"
)

// An event is what these measurements need to know of one of a session's.
type event struct {
	Kind string
	Time time.Time
	Data struct {
		Purpose  string        // of a turn
		Duration time.Duration // of a hook
		Result   json.RawMessage
	}
}

// readEvents reads what `--json` prints; a line that is none is passed over.
func readEvents(lines []byte) []event {
	var all []event
	for line := range bytes.Lines(lines) {
		var e event
		if json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}

// durations are how long the events of a kind say that something took.
func durations(all []event, kind string) []time.Duration {
	var took []time.Duration
	for _, e := range all {
		if e.Kind == kind {
			took = append(took, e.Data.Duration)
		}
	}
	return took
}
