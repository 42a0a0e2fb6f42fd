package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	stopRetries  = 40
	sleepRetries = 8 // where each takes its time
	sleepy       = "sleep 0.1; exit 2"
)

// stopHooks is what it takes to send an agent back: from the end of its turn to the start of
// the one with the hook's feedback, beside the hook's process alone.
func stopHooks(s *site, t *table) error {
	quick, err := s.sentBack(stopRetries, "exit 2")
	if err != nil {
		return err
	}
	bare, err := s.bareTo(2, stopRetries, s.dir, "sh", "-c", "exit 2")
	if err != nil {
		return err
	}
	t.addTime("a Stop hook blocks: to the feedback turn", quantile(quick.journal, 0.5), bare, "a bare `sh -c 'exit 2'`", 0)
	t.addTime("  from the agent's end to its next start", quantile(quick.agent, 0.5), bare, "a bare `sh -c 'exit 2'`", 0)

	one, err := s.sentBack(sleepRetries, sleepy)
	if err != nil {
		return err
	}
	// The same command twice would be one hook.
	four, err := s.sentBack(sleepRetries, sleepy+" # 1", sleepy+" # 2", sleepy+" # 3", sleepy+" # 4")
	if err != nil {
		return err
	}
	t.addGrowth("  four of `sleep 0.1` side by side", quantile(four.journal, 0.5), quantile(one.journal, 0.5), "one of them")
	return nil
}

// sendings are the times that it took to send an agent back.
type sendings struct {
	journal []time.Duration // from the event of the turn's end to that of the next one's start
	agent   []time.Duration // by the agent's own clock
}

// sentBack runs a job whose Stop hooks always block.
func (s *site) sentBack(retries int, commands ...string) (sendings, error) {
	var config strings.Builder
	fmt.Fprintf(&config, "max_hook_retries: %d\non_limit: fail\nagent_hooks:\n  Stop:\n    - hooks:\n", retries)
	for _, command := range commands {
		fmt.Fprintf(&config, "        - {type: command, command: %q}\n", command)
	}
	j, err := s.newJob(work{check: "true", more: config.String()})
	if err != nil {
		return sendings{}, err
	}
	r, err := s.mulligan(j, exitGaveUp)
	if err != nil {
		return sendings{}, err
	}
	turns, err := readTurns(j.log)
	if err != nil {
		return sendings{}, err
	}
	got := sendings{journal: feedbackGaps(readEvents(r.stdout)), agent: between(turns)}
	if len(got.journal) != retries || len(got.agent) != retries {
		return got, fmt.Errorf("the agent was sent back %d times by the journal and %d by its own log, not %d", len(got.journal), len(got.agent), retries)
	}
	return got, nil
}

// feedbackGaps are the times from the end of each turn to the start of one that a Stop hook
// asked for.
func feedbackGaps(all []event) []time.Duration {
	var gaps []time.Duration
	var ended time.Time
	for _, e := range all {
		switch {
		case e.Kind == "turn.ended":
			ended = e.Time
		case e.Kind == "turn.started" && e.Data.Purpose == "hook":
			gaps = append(gaps, e.Time.Sub(ended))
		}
	}
	return gaps
}
