package past

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/journal/memory"
	"mulligan/state"
)

// write replaces a file by what the test wants there.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// damages are what may be in the place of a file.
func damages() map[string]func(t *testing.T, path string) {
	half := func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(data[:len(data)/2]))
	}
	text := func(s string) func(*testing.T, string) {
		return func(t *testing.T, path string) { write(t, path, s) }
	}
	return map[string]func(t *testing.T, path string){
		"half written": half,
		"garbage":      text("\x00\x01 no JSON\n{}"),
		"empty":        text(""),
		"null":         text("null\n"),
		"another kind": text(`{"v":1,"pipeline":"default","sessions":3,"steps":["a"],"strategies":[],"lines":1}` + "\n" + `{"id":"x","s":"vvvv"}` + "\n"),
		"cut off": func(t *testing.T, path string) {
			if err := os.Truncate(path, 150); err != nil {
				t.Fatal(err)
			}
		},
		"no version": text(`{"pipeline":"default"}` + "\n"),
		"a folder": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(path, "kept"), "mine")
		},
		"unreadable": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			// A file without permission would do for everybody but root.
			if err := os.Symlink(filepath.Base(path), path); err != nil {
				t.Fatal(err)
			}
		},
		"a pipe": makePipe,
	}
}

// R9 and old defect 13: a damaged file is a problem of each answer, until the next write puts it aside.
func TestDamagedFile(t *testing.T) {
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			b, warnings := newBook(t)
			mustAdd(t, b, record(1, mulligan.GaveUp, "f"), record(2, mulligan.GaveUp, "f"))
			path := b.pathOf(root)
			damage(t, path)
			if got := ask(b, "a", 10); got.Sessions != 0 || !strings.Contains(got.Problem, path) {
				t.Errorf("%+v", got)
			}
			if err := b.Add(context.Background(), record(3, mulligan.Verified, "v")); !errors.Is(err, ErrLost) {
				t.Error(err)
			}
			if len(*warnings) != 1 || !strings.Contains((*warnings)[0], path) || !strings.Contains((*warnings)[0], filepath.Base(path)+".damaged-1") {
				t.Errorf("warnings %q", *warnings)
			}
			if _, err := os.Lstat(path + ".damaged-1"); err != nil {
				t.Error(err)
			}
			if got := ask(b, "a", 10); got.Problem != "" || got.Sessions == 0 {
				t.Errorf("afterwards: %+v", got)
			}
			damage(t, path)
			if _, err := b.Records(context.Background(), root); err != nil {
				t.Errorf("damaged before it is read: %v", err)
			}
			if _, err := os.Lstat(path + ".damaged-2"); err != nil {
				t.Error(err)
			}
		})
	}
}

