package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var crashProgram = flag.String("crash.program", "", "the mulligan that the runs start; else this program")

// useProgram has the runs start the program that the flag names.
func useProgram(t *testing.T, base string) {
	t.Helper()
	if *crashProgram == "" {
		return
	}
	program, err := filepath.Abs(*crashProgram)
	if err == nil {
		_, err = os.Stat(program)
	}
	dir := filepath.Join(base, "program")
	if err = errors.Join(err, os.Mkdir(dir, 0o700), os.Symlink(program, filepath.Join(dir, "mulligan"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// timeToEnd is what remains of the test's time when it stops by itself: the test binary removes nothing when its time is up.
const timeToEnd = time.Minute

// untilStopped returns a context that ends when a person stops the test, or when its time is nearly up. Stopped a second
// time, the test ends as programs do.
func untilStopped(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	if end, limited := t.Deadline(); limited {
		return context.WithDeadlineCause(ctx, end.Add(-timeToEnd), errors.New("the time of -timeout is nearly up"))
	}
	return ctx, stop
}

// try runs a scenario with a kill, resumes it, and compares the result.
func try(ctx context.Context, t *testing.T, base string, k kill) {
	r, err := k.scenario.newRun(base)
	if err != nil {
		t.Errorf("%v: %v", k, err)
		return
	}
	r.kill = &k
	got, err := r.drive(ctx)
	if ctx.Err() != nil {
		return // it was stopped, and shows nothing
	}
	differences := []string{}
	if err != nil {
		differences = append(differences, err.Error())
	} else {
		differences = k.scenario.want.differences(got, r.killed)
	}
	if len(differences) > 0 {
		where := ""
		if *crashKeep {
			where = "\nleft at " + r.dir
		}
		t.Errorf("%v\ncame to the points:\n%s\n%s%s", k, indent(r.trail()), strings.Join(differences, "\n"), where)
	}
	if len(differences) == 0 || !*crashKeep {
		os.RemoveAll(r.dir)
	}
	if row, done := k.scenario.count(k, r.killed, len(differences)); done {
		t.Log(row)
	}
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// tellBefore prints what the complete matrix has to do, above the rows that it prints as the kinds are done.
func tellBefore(t *testing.T, scenarios []*scenario, kills []kill) {
	t.Helper()
	if !*crashAll {
		return
	}
	for _, k := range kills {
		k.scenario.left++
	}
	t.Logf("%d kinds of sessions, %d runs; each kind when it is done:", len(scenarios), len(kills))
	t.Log(tableHead)
}

var tableHead = fmt.Sprintf("%-28s %7s %7s %7s %7s %12s", "kind of session", "points", "once", "twice", "moments", "differences")

func summary(scenarios []*scenario) []string {
	lines := []string{tableHead}
	var sum tally
	points := 0
	for _, s := range scenarios {
		points += s.countPoints()
		lines = append(lines, s.row())
		sum.add(s.tally)
	}
	return append(lines, fmt.Sprintf("%-28s %7d %s", "all", points, sum))
}

// row returns the scenario's line of the table.
func (s *scenario) row() string { return fmt.Sprintf("%-28s %7d %s", s.name, s.countPoints(), s.tally) }

func (s *scenario) countPoints() (n int) {
	for _, process := range s.points {
		n += len(process)
	}
	return n
}

// count counts a run, and returns the scenario's row if that was the last of its runs.
func (s *scenario) count(k kill, killed, differences int) (row string, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case killed == 0: // it ended before that moment
	case k.point == 0:
		s.tally.moments++
	case killed > 1:
		s.tally.twice++
	default:
		s.tally.killed++
	}
	if differences > 0 {
		s.tally.differences++
	}
	s.left--
	return s.row(), s.left == 0
}

// A tally counts the kills of a scenario and the runs that differ.
type tally struct{ killed, twice, moments, differences int }

func (t *tally) add(other tally) {
	t.killed += other.killed
	t.twice += other.twice
	t.moments += other.moments
	t.differences += other.differences
}

func (t tally) String() string {
	return fmt.Sprintf("%7d %7d %7d %12d", t.killed, t.twice, t.moments, t.differences)
}
