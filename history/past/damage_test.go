package past

import (
	"bytes"
	"context"
	"encoding/json"
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

// R9 and old defect 13: a damaged snapshot is a problem of one answer; it is kept beside, and the next
// write makes it again.
func TestDamagedSnapshot(t *testing.T) {
	for name, damage := range damages() {
		t.Run(name, func(t *testing.T) {
			b, warnings := newBook(t)
			mustAdd(t, b, record(1, mulligan.GaveUp, "f"), record(2, mulligan.GaveUp, "f"))
			path := b.volumeOf(root).pipelinePath("default")
			damage(t, path)
			got := ask(b, "a", 10)
			if got.Sessions != 0 || !strings.Contains(got.Problem, path) {
				t.Errorf("%+v", got)
			}
			if len(*warnings) != 1 || !strings.Contains((*warnings)[0], path) || !strings.Contains((*warnings)[0], "default-37a8eec1ce19.jsonl.damaged-1") {
				t.Errorf("warnings %q", *warnings)
			}
			if _, err := os.Lstat(path + ".damaged-1"); err != nil {
				t.Error(err)
			}
			if got := ask(b, "a", 10); got.Problem != "" || got.Sessions != 0 {
				t.Errorf("asked again: %+v", got)
			}
			mustAdd(t, b, record(3, mulligan.Verified, "v"))
			if got, want := ask(b, "a", 10), (mulligan.Past{Sessions: 3, Reached: 3, Failed: 2}); !reflect.DeepEqual(got, want) {
				t.Errorf("afterwards: got %+v, want %+v", got, want)
			}
			damage(t, path)
			mustAdd(t, b, record(4, mulligan.Verified, "v"))
			if got := ask(b, "a", 10); got.Sessions != 4 {
				t.Errorf("damaged before a write: %+v", got)
			}
			if _, err := os.Lstat(path + ".damaged-2"); err != nil {
				t.Error(err)
			}
		})
	}
}

// A damaged index or file of records refuses no write, and a catch-up brings all of it back.
func TestDamagedRecords(t *testing.T) {
	for _, file := range []string{"index.jsonl", "0001.jsonl"} {
		for name, damage := range damages() {
			t.Run(file+" "+name, func(t *testing.T) {
				b, _ := newBook(t)
				journal, list := keepJournal(t, 6)
				if err := b.CatchUp(context.Background(), journal, list[:5]); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(b.volumeOf(root).dir, file)
				damage(t, path)
				last, err := FoldSession(context.Background(), journal, list[5].ID)
				if err != nil {
					t.Fatal(err)
				}
				mustAdd(t, b, last)
				// The records are read only where a snapshot is made of them.
				if err := os.Remove(b.volumeOf(root).pipelinePath("default")); err != nil {
					t.Fatal(err)
				}
				if err := b.CatchUp(context.Background(), journal, list); err != nil {
					t.Fatal(err)
				}
				refs, err := b.List(context.Background(), root)
				if err != nil || len(refs) != 6 || len(b.Read(context.Background(), refs)) != 6 {
					t.Errorf("%d sessions, %v", len(refs), err)
				}
				if got := ask(b, "a", 10); got.Sessions != 6 {
					t.Errorf("%+v", got)
				}
				if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) == 0 && name != "empty" {
					t.Error("nothing is kept beside")
				}
			})
		}
	}
}

