// Package prometheus tells what the sessions of a state folder have come to, as Prometheus reads it. Labels are words of
// mulligan's own, so that their number is bounded.
package prometheus

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/common/expfmt"

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
	registry := prometheus.NewRegistry()
	to := promauto.With(registry)
	to.NewGauge(prometheus.GaugeOpts{
		Name: "mulligan_build_info", Help: "The version of mulligan that counts.", ConstLabels: prometheus.Labels{"version": s.Version},
	}).Set(1)
	to.NewGauge(prometheus.GaugeOpts{Name: "mulligan_sessions_running", Help: "Sessions that a process runs now."}).Set(float64(len(running)))
	asking := to.NewGauge(prometheus.GaugeOpts{Name: "mulligan_sessions_asking", Help: "Sessions among them that have a question for a person."})
	for _, r := range running {
		if r.Asks {
			asking.Inc()
		}
	}
	if err := s.Records(ctx, newTotals(to).add); err != nil {
		return nil, err
	}
	families, err := registry.Gather()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
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
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		_, _ = w.Write(last) // who has gone does not matter
	})
}
