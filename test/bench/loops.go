package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/feedback"
	"mulligan/journal"
	"mulligan/journal/jetstream"
)

const (
	loopIterations = 500
	loopTasks      = 2000
	loopBatch      = 100 // tasks that each of the first iterations adds
	loopFilled     = loopTasks / loopBatch
)

// longLoop shows whether an iteration costs more the more there were before it, and the more
// tasks and notes there are.
func longLoop(s *site, t *table) error {
	j, err := s.newJob(work{check: "true", iterations: loopIterations, agent: []string{"write", "tasks"}})
	if err != nil {
		return err
	}
	_, turns, err := s.loop(j, loopIterations)
	if err != nil {
		return err
	}
	gaps := between(turns)
	last := lastOf(gaps)
	t.addGrowth("500 iterations, 2,000 tasks: the last 20", last, quantile(gaps[:some], 0.5), "the first 20")
	t.addGrowth("  beside those right after the last task came", last, quantile(gaps[loopFilled:loopFilled+some], 0.5), "20 with all tasks")
	calls := taken(turns)
	t.addTime("  the agent's turn: a task, a note, a summary", lastOf(calls), quantile(calls[loopFilled:loopFilled+some], 0.5), "20 with all tasks", 0)
	return s.prompting(t, j)
}

// taken is how long each turn took the agent: most of it are its calls of the tools.
func taken(turns []turn) []time.Duration {
	all := make([]time.Duration, len(turns))
	for i, one := range turns {
		all[i] = one.end.Sub(one.start)
	}
	return all
}

// prompting measures how the prompt of one more iteration is put together.
func (s *site) prompting(t *table, j job) error {
	const bound = 10 * time.Millisecond
	st, err := s.folded(j)
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

// folded is the job's session as its journal tells it.
func (s *site) folded(j job) (*mulligan.State, error) {
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
