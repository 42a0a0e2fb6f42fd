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
		Purpose string
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

func count(all []event, kind string) int {
	n := 0
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}
