package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// probe appends to a session of its own while the others run, as they do, and gives what
// each append took.
func (l *load) probe(t *testing.T) func() []time.Duration {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []time.Duration, 1)
	id := time.Now().UTC().Format("20060102-150405") + "-prob"
	go func() {
		var took []time.Duration
		for n := int64(0); ctx.Err() == nil; n++ {
			e := mulligan.Event{Session: id, Number: n + 1, Time: time.Now(), Body: mulligan.Noted{Text: strings.Repeat("x", 500)}}
			began := time.Now()
			if err := l.store.Append(t.Context(), id, n, []mulligan.Event{e}, mulligan.Summary{ID: id, Events: n + 1}); err != nil {
				t.Errorf("append %d beside the sessions: %v", n+1, err)
				break
			}
			took = append(took, time.Since(began))
			time.Sleep(10 * time.Millisecond)
		}
		done <- took
	}()
	return func() []time.Duration { cancel(); return <-done }
}

// whole wants each repository to have its own session's one commit, with its own work in it.
func (l *load) whole(t *testing.T, ids map[string]string) {
	t.Helper()
	for i := range l.size {
		name := l.name(i)
		got, err := sh(t.Context(), l.path("w", name), runEnv(l.dir), `branch=$(git for-each-ref --format='%(refname)' refs/heads/mulligan) && git show $branch:work && git log --format='%(trailers:key=Mulligan-Session,valueonly)' main..$branch`)
		want := fmt.Sprintf("%d of %s %s", *loadTurns, name, ids[name])
		if err != nil || strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	checked, err := l.store.Check(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range checked.Damaged {
		if !strings.HasSuffix(d.Session, "-prob") { // those events are no session
			t.Error(d)
		}
	}
}

// gaps are the times from the end of an agent's turn to the beginning of its next.
func (l *load) gaps(t *testing.T) []time.Duration {
	t.Helper()
	var all []time.Duration
	for i := range l.size {
		data, err := os.ReadFile(l.path("stamps", l.name(i)))
		if err != nil {
			t.Fatal(err)
		}
		stamps := strings.Fields(string(data))
		if len(stamps) != 2**loadTurns {
			t.Errorf("%s: %d stamps of %d turns", l.name(i), len(stamps), *loadTurns)
			continue
		}
		for turn := 1; turn < *loadTurns; turn++ {
			end, _ := strconv.ParseInt(stamps[2*turn-1], 10, 64)
			begin, _ := strconv.ParseInt(stamps[2*turn], 10, 64)
			all = append(all, time.Duration(begin-end))
		}
	}
	return all
}

func quantiles(all []time.Duration) (p50, p99 time.Duration) {
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	at := func(q float64) time.Duration {
		return all[min(len(all)-1, int(q*float64(len(all))))].Round(100 * time.Microsecond)
	}
	return at(0.5), at(0.99)
}

// loadMemory is what the sessions' processes have, in kilobytes, added up.
type loadMemory struct {
	sessions, keepers          int
	own, ownPeak, kept, shared int
}

func (m loadMemory) String() string {
	n := max(m.sessions, 1)
	mb := func(kb int) float64 { return float64(kb) / 1024 / float64(n) }
	return fmt.Sprintf("%.1f MB resident (at most %.1f) and %.1f MB in %.1f keepers; what is shared counted once: %.1f MB",
		mb(m.own), mb(m.ownPeak), mb(m.kept), float64(m.keepers)/float64(n), mb(m.shared))
}

// memory looks at every session's process and its keepers.
func (l *load) memory() loadMemory {
	var m loadMemory
	own, parents := map[string]bool{}, map[string]string{}
	children := map[string][]string{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if bytes.Contains(command, []byte("--config\x00"+l.path("conf"))) {
			own[filepath.Base(folder)] = true
		}
		parent := strconv.Itoa(figure(filepath.Join(folder, "status"), "PPid:"))
		parents[filepath.Base(folder)] = parent
		children[parent] = append(children[parent], folder)
	}
	// A session that is just starting a keeper has a child that is still called as it is.
	maps.DeleteFunc(own, func(pid string, _ bool) bool { return own[parents[pid]] })
	for pid := range own {
		folder := "/proc/" + pid
		m.sessions++
		m.own += figure(folder+"/status", "VmRSS:")
		m.ownPeak += figure(folder+"/status", "VmHWM:")
		m.shared += figure(folder+"/smaps_rollup", "Pss:")
		for _, child := range children[pid] {
			if name, _ := os.ReadFile(child + "/comm"); strings.TrimSpace(string(name)) == "mulligan-keeper" {
				m.keepers++
				m.kept += figure(child+"/status", "VmRSS:")
				m.shared += figure(child+"/smaps_rollup", "Pss:")
			}
		}
	}
	return m
}

// figure is the number that follows a word in a file of /proc.
func figure(path, word string) int {
	data, _ := os.ReadFile(path)
	_, rest, _ := strings.Cut("\n"+string(data), "\n"+word)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(fields[0])
	return n
}
