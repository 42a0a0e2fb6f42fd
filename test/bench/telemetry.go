package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"
)

// measureTelemetry measures what a collector and a webhook that listen add to a session, beside one without them.
func measureTelemetry(s *site, t *table) error {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a client that goes away shows in the figures
	}))
	defer server.Close()
	plain, plainEnd, err := s.timeAttempts()
	if err != nil {
		return err
	}
	env := s.env
	defer func() { s.env = env }()
	s.env = append(slices.Clone(env), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL)
	told, toldEnd, err := s.timeAttempts()
	if err != nil {
		return err
	}
	t.addTime("between attempts, with telemetry, p50", quantile(told, 0.5), quantile(plain, 0.5), "without", 0)
	t.addTime("  from the last turn's end to the process's", toldEnd, plainEnd, "without", 0)
	s.env = append(slices.Clone(env), "MULLIGAN_NOTIFY_WEBHOOK="+server.URL)
	_, notifiedEnd, err := s.timeAttempts()
	if err != nil {
		return err
	}
	t.addTime("  the same with a webhook", notifiedEnd, plainEnd, "without", 0)
	return nil
}

// timeAttempts returns the gaps between the turns of a session that always fails, and how long the process stays after the
// last turn.
func (s *site) timeAttempts() (gaps []time.Duration, end time.Duration, err error) {
	j, err := s.newJob(work{check: "false", retry: attemptsOnce - 1})
	if err != nil {
		return nil, 0, err
	}
	if _, err := s.runJob(j, exitGaveUp); err != nil {
		return nil, 0, err
	}
	ended := time.Now()
	turns, err := readExactTurns(j.log, attemptsOnce)
	if err != nil {
		return nil, 0, err
	}
	return gapsBetween(turns), ended.Sub(turns[len(turns)-1].end), nil
}
