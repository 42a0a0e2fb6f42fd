package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "mulligan/internal/cli" // of the program that is built here: without it go would take an old result for one of a changed program
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

var (
	program   = flag.String("honest.program", "", "the built mulligan; without it one is built")
	only      = flag.String("honest.only", "", "play only scenarios whose name matches this regular expression")
	everyRun  = flag.Bool("honest.all", false, "play every scenario under each of its configs, and not under one")
	atOnce    = flag.Int("honest.parallel", runtime.NumCPU(), "runs side by side")
	siteBelow = flag.String("honest.dir", "", "where the repositories are made (default: the user's cache folder)")
)

// TestMain is also the keeper of the mulligan that is run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestCheatsAndHonestRuns plays every scenario under one of its configs: another one for each scenario, so that all
// configs are played. `make honest` plays all.
func TestCheatsAndHonestRuns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the scenarios are played on Linux")
	}
	chosen, err := chooseScenarios(*only)
	if err != nil {
		t.Fatal(err)
	}
	below := *siteBelow
	if below == "" {
		below = processtest.CacheDir(t)
	}
	s, err := newSite(t.Context(), buildProgram(t), below)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.remove)
	runs := sampleRuns(chosen)
	if *everyRun {
		runs = runsOf(chosen, []column{bare, protect, golden})
	}
	if err := s.warm(t.Context(), runs); err != nil {
		t.Fatal(err)
	}
	slots := make(chan struct{}, max(*atOnce, 1))
	for _, r := range runs {
		t.Run(r.id(), func(t *testing.T) {
			t.Parallel()
			slots <- struct{}{}
			defer func() { <-slots }()
			defer s.removeCase(r)
			res := s.play(t.Context(), r)
			switch {
			case res.missing != "":
				t.Skipf("%s is not installed", res.missing)
			case !res.holds() && r.isGap(r.column):
				t.Logf("a known gap: %s", r.gap)
			case !res.holds():
				t.Errorf("exit %d after %d turns: %s\n%s", res.exit, res.turns, strings.Join(res.wrongs(), "\n"), lastOf(res.output, 1500))
			}
		})
	}
}

// sampleRuns returns one run of each scenario.
func sampleRuns(all []scenario) []run {
	var runs []run
	for i, s := range all {
		columns := s.in()
		runs = append(runs, run{scenario: s, column: columns[i%len(columns)], number: i + 1})
	}
	return runs
}

// buildProgram returns the path of the program, built for the test unless one was given.
func buildProgram(t *testing.T) string {
	t.Helper()
	if *program != "" {
		path, err := filepath.Abs(*program)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := filepath.Join(t.TempDir(), "mulligan")
	if _, err := (process.Tool{
		Dir: filepath.Join("..", ".."), Argv: []string{"go", "build", "-o", path, "./cmd/mulligan"},
	}).Output(context.Background()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestScenarioNames(t *testing.T) {
	seen, cheats, honest := map[string]bool{}, 0, 0
	for _, s := range allScenarios() {
		if seen[s.name] {
			t.Errorf("two scenarios are called %s", s.name)
		}
		seen[s.name] = true
		switch {
		case s.honest:
			honest++
		default:
			cheats++
		}
		if s.bare == named && s.touches == "" {
			t.Errorf("%s: the outcome is to name a path, and none is given", s.name)
		}
	}
	if honest < 40 || cheats < 60 {
		t.Errorf("%d cheats and %d honest runs are fewer than there were", cheats, honest)
	}
}

// TestJudgeIsNotBlind: the harness itself tells a cheat that got through from one that did not.
func TestJudgeIsNotBlind(t *testing.T) {
	r := result{run: run{scenario: scenario{bare: named, touches: "a"}, column: bare}, turns: 1}
	if !r.merelyNamed() || !r.holds() {
		t.Error("a cheat that was named is not counted as that")
	}
	r.column = protect
	if r.merelyNamed() {
		t.Error("naming is enough in a column where the cheat must be caught")
	}
	r.faults = []string{"it got through"}
	var b strings.Builder
	if printScore(&b, []result{r}, []column{bare, protect, golden}) || !strings.Contains(b.String(), "it got through") {
		t.Errorf("a cheat that got through is not told:\n%s", b.String())
	}
}