// What is in the place of a folder or of the lock is put aside too.
func TestFilesInTheWay(t *testing.T) {
	for _, place := range []string{"", "volume", "volume/pipelines", "volume/lock"} {
		t.Run(place, func(t *testing.T) {
			b, warnings := newBook(t)
			path := b.dir
			if place != "" {
				path = filepath.Join(b.dir, strings.Replace(place, "volume", filepath.Base(b.volumeOf(root).dir), 1))
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(place, "lock") {
				if err := os.Mkdir(path, 0o700); err != nil {
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
	for _, file := range []string{"pipeline", "index", "records"} {
		t.Run(file, func(t *testing.T) {
			b, warnings := newBook(t)
			mustAdd(t, b, record(1, mulligan.GaveUp, "f"))
			v := b.volumeOf(root)
			path := map[string]string{"pipeline": v.pipelinePath("default"), "index": v.indexPath(), "records": v.segmentPath(1)}[file]
			const newer = `{"v":2,"of":"another shape"}` + "\n"
			write(t, path, newer)
			if file == "pipeline" {
				if got := ask(b, "a", 10); !strings.Contains(got.Problem, "a newer mulligan has written it") || len(*warnings) != 1 {
					t.Errorf("%+v, warnings %q", got, *warnings)
				}
			}
			_ = b.Add(context.Background(), record(2, mulligan.GaveUp, "f"))
			_ = b.CatchUp(context.Background(), &memory.Journal{}, nil)
			if refs, err := b.List(context.Background(), root); err == nil {
				b.Read(context.Background(), refs)
			}
			data, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(data, []byte(newer)) {
				t.Errorf("it has become %q, %v", data, err)
			}
			if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) > 0 {
				t.Errorf("it was put aside: %v", kept)
			}
		})
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
		var state mulligan.State
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
	// a write that was cut off after the index is found
	v := b.volumeOf(root)
	if err := v.appendRecords([]history.Session{record(9000, mulligan.Verified, "v")}); err != nil {
		t.Fatal(err)
	}
	if err := b.CatchUp(context.Background(), counting, list); err != nil {
		t.Fatal(err)
	}
	if got := ask(b, "a", 1000); got.Sessions != 451 {
		t.Errorf("%+v", got)
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

func FuzzSnapshot(f *testing.F) {
	p := &pipeline{Version: 1, Name: "default"}
	for i := range 4 {
		if err := p.insert(retried(record(i, mulligan.GaveUp, "fv"), "retry", "rollback!")); err != nil {
			f.Fatal(err)
		}
	}
	whole, err := p.format()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte(`{"id":"20261102-080000-abcd","n":5,"t":1,"p":"default","f":1,"o":0,"l":9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := parsePipeline(data); err == nil {
			if _, lines, err := parseHead(data); err != nil {
				t.Error(err)
			} else if _, err := p.answer(mulligan.PastQuestion{Step: "a", Window: 10}, lines); err != nil {
				t.Error(err)
			}
			for i := range 3 {
				if err := p.insert(retried(record(i, mulligan.GaveUp, "fvx"), "retry")); err != nil {
					break
				}
			}
			if data, err := p.format(); err != nil {
				t.Error(err)
			} else if _, err := parsePipeline(data); err != nil && p.Sessions >= p.Lines {
				t.Errorf("%q: %v", data, err)
			}
		}
		if known, err := parseIndex(data); err == nil {
			sortEntries(known, func(entry) bool { return true })
		}
		if r, err := parseRecord(data); err == nil {
			var checks history.Checks
			checks.Add(r)
			checks.List()
			_ = r.Attempts()
		}
	})
}

// The quick way to read a line of the index has the same result as the long one.
func TestScanEntry(t *testing.T) {
	for _, e := range []entry{
		{ID: "20261102-080000-abcd", Events: 5, Time: 1793606400000, Pipeline: "default", Segment: 1, Offset: 0, Length: 9},
		{ID: "20261102-080000-abcd", Events: 5, Time: 1, Pipeline: "größer ☃", Segment: 12, Offset: 1 << 40, Length: 1000},
	} {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := scanEntry(append(line, '\n'), ""); !ok || got != e {
			t.Errorf("got %+v, %v, want %+v", got, ok, e)
		}
	}
	for _, line := range []string{
		`{"id":"a\"b","n":1,"t":1,"p":"x","f":1,"o":1,"l":1}`, `{"id":"a","n":1,"t":-1,"p":"x","f":1,"o":1,"l":1}`,
		`{"id":"a","n":,"t":1,"p":"x","f":1,"o":1,"l":1}`, `{"id":"a","n":1,"t":1,"p":"\u0078","f":1,"o":1,"l":1}`,
		`{"id":"a","n":1,"t":1,"p":"x","f":1,"o":1,"l":1} `, `{"id":"a"}`, ``, `null`,
	} {
		if got, ok := scanEntry([]byte(line+"\n"), ""); ok {
			t.Errorf("%s is taken for %+v", line, got)
		}
	}
}
