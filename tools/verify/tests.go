package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// runTests runs all tests without go's cache: a cached result would leave the list of skips empty.
func runTests(ctx context.Context, r *run) error {
	skips, err := os.CreateTemp("", "mulligan-skips-*")
	if err != nil {
		return err
	}
	skips.Close()
	defer os.Remove(skips.Name())
	// A program built for the race detector sleeps a second at its exit unless told not to.
	env := []string{"MULLIGAN_TEST_SKIPS=" + skips.Name(), "GORACE=atexit_sleep_ms=0"}

	detector, found := []string{"-race"}, true
	if cc, ok := r.findCompiler(ctx); !ok {
		// The tests themselves still run.
		_ = r.notRun("the race detector", fmt.Sprintf("it needs a C compiler, and %q is not there", cc))
		detector, found = nil, false
	}
	err = r.runSuites(ctx, env, suites(detector, found))
	r.missing = append(r.missing, r.tally.skips...)
	told, readErr := os.ReadFile(skips.Name())
	for line := range strings.Lines(string(told)) {
		if line = strings.TrimSpace(line); line != "" {
			r.missing = append(r.missing, line)
		}
	}
	return errors.Join(err, readErr)
}

// goTest runs go test -json. Its other output is printed only if no test accounts for the failure.
func (r *run) goTest(ctx context.Context, env, argv []string, packages ...string) error {
	before := r.tally.failed
	if slices.Contains(argv, "-race") {
		env = append(slices.Clone(env), "CGO_ENABLED=1")
	}
	argv = slices.Concat(argv, packages)
	cmd := r.newCommand(ctx, env, argv...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	scanErr := r.tally.read(out, r.out)
	err = cmd.Wait()
	switch {
	case scanErr != nil:
		return scanErr
	case err != nil && r.tally.failed > before:
		return errTests
	case err != nil:
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, &stderr)
	}
	return nil
}

// listPackages returns the packages that patterns match.
func (r *run) listPackages(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := r.newCommand(ctx, nil, append([]string{"go", "list"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	return strings.Fields(string(out)), nil
}

// findCompiler returns the C compiler that go would use, and whether it is installed.
func (r *run) findCompiler(ctx context.Context) (string, bool) {
	out, err := r.newCommand(ctx, nil, "go", "env", "CC").Output()
	words := strings.Fields(string(out))
	if err != nil || len(words) == 0 {
		return "cc", false
	}
	_, err = exec.LookPath(words[0])
	return words[0], err == nil
}
