package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// fuzzLanes is how many targets run side by side: while one is built, another has the processors.
const fuzzLanes = 2

// runFuzz runs each fuzz target for its time, and counts it as one test.
func runFuzz(ctx context.Context, r *run) error {
	targets, err := findFuzzTargets(r.root)
	if err != nil {
		return err
	}
	results := make([]error, len(targets))
	next := make(chan int)
	var lanes sync.WaitGroup
	for range fuzzLanes {
		lanes.Go(func() {
			for i := range next {
				results[i] = r.fuzzOne(ctx, targets[i])
			}
		})
	}
	for i := range targets {
		next <- i
	}
	close(next)
	lanes.Wait()
	return r.countFuzz(targets, results)
}

// fuzzOne runs one fuzz target.
func (r *run) fuzzOne(ctx context.Context, t target) error {
	err := r.runQuiet(ctx, nil,
		"go", "test", "-vet=off", "-run=^$", "-fuzz=^"+t.name+"$", "-fuzztime="+r.fuzzTime.String(),
		"-parallel="+strconv.Itoa(max(1, runtime.NumCPU()/fuzzLanes)), "./"+filepath.ToSlash(t.dir))
	if err != nil && ctx.Err() == nil && ranOutOfTime(t.name, err.Error()) {
		return nil
	}
	return err
}

// countFuzz counts the results in the order of the targets.
func (r *run) countFuzz(targets []target, results []error) error {
	failed := false
	for i, err := range results {
		if err == nil {
			r.tally.passed++
			continue
		}
		fmt.Fprintln(r.out, err)
		r.tally.addFailure(targets[i].dir + " " + targets[i].name)
		failed = true
	}
	if failed {
		return errTests
	}
	return nil
}

// ranOutOfTime reports whether the target only came to the end of its time, which go sometimes
// takes for a failure (go.dev/issue/75804). A real failure has an input, a panic or another
// message.
func ranOutOfTime(name, output string) bool {
	late := regexp.MustCompile(`(?m)^--- FAIL: ` + name + ` \([\d.]+s\)\n\s+context deadline exceeded\nFAIL\n`)
	return late.MatchString(output) && strings.Count(output, "--- FAIL") == 1 &&
		!strings.Contains(output, "Failing input written to") && !strings.Contains(output, "panic")
}
