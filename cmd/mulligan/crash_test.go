package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	crashAll   = flag.Bool("crash.all", false, "kill at all points that differ, not at a sample of them")
	crashEvery = flag.Bool("crash.every", false, "with -crash.all, also at points that many kinds of sessions come to in the same way")
	crashOnly  = flag.String("crash.only", "", "run this scenario of the crash matrix alone")
	crashSeed  = flag.Uint64("crash.seed", 1, "what the sample is drawn with")
	crashRuns  = flag.Int("crash.runs", 0, "how many runs are under way at a time (default: as many as keep the processors busy)")
	crashKeep  = flag.Bool("crash.keep", false, "leave the folders of runs that differ")
)

// How long the sampled matrix may begin new runs: from the start of the test, and at least
// from when the runs to compare with are there, on a machine that has little time for us.
const (
	sampleTime = 45 * time.Second
	sampleLeft = 20 * time.Second
)

// A kill is where mulligan is ended: the process, counted over a run of the scenario, and the
// point in it. The second one is in the process that resumes the session.
type kill struct {
	scenario      *scenario
	process       int
	point, second int
	after         time.Duration // where point is 0: ended from outside, so long after its start
}

func (k kill) String() string {
	text := fmt.Sprintf("%s: process %d", k.scenario.name, k.process+1)
	if k.point == 0 {
		return text + fmt.Sprintf(" killed after %s", k.after)
	}
	text += fmt.Sprintf(", point %d (%s)", k.point, k.scenario.points[k.process][k.point-1])
	if k.second > 0 {
		text += fmt.Sprintf(", then point %d of the process that goes on", k.second)
	}
	return text
}

// TestCrashMatrix is rule J2: killed at any point and resumed, a session has the outcome that it
// would have had. Every file of testdata/crash is a kind of session.
func TestCrashMatrix(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a killed process leaves behind is looked for in /proc")
	}
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	ctx, cancel := untilStopped(t)
	defer cancel()
	base := makeCrashBase(t, *crashDir)
	useProgram(t, base)
	t.Setenv("XDG_RUNTIME_DIR", base)
	began := time.Now()
	scenarios := loadScenarios(ctx, t, base)
	if ctx.Err() != nil {
		t.Fatalf("not begun: %v", context.Cause(ctx))
	}
	if t.Failed() {
		return
	}
	kills := interleave(listKills(scenarios))
	deadline := began.Add(24 * time.Hour)
	if !*crashAll {
		deadline = began.Add(max(sampleTime, time.Since(began)+sampleLeft))
	}
	tellBefore(t, scenarios, kills)
	work(ctx, kills, deadline, func(k kill) { try(ctx, t, base, k) })
	for _, line := range summary(scenarios) {
		t.Log(line)
	}
	if ctx.Err() != nil {
		t.Errorf("not complete: %v", context.Cause(ctx))
	}
}

// loadScenarios reads every scenario and runs each once to its end, for the record that the
// killed runs are compared with.
func loadScenarios(ctx context.Context, t *testing.T, base string) []*scenario {
	t.Helper()
	files, err := filepath.Glob("testdata/crash/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	repository, err := makeRepository(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	var all []*scenario
	for _, file := range files {
		if *crashOnly != "" && *crashOnly+".txtar" != filepath.Base(file) {
			continue
		}
		s, err := readScenario(ctx, file, base, repository)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		t.Fatalf("no scenario is called %s", *crashOnly)
	}
	work(ctx, all, time.Now().Add(time.Hour), func(s *scenario) {
		if err := s.rehearse(ctx, base); err != nil && ctx.Err() == nil {
			t.Errorf("%s, without a kill: %v", s.name, err)
		}
	})
	return all
}

// Points that a session comes to over the same points are alike: so many of these are compared, and at so many points that
// are alike, in all kinds of sessions, one is killed.
const (
	wayOfPoint = 6
	maxAlike   = 3
)

// listKills returns a kill at each point that is not like many others, at each third also a second kill while the session is
// resumed, and kills at some moments that are no points.
func listKills(scenarios []*scenario) []kill {
	random := rand.New(rand.NewPCG(*crashSeed, 0))
	var all []kill
	alike := map[string]int{}
	for _, s := range scenarios {
		for process, points := range s.points {
			for i, name := range points {
				if strings.HasPrefix(name, "after ") && i+1 < len(points) && strings.HasPrefix(points[i+1], "before ") {
					continue // nothing is written between the two
				}
				way := strings.Join(points[max(0, i-wayOfPoint):i+1], "\n")
				if alike[way]++; alike[way] > maxAlike && !*crashEvery && *crashOnly == "" {
					continue
				}
				k := kill{scenario: s, process: process, point: i + 1}
				all = append(all, k)
				if i%3 == 2 {
					k.second = 1 + random.IntN(len(s.points[0]))
					all = append(all, k)
				}
				if i%4 == 3 {
					after := time.Duration(random.Int64N(int64(s.took)))
					all = append(all, kill{scenario: s, process: process, after: after})
				}
			}
		}
	}
	return all
}

// runsAtOnce returns how many runs are under way at a time. Each waits for longer than it works;
// the sample leaves the processors to the tests that run beside it.
func runsAtOnce() int {
	switch {
	case *crashRuns > 0:
		return *crashRuns
	case *crashAll:
		return 3 * runtime.NumCPU()
	}
	return runtime.NumCPU() + 1
}

// work calls do for all of a list, a few at a time, and starts none after the deadline or the end of ctx.
func work[T any](ctx context.Context, list []T, deadline time.Time, do func(T)) {
	next := make(chan T)
	var workers sync.WaitGroup
	for range runsAtOnce() {
		workers.Go(func() {
			for item := range next {
				do(item)
			}
		})
	}
	for _, item := range list {
		if ctx.Err() != nil || time.Now().After(deadline) {
			break
		}
		next <- item
	}
	close(next)
	workers.Wait()
}
