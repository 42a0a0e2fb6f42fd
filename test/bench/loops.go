package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"mulligan/feedback"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/state"
)

const (
	loopIterations = 500
	loopTasks      = 2000
	loopBatch      = 100 // tasks that each of the first iterations adds
	loopFilled     = loopTasks / loopBatch
)

// measureLongLoop compares the last iterations of a loop with its first, and with the first that
// had all the tasks.
func measureLongLoop(s *site, t *table) error {
	j, err := s.newJob(work{check: "true", iterations: loopIterations, agent: []string{"write", "tasks"}})
	if err != nil {
		return err
	}
	_, turns, err := s.runLoop(j, loopIterations)
	if err != nil {
		return err
	}
	gaps := gapsBetween(turns)
	last := medianOfLast(gaps)
	t.addGrowth("500 iterations, 2,000 tasks: the last 20", last, quantile(gaps[:endSample], 0.5), "the first 20")
	t.addGrowth("  beside those right after the last task came", last, quantile(gaps[loopFilled:loopFilled+endSample], 0.5), "20 with all tasks")
	calls := agentDurations(turns)
	t.addTime("  the agent's turn: a task, a note, a summary", medianOfLast(calls), quantile(calls[loopFilled:loopFilled+endSample], 0.5), "20 with all tasks", 0)
	return s.measurePrompt(t, j)
}

// agentDurations returns how long each turn took the agent. Its calls of the tools are most of it.
func agentDurations(turns []turn) []time.Duration {
	all := make([]time.Duration, len(turns))
	for i, one := range turns {
		all[i] = one.end.Sub(one.start)
	}
	return all
}

// measurePrompt measures how long it takes to make the prompt of one more iteration.
func (s *site) measurePrompt(t *table, j job) error {
	const bound = 10 * time.Millisecond
	st, err := s.foldSession(j)
	if err != nil {
		return err
	}
	if n := len(st.Board.Tasks); n != loopTasks || st.Iteration != loopIterations {
		return fmt.Errorf("the session has %d tasks and %d iterations", n, st.Iteration)
	}
	var all []time.Duration
	var prompt string
	for range 200 {
		start := time.Now()
		if prompt, err = (feedback.Prompter{}).LoopPrompt(st, []string{"M work.txt"}); err != nil {
			return err
		}
		all = append(all, time.Since(start))
	}
	t.addTime("  its prompt put together", quantile(all, 0.5), 0, "", bound)
	t.addTime("    the slowest of 200", quantile(all, 1), 0, "", bound)
	t.note("the prompt has %d characters; the session %d events", len([]rune(prompt)), st.Last)
	return nil
}

// foldSession returns the state of the job's session, folded from its journal.
func (s *site) foldSession(j job) (*state.State, error) {
	ctx := context.Background()
	store, err := jetstream.Open(ctx, jetstream.Options{Dir: filepath.Join(s.dir, "state", "mulligan"), Version: "bench"})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	sessions, err := store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, sum := range sessions {
		if sum.Root == j.repo {
			return journal.Fold(store.Read(ctx, sum.ID, 1))
		}
	}
	return nil, fmt.Errorf("the journal has no session of %s", j.repo)
}
