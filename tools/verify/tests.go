package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
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

	// Packages that drive agents wait more than they work: twice as many of them as processors.
	argv := []string{"go", "test", "-json", "-count=1", "-timeout=45m", "-p=" + strconv.Itoa(2*runtime.NumCPU())}
	if cc, ok := r.findCompiler(ctx); ok {
		argv = append(argv, "-race")
	} else {
		// The tests themselves still run.
		_ = r.notRun("the race detector", fmt.Sprintf("it needs a C compiler, and %q is not there", cc))
	}
	err = errors.Join(
		// What takes longest starts first.
		r.testPackages(ctx, env, argv, "./cmd/...", "./test/...", "./..."),
		r.testPackages(ctx, env, []string{"go", "-C", "tools", "test", "-json", "-count=1"}, "./..."),
	)
	r.missing = append(r.missing, r.tally.skips...)
	told, readErr := os.ReadFile(skips.Name())
	for line := range strings.Lines(string(told)) {
		if line = strings.TrimSpace(line); line != "" {
			r.missing = append(r.missing, line)
		}
	}
	return errors.Join(err, readErr)
}

// testPackages tests packages, and runs the tests that failed once more.
func (r *run) testPackages(ctx context.Context, env, argv []string, packages ...string) error {
	before := len(r.tally.failing)
	err := r.goTest(ctx, env, argv, packages...)
	if !errors.Is(err, errTests) || ctx.Err() != nil {
		return err
	}
	return r.rerunFailed(ctx, env, argv, slices.Clone(r.tally.failing[before:]))
}

// goTest runs go test -json. Its other output is printed only if no test accounts for the failure.
func (r *run) goTest(ctx context.Context, env, argv []string, packages ...string) error {
	before := r.tally.failed
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
