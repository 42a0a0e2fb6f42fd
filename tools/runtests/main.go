// Command runtests runs go test for tools/test.sh, several of them side by side, and counts what they say:
//
//	runtests RESULTS -- go test -json [flags] ./package ... [-- go test -json ...]
//
// It prints the output of the tests that failed, and runs up to eight of these again, each by itself. To files of the folder
// RESULTS it appends what failed, what is flaky, and what was left out: the reasons of tests that were skipped, and what
// follows "left out: " in a line that a test logs. "passed" gets the number of tests that passed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// maxFlaky is how many failures may be accidents of a busy machine. More of them have a reason.
const maxFlaky = 8

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 4 || os.Args[2] != "--" {
		fmt.Fprintln(os.Stderr, "runtests: it takes a folder, --, and a command of go test")
		os.Exit(2)
	}
	got, err := runSuites(ctx, splitCommands(os.Args[3:]), os.Stdout)
	if err == nil {
		err = got.write(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "runtests:", err)
		os.Exit(2)
	}
	if len(got.failing) > 0 {
		os.Exit(1)
	}
}

// splitCommands returns the commands between the words "--".
func splitCommands(words []string) [][]string {
	commands := [][]string{nil}
	for _, word := range words {
		if word == "--" {
			commands = append(commands, nil)
			continue
		}
		last := len(commands) - 1
		commands[last] = append(commands[last], word)
	}
	return commands
}

// A failure is a test that failed, and the command that it failed under.
type failure struct {
	name string
	argv []string
}

// runSuites runs commands beside each other. When all have ended, it runs the tests that failed once more, one after the
// other.
func runSuites(ctx context.Context, commands [][]string, out io.Writer) (*tally, error) {
	all := &tally{}
	shared := &sharedWriter{to: out}
	var failures []failure
	var errs []error
	var mu sync.Mutex
	var running sync.WaitGroup
	for _, argv := range commands {
		running.Go(func() {
			one := &tally{}
			err := one.run(ctx, argv, shared)
			mu.Lock()
			defer mu.Unlock()
			for _, name := range one.failing {
				failures = append(failures, failure{name, argv})
			}
			all.add(one)
			errs = append(errs, err)
		})
	}
	running.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return all, all.rerunFailed(ctx, failures, out)
}

// run runs go test -json and counts its results.
func (t *tally) run(ctx context.Context, argv []string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = os.Environ()
	if slices.Contains(argv, "-race") {
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := t.read(stdout, out)
	err = cmd.Wait()
	switch {
	case readErr != nil:
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), readErr, &stderr)
	case err != nil && len(t.failing) == 0:
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, &stderr)
	}
	return nil
}

// rerunFailed runs each failed test once more by itself. A test that passes then is flaky: it is listed, so that the run
// is never plain green. A data race is no accident, and neither is a package that failed without a failed test.
func (t *tally) rerunFailed(ctx context.Context, failures []failure, out io.Writer) error {
	if len(failures) > maxFlaky || t.raced {
		return nil
	}
	for _, f := range failures {
		pkg, test, ok := strings.Cut(f.name, " ")
		if !ok {
			continue
		}
		argv := slices.DeleteFunc(slices.Clone(f.argv), func(word string) bool { return strings.HasPrefix(word, "./") })
		alone := &tally{}
		err := alone.run(ctx, append(argv, "-count=1", "-run="+runPattern(test), pkg), out)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(alone.failing) == 0 && slices.Contains(alone.passing, f.name) {
			t.forgiveTest(f.name)
		}
		t.raced = t.raced || alone.raced
	}
	return nil
}

// forgiveTest counts a failed test as passed, and lists it as flaky.
func (t *tally) forgiveTest(name string) {
	i := slices.Index(t.failing, name)
	t.failing = slices.Delete(t.failing, i, i+1)
	t.flaky = append(t.flaky, name)
	t.passed++
}

// runPattern returns the -run pattern of one test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// write appends the results to the files of a folder.
func (t *tally) write(dir string) error {
	var errs []error
	for name, lines := range map[string][]string{
		"failed": t.failing, "flaky": t.flaky, "left-out": t.listLeftOut(), "passed": {fmt.Sprint(t.passed)},
	} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		for _, line := range lines {
			_, err = fmt.Fprintln(f, line)
			errs = append(errs, err)
		}
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// A sharedWriter lets several goroutines write to one writer.
type sharedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
