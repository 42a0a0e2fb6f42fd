package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	filesLarge      = 50_000
	filesChanged    = 20
	comparisons     = 30 // turns whose comparison is measured
	comparisonsLess = 5  // turns of the session whose memory is compared
)

// measureRules measures what the write rules and the confinement add to the gap between agents, in a
// repository of 100 files with an agent that changes one.
func measureRules(s *site, t *table) error {
	var without time.Duration
	for i, how := range []struct{ what, step, more string }{
		{"between attempts, no rules, sandbox: none, p50", "", "sandbox: none\n"},
		{"  sandbox: auto", "", "sandbox: auto\n"},
		{"  file_access, sandbox: none", accessLines, "sandbox: none\n"},
		{"  file_access, sandbox: auto", accessLines, "sandbox: auto\n"},
	} {
		gaps, _, err := s.runRules(work{check: "false", retry: attemptsOnce - 1, agent: []string{"write"}, step: how.step, more: how.more}, attemptsOnce)
		if err != nil {
			return fmt.Errorf("%s: %w", how.what, err)
		}
		p50 := quantile(gaps, 0.5)
		if i == 0 {
			without = p50
			t.addTime(how.what, p50, 0, "", 0)
			continue
		}
		t.addRow(row{
			what: how.what, value: formatMS(p50), beside: formatMS(p50-without) + " more than without",
			ratio: float64(p50) / float64(without),
		})
	}
	return nil
}

// accessLines allows what the bench's agent writes and protects the rest.
const accessLines = "      file_access: {allow_write: [work.txt, 'changed/**'], protect: ['src/part1/**', 'data/00*/**']}\n"

// runRules runs a job whose check always fails, with the trust that sandbox: none needs, and returns the gaps
// between its agents.
func (s *site) runRules(w work, turns int) ([]time.Duration, result, error) {
	j, err := s.newJob(w)
	if err != nil {
		return nil, result{}, err
	}
	trusting := *s
	trusting.env = append(trusting.env[:len(trusting.env):len(trusting.env)], "MULLIGAN_TRUST=1")
	r, err := trusting.runJob(j, exitGaveUp)
	if err != nil {
		return nil, r, err
	}
	all, err := readExactTurns(j.log, turns)
	return gapsBetween(all), r, err
}

// measureComparison measures the comparison after a turn in a large repository: from the agent's end to the
// beginning of its check, which includes that the end is seen and journaled, beside git status there.
func measureComparison(s *site, t *table) error {
	var status time.Duration
	for _, how := range []struct{ what, step string }{
		{"50,000 files, 20 changed: turn's end to check, p50", ""},
		{"  with file_access", accessLines},
	} {
		p50, peak, repo, err := s.runLarge(how.step, comparisons)
		if err != nil {
			return fmt.Errorf("%s: %w", how.what, err)
		}
		if status == 0 {
			if status, err = s.timeProgram(10, repo, "git", "--no-optional-locks", "status", "--porcelain"); err != nil {
				return err
			}
		}
		t.addTime(how.what, p50, status, "git status there", 150*time.Millisecond)
		_, less, _, err := s.runLarge(how.step, comparisonsLess)
		if err != nil {
			return err
		}
		ratio := float64(peak) / float64(max(less, 1))
		t.addRow(row{
			what: fmt.Sprintf("  most memory, %d turns", comparisons), value: formatMB(peak), beside: fmt.Sprintf("%s with %d turns", formatMB(less), comparisonsLess),
			ratio: ratio, bound: "1.50x", within: ratio <= 1.5,
		})
	}
	return nil
}

// runLarge runs a session of so many turns in a repository of 50,000 files, and returns the median time from
// an agent's end to its check, the most memory of the session's process, and the repository.
func (s *site) runLarge(step string, turns int) (p50 time.Duration, peak int64, repo string, err error) {
	w := work{check: "false", retry: turns - 1, agent: []string{fmt.Sprintf("change=%d", filesChanged)}, step: step, files: addManyFiles}
	j, err := s.newJob(w)
	if err != nil {
		return 0, 0, "", err
	}
	r, err := s.runJob(j, exitGaveUp)
	if err != nil {
		return 0, 0, j.repo, err
	}
	all, err := readExactTurns(j.log, turns)
	if err != nil {
		return 0, 0, j.repo, err
	}
	var began []time.Time
	for _, e := range readEvents(r.stdout) {
		if e.Kind == "gate.started" {
			began = append(began, e.Time)
		}
	}
	if len(began) != len(all) {
		return 0, 0, j.repo, fmt.Errorf("%d checks for %d turns", len(began), len(all))
	}
	var took []time.Duration
	for i := range all[1:] { // the first has every file to read
		took = append(took, began[i+1].Sub(all[i+1].end))
	}
	return quantile(took, 0.5), r.peak, j.repo, nil
}

// addManyFiles fills a repository with small files in folders of 200, and with those that the agent changes.
func addManyFiles(repo string) error {
	changed := filepath.Join(repo, "changed")
	if err := os.MkdirAll(changed, 0o755); err != nil {
		return err
	}
	for i := range filesChanged {
		if err := os.WriteFile(filepath.Join(changed, fmt.Sprintf("%d.txt", i)), []byte("as it was\n"), 0o644); err != nil {
			return err
		}
	}
	for i := range filesLarge {
		dir := filepath.Join(repo, "data", fmt.Sprintf("%03d", i/200))
		if i%200 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i%200)), fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			return err
		}
	}
	return nil
}
