// Package prometheus writes what the sessions of a state folder have come to in Prometheus' text format. Labels are words
// of mulligan's own, so that their number is bounded. docs/decisions/0012-telemetry.md says why no library does it.
package prometheus

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mulligan"
	"mulligan/history"
)

// A Source is where the figures come from.
type Source struct {
	Version string
	// Records calls f with the record of every session that has ended.
	Records func(ctx context.Context, f func(history.Session)) error
	// Running returns the sessions that a process runs now.
	Running func(ctx context.Context) ([]mulligan.Summary, error)
}

// Write returns all figures as text.
func (s Source) Write(ctx context.Context) ([]byte, error) {
	running, err := s.Running(ctx)
	if err != nil {
		return nil, err
	}
	t := newTotals()
	if err := s.Records(ctx, t.add); err != nil {
		return nil, err
	}
	var w writer
	w.metric("mulligan_build_info", "gauge", "The version of mulligan that counts.")
	w.sample("mulligan_build_info", 1, "version", s.Version)
	waiting := 0
	for _, r := range running {
		if r.Asks {
			waiting++
		}
	}
	w.single("mulligan_sessions_running", "gauge", "Sessions that a process runs now.", float64(len(running)))
	w.single("mulligan_sessions_asking", "gauge", "Sessions among them that have a question for a person.", float64(waiting))
	t.write(&w)
	return w.Bytes(), nil
}

// patience is how long figures are used again: a scrape more often costs nothing.
const patience = 5 * time.Second

// Handler returns a handler of GET requests for the figures. It is safe for concurrent use.
func (s Source) Handler() http.Handler {
	var mu sync.Mutex
	var last []byte
	var at time.Time
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(at) > patience {
			now, err := s.Write(r.Context())
			if err != nil {
				http.Error(w, "the sessions cannot be read", http.StatusInternalServerError)
				return
			}
			last, at = now, time.Now()
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(last) // who has gone does not matter
	})
}

// A writer writes samples, each metric's together.
type writer struct{ bytes.Buffer }

func (w *writer) metric(name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample writes one value with at most one label, whose value needs no escaping beyond Go's.
func (w *writer) sample(name string, value float64, label, of string) {
	if label != "" {
		name += "{" + label + "=" + strconv.Quote(of) + "}"
	}
	fmt.Fprintf(w, "%s %s\n", name, formatValue(value))
}

func (w *writer) single(name, kind, help string, value float64) {
	w.metric(name, kind, help)
	w.sample(name, value, "", "")
}

func formatValue(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
