package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	crashAll  = flag.Bool("crash.all", false, "kill at every point of every scenario, not at a sample of them")
	crashOnly = flag.String("crash.only", "", "run this scenario of the crash matrix alone")
	crashSeed = flag.Uint64("crash.seed", 1, "what the sample is drawn with")
	crashRuns = flag.Int("crash.runs", 0, "how many runs are under way at a time (default: as many as keep the processors busy)")
	crashKeep = flag.Bool("crash.keep", false, "leave the folders of runs that differ")
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
	base, err := os.MkdirTemp("", "crash") // short: a socket's path has 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() || !*crashKeep {
			os.RemoveAll(base)
		}
	})
	t.Setenv("XDG_RUNTIME_DIR", base)
	began := time.Now()
	scenarios := loadScenarios(t.Context(), t, base)
	if t.Failed() {
		return
	}
	kills := interleave(listKills(scenarios))
	deadline := began.Add(24 * time.Hour)
	if !*crashAll {
		deadline = began.Add(max(sampleTime, time.Since(began)+sampleLeft))
	}
	work(kills, deadline, func(k kill) { try(t, base, k) })
	for _, line := range summary(scenarios) {
		t.Log(line)
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
	work(all, time.Now().Add(time.Hour), func(s *scenario) {
		if err := s.rehearse(ctx, base); err != nil {
			t.Errorf("%s, without a kill: %v", s.name, err)
		}
	})
	return all
}

// listKills returns a kill at each point, at each third also a second kill while the session is
// resumed, and kills at some moments that are no points.
func listKills(scenarios []*scenario) []kill {
	random := rand.New(rand.NewPCG(*crashSeed, 0))
	var all []kill
	for _, s := range scenarios {
		for process, points := range s.points {
			for i := range points {
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

// interleave draws an order in which every scenario soon has its turn. A scenario that waits for
// seconds then runs beside those that work.
func interleave(kills []kill) []kill {
	random := rand.New(rand.NewPCG(*crashSeed, 1))
	byScenario := map[*scenario][]kill{}
	var order []*scenario
	for _, k := range kills {
		if byScenario[k.scenario] == nil {
			order = append(order, k.scenario)
		}
		byScenario[k.scenario] = append(byScenario[k.scenario], k)
	}
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, s := range order {
		list := byScenario[s]
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var drawn []kill
	for round := 0; len(drawn) < len(kills); round++ {
		for _, s := range order {
			if round < len(byScenario[s]) {
				drawn = append(drawn, byScenario[s][round])
			}
		}
	}
	return drawn
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

// work calls do for all of a list, a few at a time, and starts none after the deadline.
func work[T any](list []T, deadline time.Time, do func(T)) {
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
		if time.Now().After(deadline) {
			break
		}
		next <- item
	}
	close(next)
	workers.Wait()
}

// try runs a scenario with a kill, resumes it, and compares the result.
func try(t *testing.T, base string, k kill) {
	r, err := k.scenario.newRun(base)
	if err != nil {
		t.Errorf("%v: %v", k, err)
		return
	}
	r.kill = &k
	got, err := r.drive(t.Context())
	differences := []string{}
	if err != nil {
		differences = append(differences, err.Error())
	} else {
		differences = k.scenario.want.differences(got, r.killed)
	}
	k.scenario.count(k, r.killed, len(differences))
	if len(differences) == 0 {
		os.RemoveAll(r.dir)
		return
	}
	where := ""
	if *crashKeep {
		where = "\nleft at " + r.dir
	}
	t.Errorf("%v\ncame to the points:\n%s\n%s%s", k, indent(r.trail()), strings.Join(differences, "\n"), where)
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

func summary(scenarios []*scenario) []string {
	lines := []string{fmt.Sprintf("%-28s %7s %7s %7s %7s %12s", "kind of session", "points", "once", "twice", "moments", "differences")}
	var sum tally
	points := 0
	for _, s := range scenarios {
		n := 0
		for _, process := range s.points {
			n += len(process)
		}
		points += n
		lines = append(lines, fmt.Sprintf("%-28s %7d %s", s.name, n, s.tally))
		sum.add(s.tally)
	}
	return append(lines, fmt.Sprintf("%-28s %7d %s", "all", points, sum))
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
