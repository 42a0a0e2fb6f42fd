package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/history/past"
)

// pastSessions is how many sessions the history has when it is asked.
const pastSessions = 2000

// measureHistory measures a decision's question about 2,000 past sessions, in a process that runs
// already and in one that begins, and the commands that list them.
func measureHistory(s *site, t *table) error {
	if err := s.dropState(); err != nil {
		return err
	}
	w := work{check: `test "$(wc -l <work.txt)" -ge 3`, retry: 3, agent: []string{"write"}}
	j, err := s.newJob(w)
	if err != nil {
		return err
	}
	young, err := s.timeRuns(j)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, "state", "mulligan", "history")
	began := time.Now()
	if err := writePast(dir, j.repo); err != nil {
		return fmt.Errorf("make a history: %w", err)
	}
	_, size, err := fileSizes(dir)
	if err != nil {
		return err
	}
	t.note("a history: %d sessions, %s on the disk, made in %s", pastSessions, formatMB(size), time.Since(began).Round(time.Second))
	if err := s.measureQuestion(t, dir, j); err != nil {
		return err
	}
	old, err := s.timeRuns(j)
	if err != nil {
		return err
	}
	t.addTime("  a job that fails twice, then passes", old, young, "an empty history", young+100*time.Millisecond)
	for _, command := range [][]string{{"history"}, {"insights"}} {
		took, err := s.timeProgram(5, j.repo, append([]string{s.program}, command...)...)
		if err != nil {
			return err
		}
		t.addTime("  mulligan "+command[0], took, 0, "", 2*time.Second)
	}
	return s.dropState()
}

// timeRuns returns the median time of a job that fails twice and passes, each time begun anew.
func (s *site) timeRuns(j job) (time.Duration, error) {
	return median(7, func() (time.Duration, error) {
		r, err := s.run(j.repo, exitOK, s.program, "run", "tasks/job.md", "--restart", "--foreground")
		return r.wall, err
	})
}

// measureQuestion measures what a decision asks, beside the reading of the file that has the answer.
func (s *site) measureQuestion(t *table, dir string, j job) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("the history has the files %v, %w", files, err)
	}
	read, err := median(200, func() (time.Duration, error) {
		start := time.Now()
		_, err := os.ReadFile(files[0])
		return time.Since(start), err
	})
	if err != nil {
		return err
	}
	book := past.New(dir, nil)
	warm, err := median(200, func() (time.Duration, error) {
		start := time.Now()
		err := askPast(book, j.repo)
		return time.Since(start), err
	})
	if err != nil {
		return err
	}
	t.addTime("a decision's question, 2,000 past sessions, p50", warm, read, "reading the file", 100*time.Millisecond)
	bare, err := s.timeProgram(30, j.repo, s.self, asReader, files[0])
	if err != nil {
		return err
	}
	cold, err := s.timeProgram(30, j.repo, s.self, asAsker, dir, j.repo)
	if err != nil {
		return err
	}
	t.addTime("  in a process that begins", cold, bare, "one that reads the file", 100*time.Millisecond)
	return nil
}

// askPast asks as a decision does, and returns an error unless there is an answer.
func askPast(book *past.Book, repo string) error {
	got := book.Past(context.Background(), mulligan.PastQuestion{Root: repo, Pipeline: "default", Step: "implement", Window: 50, Session: "none"})
	if got.Problem != "" || got.Sessions != 50 || got.Failed == 0 || len(got.Strategies) == 0 {
		return fmt.Errorf("the history answers %+v", got)
	}
	return nil
}

// playAsker asks once, in a process of its own; playReader reads a file instead.
func playAsker(dir, repo string) error { return askPast(past.New(dir, nil), repo) }

func playReader(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// writePast writes the records of sessions that ended one after the other. Three of ten gave up.
func writePast(dir, repo string) error {
	list := make([]history.Session, 0, pastSessions)
	strategies := []string{mulligan.StrategyRetry, mulligan.StrategyFreshStart, mulligan.StrategySimplifyPrompt}
	for i := range pastSessions {
		began := time.Now().Add(-time.Duration(pastSessions-i) * 5 * time.Minute).UTC().Truncate(time.Millisecond)
		r := history.Session{
			ID: began.Format("20060102-150405") + fmt.Sprintf("-%05x", i), Events: 60, Root: repo, Pipeline: "default", Task: "tasks/job.md",
			Started: began, Finished: began.Add(3 * time.Minute), Ended: mulligan.Verified, Iterations: 3, Turns: 3, Worked: 2 * time.Minute,
			Usage: mulligan.Usage{InputTokens: 24_000, OutputTokens: 1700, CostUSD: 0.12}, BilledUSD: 0.12,
		}
		step := history.Step{Name: "implement", Status: history.StepVerified, Attempts: 2, Turns: 2, Worked: 2 * time.Minute, Usage: r.Usage, BilledUSD: 0.12}
		step.Retries = []history.Retry{{Attempt: 2, Strategy: strategies[i%3], By: "policy", Outcome: mulligan.Pass, Fingerprint: "9f86d081884c7d65"}}
		if i%10 < 3 {
			r.Ended, step.Status, step.Retries[0].Outcome = mulligan.GaveUp, history.StepFailed, mulligan.Fail
		}
		var took history.Spread
		took.Add(time.Duration(i%977) * time.Millisecond)
		r.Steps = []history.Step{{Name: "plan", Status: history.StepVerified, Attempts: 1, Turns: 1}, step, {Name: "review", Status: history.StepUnreached}}
		r.Checks = []history.CheckRuns{{Name: "go test ./...", Runs: 2, Failed: 1, Took: took}}
		r.Hooks = []history.HookRuns{{Moment: mulligan.EventStop, Name: "./run-tests.sh", Runs: 3, Blocks: 1, Helped: 1, Took: took}}
		list = append(list, r)
	}
	return past.New(dir, nil).Add(context.Background(), list...)
}
