package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A run collects what the steps found.
type run struct {
	root     string
	out      io.Writer
	fuzzTime time.Duration

	tally   tally
	flaky   []string // tests that failed, and passed when they ran again by themselves
	failed  []string // steps that are no tests, and failed
	missing []string // what could not be run, and why
}

var (
	// errTests is a step whose failures are in the tally already.
	errTests = errors.New("tests failed")
	// errNotRun is a step that is in the list of what could not be run.
	errNotRun = errors.New("not run")
)

// begin begins the early steps, each with a run of its own, and gives the steps as they are
// to be taken: an early one then only waits for its end.
func (r *run) begin(ctx context.Context, chosen []step) []step {
	chosen = slices.Clone(chosen)
	for i, s := range chosen {
		if !s.early {
			continue
		}
		apart, done := &run{root: r.root, out: r.out, fuzzTime: r.fuzzTime}, make(chan error, 1)
		go func() { done <- s.do(ctx, apart) }()
		chosen[i].do = func(_ context.Context, r *run) error {
			err := <-done
			r.missing = append(r.missing, apart.missing...)
			return err
		}
	}
	return chosen
}

func (r *run) take(ctx context.Context, s step) {
	start := time.Now()
	err := s.do(ctx, r)
	state := "ok"
	switch {
	case errors.Is(err, errTests):
		state = "failed"
	case errors.Is(err, errNotRun):
		state = "not run"
	case err != nil:
		state = "failed"
		r.failed = append(r.failed, s.name)
		fmt.Fprintln(r.out, err)
	}
	fmt.Fprintf(r.out, "%-12s %-7s %6.1fs  %s\n", s.name, state, time.Since(start).Seconds(), s.doc)
}

func (r *run) notRun(what, why string) error {
	r.missing = append(r.missing, what+": "+why)
	return errNotRun
}

// summarise prints what a reader needs at the end and gives the exit code.
func (r *run) summarise(strict bool) int {
	fmt.Fprintln(r.out)
	for _, name := range r.tally.failing {
		fmt.Fprintln(r.out, "failed:", name)
	}
	for _, name := range r.failed {
		fmt.Fprintln(r.out, "failed:", name)
	}
	for _, name := range r.flaky {
		fmt.Fprintf(r.out, "flaky: %s failed (above), and passed when it ran again by itself\n", name)
	}
	if len(r.missing) > 0 {
		fmt.Fprintln(r.out, "not run on this machine:")
		for _, m := range r.missing {
			fmt.Fprintln(r.out, "  "+m)
		}
		if strict {
			fmt.Fprintln(r.out, "failed: everything has to run here (CI=true, or -strict)")
		}
	}
	failed := r.tally.failed + len(r.failed)
	fmt.Fprintf(r.out, "%d passed, %d failed\n", r.tally.passed, failed)
	if failed > 0 || strict && len(r.missing) > 0 {
		return 1
	}
	return 0
}

// command makes a command in the repository's root; env is added to ours.
func (r *run) command(ctx context.Context, env []string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// must runs a command that says nothing unless it fails.
func (r *run) must(ctx context.Context, env []string, argv ...string) error {
	out, err := r.command(ctx, env, argv...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s%s: %w\n%s", prefix(env), strings.Join(argv, " "), err, strings.TrimRight(string(out), "\n"))
	}
	return nil
}

func prefix(env []string) string {
	if len(env) == 0 {
		return ""
	}
	return strings.Join(env, " ") + " "
}

// tool builds a pinned tool and gives its path. A tool that cannot be had is listed as not
// run: the module proxy is out of reach on some machines.
func (r *run) tool(ctx context.Context, name, pkg string) (string, error) {
	path := filepath.Join(r.root, ".tools", "bin", name)
	if err := r.must(ctx, nil, "go", "-C", "tools", "build", "-o", path, pkg); err != nil {
		return "", r.notRun(name, "it could not be built: "+lastLine(err.Error()))
	}
	return path, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
