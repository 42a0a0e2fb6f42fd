package journal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/journaltest"
)

func TestFrame(t *testing.T) {
	files := journal.Files{Dir: filepath.Join(t.TempDir(), "artifacts")}
	want := journaltest.Events(session, 4, 3)
	want[1].Body = mulligan.Noted{Text: strings.Repeat("x", journal.MaxEvent)}
	frame, err := journal.EncodeFrame(want, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(frame) > 4096 || bytes.Count(frame, []byte("\n")) != 3 {
		t.Errorf("%d bytes, %d lines", len(frame), bytes.Count(frame, []byte("\n")))
	}
	got, err := journal.DecodeFrame(session, 5, frame, files)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d events, %v", len(got), err)
	}
	if last, ok := journal.LastNumber(frame); !ok || last != 7 {
		t.Errorf("last number %d, %v", last, ok)
	}
}

// A line gets its data back as Encode has it, and one that only mentions an artifact stays as it is.
func TestInlineData(t *testing.T) {
	files := journal.Files{Dir: t.TempDir()}
	mention := "<&>\u2028é\"\n,\"artifact\":\"sha256:0\",\"bytes\":5}"
	events := journaltest.Events(session, 0, 4)
	events[1].Body = mulligan.Noted{Text: mention + strings.Repeat("x", journal.MaxEvent)}
	events[2].Body = mulligan.Noted{Text: mention}
	events[3].Body = mulligan.TaskCompleted{Task: mulligan.TaskItem{ID: 1, Content: mention + strings.Repeat("y", journal.MaxEvent)}}
	frame, err := journal.EncodeFrame(events, files)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range bytes.Lines(frame) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		got := journal.InlineData(line, func(hash string) []byte {
			asked++
			data, err := files.Get(hash)
			if err != nil {
				t.Error(err)
			}
			return data
		})
		if want, err := journal.Encode(events[0]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("event %d is %.300q, want %.300q, %v", events[0].Number, got, want, err)
		}
		if got := journal.InlineData(line, func(string) []byte { return nil }); !bytes.Equal(got, line) {
			t.Errorf("event %d without data is %.300q", events[0].Number, got)
		}
		events = events[1:]
	}
	if asked != 2 {
		t.Errorf("data was asked for %d times, want 2", asked)
	}
}

func TestFrameTooLarge(t *testing.T) {
	files := journal.Files{Dir: t.TempDir()}
	_, err := journal.EncodeFrame(journaltest.Events(session, 0, 20_000), files)
	if err == nil || !strings.Contains(err.Error(), "too many to store at once") {
		t.Errorf("%v", err)
	}
}

func TestDamagedFrameIsNamed(t *testing.T) {
	files := journal.Files{Dir: t.TempDir()}
	frame, err := journal.EncodeFrame(journaltest.Events(session, 4, 3), files)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(frame, []byte("\n"))
	var gap *mulligan.GapError
	var damage *journal.DamageError

	_, err = journal.DecodeFrame(session, 4, frame, files)
	if !errors.As(err, &gap) || gap.Want != 4 || gap.Got != 5 {
		t.Errorf("begins late: %v", err)
	}
	_, err = journal.DecodeFrame(session, 5, bytes.Join([][]byte{lines[0], lines[2]}, nil), files)
	if !errors.As(err, &gap) || gap.Want != 6 || gap.Got != 7 {
		t.Errorf("lacks one: %v", err)
	}
	for name, data := range map[string][]byte{
		"cut":               frame[:len(frame)-10],
		"empty line inside": bytes.Join([][]byte{lines[0], []byte("\n"), lines[1], lines[2]}, nil),
	} {
		_, err = journal.DecodeFrame(session, 5, data, files)
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), session) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err = journal.DecodeFrame(session, 5, nil, files); !errors.As(err, &damage) || damage.Number != 5 {
		t.Errorf("empty: %v", err)
	}
	if _, err = journal.DecodeFrame("20261115-000000-othr", 5, frame, files); !errors.As(err, &damage) {
		t.Errorf("another session's: %v", err)
	}
}

func TestDamagedArtifactIsNamed(t *testing.T) {
	files := journal.Files{Dir: t.TempDir()}
	events := journaltest.Events(session, 0, 2)
	events[1].Body = mulligan.Noted{Text: strings.Repeat("x", journal.MaxEvent)}
	frame, err := journal.EncodeFrame(events, files)
	if err != nil {
		t.Fatal(err)
	}
	paths, _ := filepath.Glob(filepath.Join(files.Dir, "*", "*"))
	if len(paths) != 1 {
		t.Fatalf("artifacts: %v", paths)
	}
	decode := func(want string) {
		t.Helper()
		var damage *journal.DamageError
		_, err := journal.DecodeFrame(session, 1, frame, files)
		if !errors.As(err, &damage) || damage.Number != 2 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), paths[0]) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	data, _ := os.ReadFile(paths[0])
	data[100] ^= 1
	if err := os.WriteFile(paths[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	decode("is damaged")
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	decode("is missing")
}

func TestArtifacts(t *testing.T) {
	files := journal.Files{Dir: filepath.Join(t.TempDir(), "a", "b")}
	data := []byte("some data")
	hash, err := files.Put(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := "sha256:1307990e6ba5ca145eb35e99182a9bec46531bc54ddf656a602c780fa0240dee"; hash != want {
		t.Errorf("hash %s, want %s", hash, want)
	}
	path := filepath.Join(files.Dir, hash[7:9], hash[9:])
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := files.Put(data); err != nil || again != hash {
		t.Errorf("put again: %s, %v", again, err)
	}
	if got, err := files.Get(hash); err != nil || !bytes.Equal(got, data) {
		t.Errorf("get: %q, %v", got, err)
	}
	left, _ := filepath.Glob(filepath.Join(files.Dir, "*", ".new-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, bad := range []string{"", "sha256:", "sha256:../../../../etc/passwd", hash[7:], "md5:" + hash[7:], strings.ToUpper(hash), "sha256:" + strings.ToUpper(hash[7:])} {
		if _, err := files.Get(bad); err == nil || !strings.Contains(err.Error(), "is not the hash") {
			t.Errorf("get %q: %v", bad, err)
		}
	}
}

func TestMonth(t *testing.T) {
	for id, want := range map[string]string{
		"20261115-214609-x7q2": "202611", "202611x": "202611",
		"": "", "202611": "", "2026-11-15": "", "20261115-X": "", "202611.a": "", "202611*": "", "202611>": "", "202611 a": "", "202611é": "",
		"202611" + strings.Repeat("a", 200): "",
	} {
		if got, ok := journal.Month(id); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", id, got, ok)
		}
	}
}

func TestFoldStopsAtAGap(t *testing.T) {
	events := journaltest.EveryKind(session)[:1]
	later := journaltest.Events(session, 2, 1)
	_, err := journal.Fold(func(yield func(mulligan.Event, error) bool) {
		_ = yield(events[0], nil) && yield(later[0], nil)
	})
	var gap *mulligan.GapError
	if !errors.As(err, &gap) || gap.Want != 2 || gap.Got != 3 {
		t.Errorf("%v", err)
	}
	broken := errors.New("broken")
	if _, err = journal.Fold(func(yield func(mulligan.Event, error) bool) { yield(mulligan.Event{}, broken) }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	state, err := journal.Fold(func(yield func(mulligan.Event, error) bool) { yield(events[0], nil) })
	if err != nil || state.ID != session || state.Last != 1 {
		t.Errorf("%+v, %v", state, err)
	}
}
