package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A result is what is known of a program that has ended.
type result struct {
	start  time.Time
	wall   time.Duration
	peak   int64 // most memory that it had resident, in bytes; 0 if the system does not tell
	stdout []byte
}

// run starts a program the barest way that Go has and waits for it. Its output goes to files, so
// that no goroutine of the bench is part of what is measured.
func (s *site) run(dir string, wantExit int, argv ...string) (result, error) {
	return s.runFrom(os.DevNull, dir, wantExit, argv...)
}

// runFrom is run for a program that reads a file on its standard input.
func (s *site) runFrom(input, dir string, wantExit int, argv ...string) (result, error) {
	path, err := lookPath(argv[0])
	if err != nil {
		return result{}, err
	}
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, name := range []string{input, filepath.Join(s.dir, "stdout"), filepath.Join(s.dir, "stderr")} {
		flags := os.O_RDWR | os.O_CREATE | os.O_TRUNC
		if name == input {
			flags = os.O_RDONLY
		}
		f, err := os.OpenFile(name, flags, 0o600)
		if err != nil {
			return result{}, err
		}
		files = append(files, f)
	}
	start := time.Now()
	p, err := os.StartProcess(path, argv, &os.ProcAttr{Dir: dir, Env: s.env, Files: files})
	if err != nil {
		return result{}, err
	}
	peak := watchPeak(p.Pid)
	state, err := p.Wait()
	r := result{start: start, wall: time.Since(start), peak: peak()}
	if err != nil {
		return r, err
	}
	if r.stdout, err = os.ReadFile(files[1].Name()); err != nil {
		return r, err
	}
	if state.ExitCode() != wantExit {
		said, _ := os.ReadFile(files[2].Name())
		return r, fmt.Errorf("%s: %s, wanted exit status %d: %s", strings.Join(argv, " "), state, wantExit, lastBytes(said, 600))
	}
	return r, nil
}

// runJob runs the job in one process, without a screen.
func (s *site) runJob(j job, wantExit int) (result, error) {
	return s.runTask(j, "tasks/job.md", wantExit)
}

// runTask is runJob for another task of the repository's.
func (s *site) runTask(j job, task string, wantExit int) (result, error) {
	return s.run(j.repo, wantExit, s.program, "run", task, "--foreground", "--json")
}

// readResult returns a file of what the job's session has verified.
func (s *site) readResult(j job, name string) (string, error) {
	branch, err := s.run(j.repo, 0, "git", "for-each-ref", "--format=%(refname)", "refs/heads/mulligan")
	if err != nil {
		return "", err
	}
	r, err := s.run(j.repo, 0, "git", "show", strings.TrimSpace(string(branch.stdout))+":"+name)
	return string(r.stdout), err
}

// runLoop runs a job that is a loop, and returns the turns that it took. It fails where they are
// not as many as the iterations.
func (s *site) runLoop(j job, iterations int) (result, []turn, error) {
	r, err := s.run(j.repo, exitLimit, s.program, "loop", "tasks/job.md", "--foreground", "--json")
	if err != nil {
		return r, nil, err
	}
	turns, err := readExactTurns(j.log, iterations)
	return r, turns, err
}

// lookPath finds a program as a shell would.
func lookPath(name string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

// watchPeak reads a process's high-water mark while it lives, because the mark that wait returns
// includes its children's. The caller calls the result once, after the process ended.
func watchPeak(pid int) func() int64 {
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			most = max(most, readHighWater(pid))
			select {
			case <-done:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-peak
	}
}

// readHighWater returns the most memory that a process has had resident so far, or 0 if the system
// does not tell.
func readHighWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, ok := bytes.Cut(status, []byte("VmHWM:"))
	if !ok {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(bytes.Fields(after)[0]), 10, 64)
	return kilobytes << 10
}

// quantile returns the q-th quantile; the median is 0.5. It leaves the slice as it is.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// median calls once n times and returns the median of its results.
func median(n int, once func() (time.Duration, error)) (time.Duration, error) {
	var all []time.Duration
	for range n {
		d, err := once()
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	return quantile(all, 0.5), nil
}

// timeProgram returns the median time of a program from its start to its end, over n runs.
func (s *site) timeProgram(n int, dir string, argv ...string) (time.Duration, error) {
	return s.timeProgramTo(0, n, dir, argv...)
}

// timeProgramTo is timeProgram for a program that ends with the given exit status.
func (s *site) timeProgramTo(exit, n int, dir string, argv ...string) (time.Duration, error) {
	return median(n, func() (time.Duration, error) {
		r, err := s.run(dir, exit, argv...)
		return r.wall, err
	})
}

func lastBytes(b []byte, n int) string {
	return strings.TrimSpace(string(b[max(0, len(b)-n):]))
}
