package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// A suite is packages that are tested with the same command.
type suite struct {
	argv     []string
	packages []string // patterns; what takes longest comes first
	but      []string // patterns of packages that another suite has
}

// testCommand returns a command that tests packages, so many of them at once. The step vet has examined them.
func testCommand(atOnce string, more ...string) []string {
	return append([]string{"go", "test", "-json", "-count=1", "-timeout=60m", "-vet=off", "-p=" + atOnce}, more...)
}

// suites returns all tests, as lanes that run beside each other; the suites of a lane run one after the other.
//
// Most of what the tests of the program do is to start it, and a program with the race detector takes many times as
// long to start. So these run without it, and TestRaced runs with it the scripts in which things happen at the same
// time. Packages that start no goroutine run without it too. All other packages have it.
func suites(detector []string, found bool) [][]suite {
	without := append([]string{"./cmd/...", "./test/..."}, sequentialPackages...)
	lanes := [][]suite{
		{{argv: testCommand("2"), packages: slices.Concat(without, heavyPackages)}},
		{{argv: testCommand("2", detector...), packages: []string{"./journal/jetstream", "./..."}, but: without}},
		{{argv: []string{"go", "-C", "tools", "test", "-json", "-count=1"}, packages: []string{"./..."}}},
	}
	if found {
		// They wait as much as they work, so they run beside all others.
		raced := suite{argv: testCommand("1", append(detector, "-parallel=6", "-run=^TestRaced$")...), packages: []string{"./cmd/mulligan"}}
		lanes[2] = append(lanes[2], raced)
	}
	return lanes
}

// A failure is a test that failed, and the command that it failed under.
type failure struct {
	name string
	argv []string
}

// runSuites runs lanes of suites beside each other. When all have ended, it runs the tests that failed once more,
// one after the other.
func (r *run) runSuites(ctx context.Context, env []string, lanes [][]suite) error {
	out := &sharedWriter{to: r.out}
	var all sync.WaitGroup
	var mu sync.Mutex
	var failures []failure
	var errs []error
	for _, lane := range lanes {
		all.Go(func() {
			for _, s := range lane {
				apart := &run{root: r.root, out: out}
				err := apart.runSuite(ctx, env, s)
				mu.Lock()
				for _, name := range apart.tally.failing {
					failures = append(failures, failure{name: name, argv: s.argv})
				}
				r.tally.add(&apart.tally)
				if !errors.Is(err, errTests) {
					errs = append(errs, err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(failures) > 0 && ctx.Err() == nil {
		errs = append(errs, r.rerunFailed(ctx, env, failures))
	}
	return errors.Join(errs...)
}

// runSuite runs one suite.
func (r *run) runSuite(ctx context.Context, env []string, s suite) error {
	packages, err := r.choosePackages(ctx, s)
	if err != nil {
		return err
	}
	return r.goTest(ctx, env, s.argv, packages...)
}

// choosePackages returns the packages of a suite, or patterns of them.
func (r *run) choosePackages(ctx context.Context, s suite) ([]string, error) {
	if slices.Contains(s.argv, "-C") {
		return s.packages, nil // of another module
	}
	chosen, err := r.listPackages(ctx, s.packages...)
	if err != nil || len(s.but) == 0 {
		return chosen, err
	}
	but, err := r.listPackages(ctx, s.but...)
	return slices.DeleteFunc(chosen, func(p string) bool { return slices.Contains(but, p) }), err
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
