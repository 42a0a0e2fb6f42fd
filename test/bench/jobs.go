package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// committingLoop is bashLoop with what a careful user adds: a branch before, a commit after.
const committingLoop = `git switch -q -c attempt && {` + bashLoop + `} && git add -A && git commit -q -m done`

// measureJob measures a step that fails twice and passes, from the process's start to its end,
// without the time of the agent and of the check themselves.
func measureJob(s *site, t *table) error {
	const runs = 9
	w := work{check: `test "$(wc -l <work.txt)" -ge 3`, retry: 3, agent: []string{"write"}}
	own, err := s.measureOwnTime(w)
	if err != nil {
		return err
	}
	ours, err := median(runs, func() (time.Duration, error) {
		j, err := s.newJob(w)
		if err != nil {
			return 0, err
		}
		r, err := s.runJob(j, exitOK)
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
		r, err := s.run(j.repo, 0, "bash", "-c", committingLoop, "loop", s.self, j.log, w.check, "4", "write", j.log)
		return r.wall - own, err
	})
	if err != nil {
		return err
	}
	t.addTime("a job that fails twice, then passes and commits", ours, theirs, "a bash loop", 200*time.Millisecond)
	t.note("left out of both: %s that the agent and the check take by themselves", formatMS(own))
	return nil
}

// measureOwnTime returns how long three turns and three checks take with nothing around them.
func (s *site) measureOwnTime(w work) (time.Duration, error) {
	j, err := s.newJob(w)
	if err != nil {
		return 0, err
	}
	agent, err := s.timeProgram(20, j.repo, s.self, asAgent, j.log, "write")
	if err != nil {
		return 0, err
	}
	check, err := s.timeProgram(20, j.repo, "sh", "-c", w.check)
	return 3 * (agent + check), err
}

// measureStartUp measures the commands that do little, beside a program that does nothing.
func measureStartUp(s *site, t *table) error {
	const runs = 40
	bare, err := s.buildEmptyProgram()
	if err != nil {
		return err
	}
	nothing, err := s.timeProgram(runs, s.dir, bare)
	if err != nil {
		return err
	}
	j, err := s.newJob(work{check: "true"})
	if err != nil {
		return err
	}
	if _, err := s.runJob(j, exitOK); err != nil {
		return err
	}
	for _, c := range []struct {
		command string
		bound   time.Duration
	}{{"version", 40 * time.Millisecond}, {"status", 20 * time.Millisecond}} {
		took, err := s.timeProgram(runs, j.repo, s.program, c.command)
		if err != nil {
			return err
		}
		t.addTime("mulligan "+c.command, took, nothing, "a bare Go program", c.bound)
	}
	took, err := s.timeBesideHost(runs)
	if err != nil {
		return err
	}
	t.addTime("  status while the session runs", took, nothing, "a bare Go program", 12*time.Millisecond)
	return nil
}

// timeBesideHost returns how long `mulligan status` takes while another process has the journal open: that of the session.
func (s *site) timeBesideHost(runs int) (took time.Duration, err error) {
	j, err := s.newJob(work{check: "true", agents: "    type: program\n" + execLine([]string{"sleep", "600"})})
	if err != nil {
		return 0, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	p, err := os.StartProcess(s.program, []string{s.program, "run", "tasks/job.md", "--foreground"}, &os.ProcAttr{Dir: j.repo, Env: s.env, Files: []*os.File{null, null, null}})
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = p.Signal(os.Interrupt)
		_, ended := p.Wait()
		err = errors.Join(err, ended)
	}()
	for tries := 0; ; tries++ { // until it has begun its session
		if _, err = s.run(j.repo, 0, s.program, "status"); err == nil {
			return s.timeProgram(runs, j.repo, s.program, "status")
		}
		if tries == 200 {
			return 0, err
		}
	}
}

// buildEmptyProgram builds a program that does nothing. It uses the user's own environment,
// because the go tool's caches are there.
func (s *site) buildEmptyProgram() (string, error) {
	dir := filepath.Join(s.dir, "bare")
	if err := os.MkdirAll(dir, 0o755); err != nil {
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
