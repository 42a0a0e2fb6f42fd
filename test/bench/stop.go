package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	stopRetries   = 40
	sleepRetries  = 8 // where each takes its time
	sleepAndBlock = "sleep 0.1; exit 2"
)

// measureStopHooks measures the time from the end of a turn that a Stop hook blocks to the start
// of the one with the hook's feedback, beside the hook's process alone.
func measureStopHooks(s *site, t *table) error {
	quick, err := s.runBlocked(stopRetries, "exit 2")
	if err != nil {
		return err
	}
	bare, err := s.timeProgramTo(2, stopRetries, s.dir, "sh", "-c", "exit 2")
	if err != nil {
		return err
	}
	t.addTime("a Stop hook blocks: to the feedback turn", quantile(quick.journal, 0.5), bare, "a bare `sh -c 'exit 2'`", 0)
	t.addTime("  from the agent's end to its next start", quantile(quick.agent, 0.5), bare, "a bare `sh -c 'exit 2'`", 0)

	one, err := s.runBlocked(sleepRetries, sleepAndBlock)
	if err != nil {
		return err
	}
	// The same command twice would be one hook.
	four, err := s.runBlocked(sleepRetries, sleepAndBlock+" # 1", sleepAndBlock+" # 2", sleepAndBlock+" # 3", sleepAndBlock+" # 4")
	if err != nil {
		return err
	}
	t.addGrowth("  four of `sleep 0.1` side by side", quantile(four.journal, 0.5), quantile(one.journal, 0.5), "one of them")
	return nil
}

// stopGaps are the times that it took to send an agent back to work.
type stopGaps struct {
	journal []time.Duration // from the event of the turn's end to that of the next one's start
	agent   []time.Duration // by the agent's own clock
}

// runBlocked runs a job whose Stop hooks always block, until the limit.
func (s *site) runBlocked(retries int, commands ...string) (stopGaps, error) {
	var config strings.Builder
	fmt.Fprintf(&config, "max_hook_retries: %d\non_limit: fail\nagent_hooks:\n  Stop:\n    - hooks:\n", retries)
	for _, command := range commands {
		fmt.Fprintf(&config, "        - {type: command, command: %q}\n", command)
	}
	j, err := s.newJob(work{check: "true", more: config.String()})
	if err != nil {
		return stopGaps{}, err
	}
	r, err := s.runJob(j, exitGaveUp)
	if err != nil {
		return stopGaps{}, err
	}
	turns, err := readTurns(j.log)
	if err != nil {
		return stopGaps{}, err
	}
	got := stopGaps{journal: feedbackGaps(readEvents(r.stdout)), agent: gapsBetween(turns)}
	if len(got.journal) != retries || len(got.agent) != retries {
		return got, fmt.Errorf("the agent was sent back %d times by the journal and %d by its own log, not %d", len(got.journal), len(got.agent), retries)
	}
	return got, nil
}

// feedbackGaps returns the times from the end of each turn to the start of one that a Stop hook
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
