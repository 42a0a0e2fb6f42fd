package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"mulligan"
)

// A ran is what mulligan came to.
type ran struct {
	t              *testing.T
	exit           int
	stdout, stderr string
}

func (r ran) exits(want int) ran {
	r.t.Helper()
	if r.exit != want {
		r.t.Fatalf("exit %d, want %d\n%s\n%s", r.exit, want, r.shown(), r.stderr)
	}
	return r
}

// shown are the events without what is long in them.
func (r ran) shown() string {
	var out strings.Builder
	for line := range strings.Lines(r.stdout) {
		if len(line) > 1500 {
			line = line[:1500] + "…\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// all are the events of one kind.
func all[T mulligan.Body](r ran) []T {
	r.t.Helper()
	var found []T
	for line := range strings.Lines(r.stdout) {
		var e struct {
			Kind string          `json:"kind"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.t.Fatalf("%v in %.300s", err, line)
		}
		var body T
		if e.Kind != body.Kind() {
			continue
		}
		if err := json.Unmarshal(e.Data, &body); err != nil {
			r.t.Fatalf("%v in %.300s", err, line)
		}
		found = append(found, body)
	}
	return found
}

// attempts are the numbers of the attempts, in order.
func (r ran) attempts() []int {
	r.t.Helper()
	var numbers []int
	for _, a := range all[mulligan.AttemptStarted](r) {
		numbers = append(numbers, a.Attempt)
	}
	return numbers
}

// endings are those of the turns, in order.
func (r ran) endings() []mulligan.Ending {
	r.t.Helper()
	var endings []mulligan.Ending
	for _, e := range all[mulligan.TurnEnded](r) {
		endings = append(endings, e.Result.Ending)
	}
	return endings
}

// outcome is how the session ended.
func (r ran) outcome() mulligan.Outcome {
	r.t.Helper()
	ended := all[mulligan.SessionEnded](r)
	if len(ended) != 1 {
		r.t.Fatalf("%d ends\n%s\n%s", len(ended), r.shown(), r.stderr)
	}
	return ended[0].Outcome
}

// status is `status --json`, after a session.
type status struct {
	Ended string `json:"ended"`
	Spent struct {
		Turns int            `json:"turns"`
		Usage mulligan.Usage `json:"usage"`
	} `json:"spent"`
	Tasks mulligan.TaskCount `json:"tasks"`
}

func (s *stage) status() (st status) {
	s.t.Helper()
	r := s.mulligan("status", "--json").exits(0)
	if err := json.Unmarshal([]byte(r.stdout), &st); err != nil {
		s.t.Fatalf("%v in %s", err, r.stdout)
	}
	return st
}
