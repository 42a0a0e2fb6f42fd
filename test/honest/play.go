package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mulligan/internal/process"
)

// hung is how long a session may take before it counts as hanging; none of the agents needs a tenth of it.
const hung = 12 * time.Minute

// soon is the same for a script of the person's.
const soon = time.Minute

// A result is what became of a run.
type result struct {
	run
	exit    int
	turns   int
	took    time.Duration
	output  string
	prompts []string
	faults  []string // what did not hold
	remarks []string // what is worth a look and no fault
	missing string   // a program that is not installed, so that the run was left out
	err     error    // the run could not be played
}

// playSideBySide plays runs, and calls ended with each result as it comes, one at a time.
func playSideBySide(ctx context.Context, s *site, runs []run, side int, ended func(result)) []result {
	results := make([]result, len(runs))
	next, done := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range max(side, 1) {
		wg.Go(func() {
			for i := range next {
				results[i] = s.play(ctx, runs[i])
				done <- i
			}
		})
	}
	go func() {
		for i := range runs {
			if ctx.Err() == nil {
				next <- i
			}
		}
		close(next)
		wg.Wait()
		close(done)
	}()
	for i := range done {
		ended(results[i])
	}
	return results
}

// play plays one run in a folder of its own and judges it.
func (s *site) play(ctx context.Context, r run) result {
	res := result{run: r}
	if res.missing = s.missingTool(r); res.missing != "" {
		return res
	}
	st, err := s.newStage(ctx, r)
	if err != nil {
		res.err = err
		return res
	}
	before, err := st.look(ctx)
	if err != nil {
		res.err = err
		return res
	}
	if !r.noSession {
		st.runSession(ctx, &res)
	}
	st.judge(ctx, before, &res)
	return res
}

// runSession runs the session and waits for its end, or ends it where it hangs.
func (s *stage) runSession(ctx context.Context, res *result) {
	limited, cancel := context.WithTimeout(ctx, hung)
	defer cancel()
	began := time.Now()
	// The output goes to a file: what an agent leaves behind may hold a pipe open for ever.
	_, err := process.Tool{
		Dir: s.at("repo"), Env: s.env, Argv: []string{"sh", "-c", `exec "$@" >"$CASE/output" 2>&1 </dev/null`, "sh", s.at("bin/mulligan"), "run", "task.md", "--foreground"},
	}.Output(limited)
	res.took = time.Since(began)
	res.exit = exitOf(err)
	if limited.Err() != nil && ctx.Err() == nil {
		res.faults = append(res.faults, fmt.Sprintf("the session hung: no end after %s", hung))
	}
	res.output = s.read("output")
	turns, _ := strconv.Atoi(strings.TrimSpace(s.read("tmp/turns")))
	res.turns = turns
	for n := range turns {
		res.prompts = append(res.prompts, s.read(fmt.Sprintf("tmp/prompt.%d", n+1)))
	}
}

// exitOf returns the exit status of a tool, or -1 where it has none.
func exitOf(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return exit.ExitCode()
	}
	return -1
}

// read returns a file of the run's folder, or "" where it cannot be read. It does not open what is no file.
func (s *stage) read(name string) string {
	info, err := os.Lstat(s.at(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > 16<<20 {
		return ""
	}
	text, _ := os.ReadFile(s.at(name))
	return string(text)
}

// sh runs a script of the person's, within soon, and returns what it printed.
func (s *stage) sh(ctx context.Context, dir, script string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	return s.shUntil(limited, dir, script)
}

// shUntil is sh without a limit of its own.
func (s *stage) shUntil(ctx context.Context, dir, script string) (string, error) {
	log := filepath.Join(s.dir, "sh.log")
	_, err := process.Tool{
		Dir: dir, Env: append(slices.Clone(s.env), "SH_LOG="+log), Argv: []string{"sh", "-c", `exec sh -e -c "$1" >"$SH_LOG" 2>&1 </dev/null`, "sh", script},
	}.Output(ctx)
	out, _ := os.ReadFile(log)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		err = fmt.Errorf("it did not end: %w", ctx.Err())
	default:
		err = fmt.Errorf("exit %d", exitOf(err)) // the tool's own error repeats the script
	}
	return string(bytes.TrimSpace(out)), err
}
