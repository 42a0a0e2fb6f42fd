package main

import (
	"os"
	"path/filepath"
	"time"
)

// measureFirst measures how long a session takes from the start of its process to its first agent, in a repository of 100
// files: the first session of all, and a later one.
func measureFirst(s *site, t *table) error {
	const runs = 9
	w := work{check: "true", agent: []string{"write"}, files: func(repo string) error {
		return os.WriteFile(laterTask(repo, 0), []byte("Do it once more.\n"), 0o644)
	}}
	var first, later, clone, status []time.Duration
	for range runs {
		if err := s.dropState(); err != nil {
			return err
		}
		j, err := s.newJob(w)
		if err != nil {
			return err
		}
		took, err := s.timeClone(j.repo, filepath.Join(s.dir, "clone"))
		if err != nil {
			return err
		}
		clone = append(clone, took)
		if took, err = s.timeProgram(3, j.repo, "git", "status", "--porcelain"); err != nil {
			return err
		}
		status = append(status, took)
		if _, took, err = s.timeFirstAgent(j, "tasks/job.md"); err != nil {
			return err
		}
		first = append(first, took)
		if _, took, err = s.timeFirstAgent(j, "tasks/later-0.md"); err != nil {
			return err
		}
		later = append(later, took)
	}
	t.addTime("a first session's first agent", quantile(first, 0.5), quantile(clone, 0.5), "git clone --local", 200*time.Millisecond)
	t.addTime("a later session's first agent", quantile(later, 0.5), quantile(status, 0.5), "git status", 120*time.Millisecond)
	return s.dropState()
}
