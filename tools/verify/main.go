// Command verify is what `make test` runs: every check that a change has to pass, and at
// its end the list of what this machine could not run. With CI=true that list must be empty.
//
//	verify [flags] [step ...]
//	verify -exec COMMAND [ARGUMENT ...]
//
// Without steps it runs all but audit. The last line is "N passed, N failed", counted from
// the results of go test; a step of another kind that failed counts as one failure.
// With -exec it runs a command, whose temporary files are where those of the tests are.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	root := flag.String("root", ".", "the repository's root")
	fuzzTime := flag.Duration("fuzztime", 3*time.Second, "how long each fuzz target runs")
	strict := flag.Bool("strict", os.Getenv("CI") == "true", "fail where something could not be run (set by CI=true)")
	onDisk := flag.Bool("disk", false, "keep what tests write on the disk, and not in memory")
	command := flag.Bool("exec", false, "run a command instead of steps, with its temporary files where those of the tests are")
	memory := flag.String("memory", "", "the folders in memory, set by the program itself")
	flag.Parse()

	switch {
	case *memory != "":
		fmt.Println("what tests write is in memory")
	case !*onDisk && (*command || haveTests(flag.Args())):
		reason, err := enterMemory()
		if err != nil {
			fmt.Fprintln(os.Stderr, "verify:", err)
			os.Exit(2)
		}
		fmt.Println("what tests write is on the disk:", reason)
	}
	var code int
	var err error
	if *command {
		code, err = runCommand(flag.Args())
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		code, err = runSteps(ctx, *root, *fuzzTime, *strict, flag.Args())
	}
	if *memory != "" {
		err = errors.Join(err, leaveMemory(*memory))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
	}
	os.Exit(code)
}

// runCommand runs a command and returns its exit code. An interrupt from the terminal reaches the command itself, and ends it;
// SIGTERM is passed on.
func runCommand(argv []string) (int, error) {
	if len(argv) == 0 {
		return 2, errors.New("-exec needs a command")
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 2, err
	}
	go func() {
		for s := range signals {
			if s == syscall.SIGTERM {
				_ = cmd.Process.Signal(s) // it may have ended
			}
		}
	}()
	err := cmd.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return 2, err
	}
	return max(cmd.ProcessState.ExitCode(), -cmd.ProcessState.ExitCode()), nil // -1 is a signal
}

// haveTests reports whether the named steps, or those that run if none is named, run tests.
func haveTests(names []string) bool {
	chosen, err := chooseSteps(names)
	return err == nil && slices.ContainsFunc(chosen, func(s step) bool { return s.tests })
}

// runSteps runs the named steps, or all but the extra ones, and returns the exit code.
func runSteps(ctx context.Context, root string, fuzzTime time.Duration, strict bool, names []string) (int, error) {
	chosen, err := chooseSteps(names)
	if err != nil {
		return 2, err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return 2, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return 2, fmt.Errorf("%s is not the repository's root: %w", root, err)
	}
	if err := setUpCompiling(ctx, root); err != nil {
		return 2, err
	}
	r := &run{root: root, out: os.Stdout, fuzzTime: fuzzTime}
	for _, s := range r.startSpare(ctx, r.startEarly(ctx, chosen)) {
		if ctx.Err() != nil {
			break
		}
		r.runStep(ctx, s)
	}
	if ctx.Err() != nil {
		return 130, errors.New("interrupted")
	}
	return r.printSummary(strict), nil
}

func chooseSteps(names []string) ([]step, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(steps(), func(s step) bool { return s.extra }), nil
	}
	var chosen []step
	for _, name := range names {
		i := slices.IndexFunc(steps(), func(s step) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no step is called %q; there are: %s", name, stepNames())
		}
		chosen = append(chosen, steps()[i])
	}
	return chosen, nil
}

func stepNames() string {
	var names []string
	for _, s := range steps() {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}
