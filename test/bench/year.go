package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/journal/jetstream"
)

// A year of nights: most of it sealed, the present month in the engine.
const (
	yearSessions  = 2000
	yearEvents    = 500 // of each session
	monthSessions = yearSessions / 12
)

// measureYear measures the commands and the appends on a journal of 2,000 sessions and a million
// events, beside those on an empty one.
func measureYear(s *site, t *table) error {
	if err := s.dropState(); err != nil {
		return err
	}
	j, err := s.newJob(work{check: "true"})
	if err != nil {
		return err
	}
	if _, err := s.runJob(j, exitOK); err != nil {
		return err
	}
	young, err := s.measureJournal(j)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, "state", "mulligan")
	began := time.Now()
	if err := writeYear(dir, j.repo); err != nil {
		return fmt.Errorf("make a year of sessions: %w", err)
	}
	took := time.Since(began)
	_, size, err := fileSizes(dir)
	if err != nil {
		return err
	}
	t.note("a year: %d sessions, %d events, %s on the disk, made in %s", yearSessions, yearSessions*yearEvents, formatMB(size), took.Round(time.Second))
	old, err := s.measureJournal(j)
	if err != nil {
		return err
	}
	for i, cost := range old {
		t.addTime(cost.what, cost.took, young[i].took, "an empty journal", cost.bound)
	}
	return s.dropState()
}

type journalCost struct {
	what  string
	took  time.Duration
	bound time.Duration
}

// measureJournal measures what opens the journal: the program, and a session's process.
func (s *site) measureJournal(j job) ([]journalCost, error) {
	var costs []journalCost
	for _, c := range []struct {
		what  string
		bound time.Duration
		argv  []string
	}{
		{"after a year: mulligan status", 40 * time.Millisecond, []string{"status"}},
		{"  mulligan sessions --all", 80 * time.Millisecond, []string{"sessions", "--all"}},
	} {
		took, err := s.timeProgram(15, j.repo, append([]string{s.program}, c.argv...)...)
		if err != nil {
			return nil, err
		}
		costs = append(costs, journalCost{c.what, took, c.bound})
	}
	opened, appended, err := timeAppends(filepath.Join(s.dir, "state", "mulligan"))
	return append(costs,
		journalCost{"  a session's start: open, first append", opened, 80 * time.Millisecond},
		journalCost{"  an append", appended, 5 * time.Millisecond},
	), err
}

// timeAppends returns the median times of a session's start (open, first append) and of its
// further appends.
func timeAppends(dir string) (opened, appended time.Duration, err error) {
	var appends []time.Duration
	opened, err = median(9, func() (time.Duration, error) {
		start := time.Now()
		store, err := jetstream.Open(context.Background(), jetstream.Options{Dir: dir, Version: "bench"})
		if err != nil {
			return 0, err
		}
		defer store.Close()
		w := &yearWriter{store: store, id: time.Now().UTC().Format("20060102-150405.000000")[:15] + fmt.Sprintf("-b%05d", time.Now().Nanosecond()/10000)}
		if err := w.appendEvents(1, ""); err != nil {
			return 0, err
		}
		took := time.Since(start)
		for range 20 {
			start := time.Now()
			if err := w.appendEvents(3, ""); err != nil {
				return 0, err
			}
			appends = append(appends, time.Since(start))
		}
		return took, w.appendEvents(1, mulligan.Verified)
	})
	return opened, quantile(appends, 0.5), err
}

// writeYear writes a year of sessions through the journal, and tidies so that all but the present
// month is sealed.
func writeYear(dir, repo string) error {
	store, err := jetstream.Open(context.Background(), jetstream.Options{Dir: dir, Version: "bench"})
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	for i := range yearSessions {
		past := i < yearSessions-monthSessions
		began := now.Add(-time.Duration(yearSessions-i) * 2 * time.Hour)
		if past {
			began = now.AddDate(-1, 0, 0).Add(time.Duration(i) * (330 * 24 * time.Hour / (yearSessions - monthSessions)))
		}
		w := &yearWriter{store: store, repo: repo, began: began, id: began.Format("20060102-150405") + fmt.Sprintf("-%04d", i)}
		frame := 3 // as a session writes them
		if past {
			frame = yearEvents / 4
		}
		for w.last < yearEvents-1 && err == nil {
			err = w.appendEvents(min(frame, int(yearEvents-1-w.last)), "")
		}
		if err == nil {
			err = w.appendEvents(1, mulligan.Verified)
		}
		if err == nil && past && i%200 == 199 {
			_, err = store.Tidy(context.Background(), now, yearSessions)
		}
		if err != nil {
			store.Close()
			return err
		}
	}
	_, err = store.Tidy(context.Background(), now, yearSessions)
	if closed := store.Close(); err == nil {
		err = closed
	}
	return err
}

// A yearWriter writes the events of one session.
type yearWriter struct {
	store *jetstream.Store
	repo  string
	id    string
	began time.Time
	last  int64
}

// appendEvents appends n events in one frame; ended is the session's end, or "".
func (w *yearWriter) appendEvents(n int, ended mulligan.Ended) error {
	events := make([]mulligan.Event, n)
	for i := range events {
		number := w.last + 1 + int64(i)
		events[i] = mulligan.Event{
			Session: w.id, Number: number, Time: w.began.Add(time.Duration(number) * time.Second),
			Body: mulligan.TurnStarted{Turn: int(number), Agent: "scripted", Prompt: fmt.Sprintf("%0400d", number)},
		}
	}
	w.last += int64(n)
	return w.store.Append(context.Background(), w.id, w.last-int64(n), events, mulligan.Summary{
		ID: w.id, Started: w.began, Updated: w.began.Add(time.Duration(w.last) * time.Second), Dir: w.repo, Root: w.repo,
		Task: "tasks/job.md", TaskHash: "a year", Pipeline: "default", Step: "implement", StepNo: 1, Steps: 1,
		Phase: mulligan.Working, Ended: ended, Events: w.last,
	})
}
