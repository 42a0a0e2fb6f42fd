package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// committed is the bash loop with what a careful user adds: a branch before, a commit after.
const committed = `git switch -q -c attempt && {` + loop + `} && git add -A && git commit -q -m done`

// wholeJob is a step that fails twice and passes, from the first to the last moment of the
// process, without what the agent and the check take by themselves.
func wholeJob(s *site, t *table) error {
	const runs = 9
	w := work{check: `test "$(wc -l <work.txt)" -ge 3`, retry: 3, agent: []string{"write"}}
	own, err := s.ownTime(w)
	if err != nil {
		return err
	}
	ours, err := median(runs, func() (time.Duration, error) {
		j, err := s.newJob(w)
		if err != nil {
			return 0, err
		}
		r, err := s.mulligan(j, exitOK)
		return r.wall - own, err
	})
	if err != nil {
		return err
	}
	theirs, err := median(runs, func() (time.Duration, error) {
		j, err := s.newJob(w)
		if err != nil {
			return 0, err
		}
		r, err := s.run(j.repo, 0, "bash", "-c", committed, "loop", s.self, j.log, w.check, "4", "write", j.log)
		return r.wall - own, err
	})
	if err != nil {
		return err
	}
	t.addTime("a job that fails twice, then passes and commits", ours, theirs, "a bash loop", 60*time.Millisecond)
	t.note("left out of both: %s that the agent and the check take by themselves", ms(own))
	return nil
}

// ownTime is what three turns and three checks take when nothing is around them.
func (s *site) ownTime(w work) (time.Duration, error) {
	j, err := s.newJob(w)
	if err != nil {
		return 0, err
	}
	agent, err := s.bare(20, j.repo, s.self, asAgent, j.log, "write")
	if err != nil {
		return 0, err
	}
	check, err := s.bare(20, j.repo, "sh", "-c", w.check)
	return 3 * (agent + check), err
}

// startUp is what every command pays before it does anything.
func startUp(s *site, t *table) error {
	const runs = 40
	bare, err := s.bareGo()
	if err != nil {
		return err
	}
	nothing, err := s.bare(runs, s.dir, bare)
	if err != nil {
		return err
	}
	j, err := s.newJob(work{check: "true"})
	if err != nil {
		return err
	}
	if _, err := s.mulligan(j, exitOK); err != nil {
		return err
	}
	for _, c := range []struct {
		command string
		bound   time.Duration
	}{{"version", 8 * time.Millisecond}, {"status", 30 * time.Millisecond}} {
		took, err := s.bare(runs, j.repo, s.program, c.command)
		if err != nil {
			return err
		}
		t.addTime("mulligan "+c.command, took, nothing, "a bare Go program", c.bound)
	}
	return nil
}

// bareGo builds a program that does nothing. It needs the user's own environment: the
// go tool's caches are there.
func (s *site) bareGo() (string, error) {
	dir := filepath.Join(s.dir, "bare")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"go.mod": "module bare\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	users := *s
	users.env = append(os.Environ(), "CGO_ENABLED=0")
	bin := filepath.Join(dir, "bare")
	if _, err := users.run(dir, 0, "go", "build", "-o", bin, "."); err != nil {
		return "", fmt.Errorf("a bare program: %w", err)
	}
	return bin, nil
}