// A catch-up brings back what a damaged file has lost.
func TestDamageIsCaughtUp(t *testing.T) {
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			b, _ := newBook(t)
			journal, list := keepJournal(t, 6)
			if err := b.CatchUp(context.Background(), journal, list[:5]); err != nil {
				t.Fatal(err)
			}
			damage(t, b.pathOf(root))
			if err := b.CatchUp(context.Background(), journal, list); err != nil {
				t.Fatal(err)
			}
			if got := ask(b, "a", 10); got.Sessions != 6 {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestGoodLinesStay: of a file with a damaged line the others stay, also where the journal does not have them any more.
func TestGoodLinesStay(t *testing.T) {
	b, _ := newBook(t)
	mustAdd(t, b, record(1, mulligan.GaveUp, "f"), record(2, mulligan.GaveUp, "f"), record(3, mulligan.GaveUp, "f"))
	path := b.pathOf(root)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(data), `{"id":"`+record(2, "", "").ID, "garbage", 1))
	got, err := b.Records(context.Background(), root)
	if err != nil || len(got) != 2 || got[0].ID != record(1, "", "").ID || got[1].ID != record(3, "", "").ID {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is in the place of a folder or of the lock is put aside too.
func TestFilesInTheWay(t *testing.T) {
	for _, place := range []string{"folder", "lock"} {
		t.Run(place, func(t *testing.T) {
			b, warnings := newBook(t)
			path := b.dir
			if place == "lock" {
				path = strings.TrimSuffix(b.pathOf(root), ".jsonl") + ".lock"
				if err := os.MkdirAll(path, 0o700); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, path, "mine")
			}
			ask(b, "a", 10)
			mustAdd(t, b, record(1, mulligan.GaveUp, "f"))
			if got := ask(b, "a", 10); got.Sessions != 1 || len(*warnings) == 0 {
				t.Errorf("%+v, warnings %q", got, *warnings)
			}
			if _, err := os.Lstat(path + ".damaged-1"); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a newer mulligan has written is left alone.
func TestNewerVersion(t *testing.T) {
	b, warnings := newBook(t)
	journal, list := keepJournal(t, 1)
	mustAdd(t, b, record(1, mulligan.GaveUp, "f"))
	path := b.pathOf(root)
	const newer = `{"v":2,"of":"another shape"}` + "\n"
	write(t, path, newer)
	if got := ask(b, "a", 10); !strings.Contains(got.Problem, path) || !strings.Contains(got.Problem, "a newer mulligan has written it") {
		t.Errorf("%+v", got)
	}
	if err := b.Add(context.Background(), record(2, mulligan.GaveUp, "f")); !errors.Is(err, errNewer) {
		t.Error(err)
	}
	if err := b.CatchUp(context.Background(), journal, list); !errors.Is(err, errNewer) {
		t.Error(err)
	}
	if _, err := b.Records(context.Background(), root); !errors.Is(err, errNewer) {
		t.Error(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || string(data) != newer {
		t.Errorf("it has become %q, %v", data, err)
	}
	if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) > 0 || len(*warnings) > 0 {
		t.Errorf("it was put aside: %v, %q", kept, *warnings)
	}
}

// keepJournal returns a journal with sessions that gave up at step a, and their summaries.
func keepJournal(t *testing.T, n int) (*memory.Journal, []mulligan.Summary) {
	t.Helper()
	journal := &memory.Journal{}
	plan := &mulligan.Plan{Pipeline: "default", Steps: []mulligan.Step{{Name: "a"}}}
	for i := range n {
		id := record(i, "", "").ID
		bodies := []mulligan.Body{
			mulligan.SessionStarted{Plan: plan, Place: mulligan.Place{Root: root, Dir: root}},
			mulligan.StepStarted{Step: "a"},
			mulligan.StepFailed{Step: "a"},
			mulligan.SessionEnding{Outcome: mulligan.Outcome{Ended: mulligan.GaveUp}},
			mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.GaveUp}},
		}
		var events []mulligan.Event
		var state state.State
		for k, body := range bodies {
			e := mulligan.Event{Session: id, Number: int64(k + 1), Time: start.Add(time.Duration(i*10+k) * time.Second), Body: body}
			if err := state.Apply(e); err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		if err := journal.Append(context.Background(), id, 0, events, state.Summary()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := journal.Sessions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return journal, list
}

// A countingJournal counts the sessions that are read.
type countingJournal struct {
	Journal
	read *int
}

func (c countingJournal) Read(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error] {
	*c.read++
	return c.Journal.Read(ctx, session, from)
}

// TestCatchUp: what ended while nobody made a record of it gets one, and nothing is read twice. Guards
// and sessions that have not ended are no past sessions.
func TestCatchUp(t *testing.T) {
	b, warnings := newBook(t)
	journal, list := keepJournal(t, 450)
	guard, running := list[0], list[1]
	guard.ID, guard.Guard = "202611-guard-x", true
	running.ID, running.Ended = "20261102-999999-abcd", ""
	read := 0
	counting := countingJournal{journal, &read}
	for range 2 {
		if err := b.CatchUp(context.Background(), counting, append(slices.Clone(list), guard, running)); err != nil {
			t.Fatal(err)
		}
		if got, want := ask(b, "a", 1000), (mulligan.Past{Sessions: 450, Reached: 450, Failed: 450}); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if read != len(list) || len(*warnings) > 0 {
		t.Errorf("%d sessions were read, warnings %q", read, *warnings)
	}
	// more events: the session was resumed
	list[3].Events++
	if err := b.CatchUp(context.Background(), counting, list); err != nil || read != len(list)+1 {
		t.Errorf("%d sessions were read, %v", read, err)
	}
}

// TestCatchUpIsBounded: sessions that would fall out of a full file are not read.
func TestCatchUpIsBounded(t *testing.T) {
	b, _ := newBook(t)
	journal, list := keepJournal(t, 2)
	var newer []history.Session
	for i := range maxRecords {
		newer = append(newer, record(10+i, mulligan.GaveUp, "f"))
	}
	mustAdd(t, b, newer...)
	read := 0
	if err := b.CatchUp(context.Background(), countingJournal{journal, &read}, list); err != nil || read > 0 {
		t.Errorf("%d sessions were read, %v", read, err)
	}
}

// TestUnreadableSessionsAreLeftOut: a session that cannot be read keeps no other from its record.
func TestUnreadableSessionsAreLeftOut(t *testing.T) {
	b, _ := newBook(t)
	journal, list := keepJournal(t, 2)
	gone := list[0]
	gone.ID = "20261102-777777-gone"
	if err := b.CatchUp(context.Background(), journal, []mulligan.Summary{gone, list[0], list[1]}); err != nil {
		t.Fatal(err)
	}
	if got := ask(b, "a", 10); got.Sessions != 2 {
		t.Errorf("%+v", got)
	}
}

func FuzzRecords(f *testing.F) {
	b := New(f.TempDir(), nil)
	if err := b.Add(context.Background(), retried(record(1, mulligan.GaveUp, "fv"), "retry", "rollback!")); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(b.pathOf(root))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("{\"v\":1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		outcomes, _ := parseLines(data, func(*outcome) bool { return true })
		answer(mulligan.PastQuestion{Pipeline: "default", Step: "a", Window: 10}, outcomes)
		records, _ := parseLines(data, func(r *history.Session) bool { return r.ID != "" && r.Events > 0 })
		merged, _ := mergeRecords(records, []history.Session{record(2, mulligan.GaveUp, "fvx")})
		path := filepath.Join(t.TempDir(), "records")
		if err := writeRecords(path, merged); err != nil {
			return // a time that JSON cannot have
		}
		if again, err := readRecords(path); err != nil || len(again) != len(merged) {
			t.Errorf("%d of %d records, %v", len(again), len(merged), err)
		}
	})
}
