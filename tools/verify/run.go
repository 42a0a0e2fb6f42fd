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

// A run collects the results of the steps.
type run struct {
	root     string
	out      io.Writer
	fuzzTime time.Duration
	patient  bool // commands leave the processor to others

	tally   tally
	flaky   []string // tests that failed, and passed when they ran again by themselves
	failed  []string // steps other than tests that failed
	missing []string // what could not be run, and why
}

var (
	// errTests is the error of a step whose failures are in the tally already.
	errTests = errors.New("tests failed")
	// errNotRun is the error of a step that could not be run, and is listed as such.
	errNotRun = errors.New("not run")
)

// startEarly starts the early steps, each with a run of its own. It returns the steps to run;
// those of the started ones only wait for their end.
func (r *run) startEarly(ctx context.Context, chosen []step) []step {
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

// startSpare has the spare steps that come after the tests run one after the other, from when the tests begin. It returns the
// steps to run; those of the spare ones only wait for their end. Without tests, nothing is spare.
func (r *run) startSpare(ctx context.Context, chosen []step) []step {
	tests := slices.IndexFunc(chosen, func(s step) bool { return s.tests })
	if tests < 0 {
		return chosen
	}
	chosen = slices.Clone(chosen)
	begun, runTests := make(chan struct{}), chosen[tests].do
	chosen[tests].do = func(ctx context.Context, r *run) error {
		close(begun)
		return runTests(ctx, r)
	}
	var before <-chan struct{} = begun
	for i, s := range chosen[tests:] {
		if !s.spare {
			continue
		}
		apart, ended := &run{root: r.root, out: r.out, fuzzTime: r.fuzzTime, patient: !s.timed}, make(chan struct{})
		var err error
		go func(before <-chan struct{}) {
			defer close(ended)
			select {
			case <-before:
				err = s.do(ctx, apart)
			case <-ctx.Done():
				err = ctx.Err()
			}
		}(before)
		chosen[tests+i].do = func(_ context.Context, r *run) error {
			<-ended
			r.missing = append(r.missing, apart.missing...)
			r.tally.add(&apart.tally)
			return err
		}
		before = ended
	}
	return chosen
}

// runStep runs a step and prints a line about it.
func (r *run) runStep(ctx context.Context, s step) {
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

// notRun lists something as not run on this machine. It returns errNotRun.
func (r *run) notRun(what, why string) error {
	r.missing = append(r.missing, what+": "+why)
	return errNotRun
}

// printSummary prints the failures and what was not run, and returns the exit code.
func (r *run) printSummary(strict bool) int {
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

// setUpCompiling has what go compiles from now on not depend on where the clone is, so that another clone finds it in
// go's cache, and what it links hold nothing for debuggers, which takes a third of the time. The flags that a person has set,
// in the environment or with go env -w, stay. As in make build there is no C in it, which the race detector alone needs.
func setUpCompiling(ctx context.Context, root string) error {
	cmd := exec.CommandContext(ctx, "go", "env", "GOFLAGS")
	cmd.Dir = root
	set, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOFLAGS: %w", err)
	}
	return errors.Join(
		os.Setenv("GOFLAGS", strings.Join(append([]string{"-trimpath", "-ldflags=-w"}, strings.Fields(string(set))...), " ")),
		os.Setenv("CGO_ENABLED", "0"),
	)
}

// newCommand returns a command in the repository's root. Its environment is this process's and
// env.
func (r *run) newCommand(ctx context.Context, env []string, argv ...string) *exec.Cmd {
	if _, err := exec.LookPath("nice"); r.patient && err == nil {
		argv = append([]string{"nice", "-n", "19"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// runQuiet runs a command whose output matters only if it fails.
func (r *run) runQuiet(ctx context.Context, env []string, argv ...string) error {
	out, err := r.newCommand(ctx, env, argv...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s%s: %w\n%s", envPrefix(env), strings.Join(argv, " "), err, strings.TrimRight(string(out), "\n"))
	}
	return nil
}

func envPrefix(env []string) string {
	if len(env) == 0 {
		return ""
	}
	return strings.Join(env, " ") + " "
}

// buildTool builds a pinned tool and returns its path. It does not hold the commit, or go vet would take one of ours for another
// tool after each commit. A tool that cannot be built is listed as not run, because the module proxy is out of reach on some
// machines.
func (r *run) buildTool(ctx context.Context, name, pkg string) (string, error) {
	path := filepath.Join(r.root, ".tools", "bin", name)
	if err := r.runQuiet(ctx, nil, "go", "-C", "tools", "build", "-buildvcs=false", "-o", path, pkg); err != nil {
		return "", r.notRun(name, "it could not be built: "+lastLine(err.Error()))
	}
	return path, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
