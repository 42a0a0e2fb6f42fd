package main

import (
	"bytes"
	"encoding/json"
	"time"
)

// An event holds the fields of a session's event that the measurements read.
type event struct {
	Kind string
	Time time.Time
	Data struct {
		Purpose  string        // of a turn
		Duration time.Duration // of a hook
		Result   json.RawMessage
	}
}

// readEvents parses the lines that `--json` prints, and leaves out those that are no JSON.
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

// eventDurations returns the durations that the events of a kind hold.
func eventDurations(all []event, kind string) []time.Duration {
	var took []time.Duration
	for _, e := range all {
		if e.Kind == kind {
			took = append(took, e.Data.Duration)
		}
	}
	return took
}
