// Command verify is what `make test` runs: every check that a change has to pass, and at
// its end the list of what this machine could not run. With CI=true that list must be empty.
//
//	verify [flags] [step ...]
//
// Without steps it runs all but audit. The last line is "N passed, N failed", counted from
// the results of go test; a step of another kind that failed counts as one failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
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
	memory := flag.String("memory", "", "the folders in memory, set by the program itself")
	flag.Parse()

	switch {
	case *memory != "":
		fmt.Println("what tests write is in memory")
	case !*onDisk:
		reason, err := enterMemory()
		if err != nil {
			fmt.Fprintln(os.Stderr, "verify:", err)
			os.Exit(2)
		}
		fmt.Println("what tests write is on the disk:", reason)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := runSteps(ctx, *root, *fuzzTime, *strict, flag.Args())
	if *memory != "" {
		err = errors.Join(err, leaveMemory(*memory))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
	}
	os.Exit(code)
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
	r := &run{root: root, out: os.Stdout, fuzzTime: fuzzTime}
	for _, s := range r.startEarly(ctx, chosen) {
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
