package journal_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/journal"
	"mulligan/journal/journaltest"
)

const session = "20261115-214609-x7q2"

func TestEncodeIsTheDocumentedForm(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	got, err := journal.Encode(mulligan.Event{
		Session: session, Number: 3, Time: time.Date(2026, 11, 15, 22, 46, 9, 500_000_000, zone),
		Body: mulligan.StepStarted{Step: "plan <&>", Index: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"session":"20261115-214609-x7q2","n":3,"time":"2026-11-15T21:46:09.5Z","kind":"step.started","data":{"step":"plan <&>","index":1}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, e := range journaltest.EveryKind(session) {
		line, err := journal.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := journal.Decode(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !reflect.DeepEqual(got, e) {
			t.Errorf("%s:\n got %+v\nwant %+v", e.Body.Kind(), got, e)
		}
	}
}

// bodies are the types of the root package that are bodies of events.
func bodies(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Kind" {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return names
}

// Every body of the root package can be read, and is in the suite's session.
func TestEveryKindIsKnown(t *testing.T) {
	covered := map[string]bool{}
	for _, e := range journaltest.EveryKind(session) {
		covered[reflect.TypeOf(e.Body).Name()] = true
	}
	names := bodies(t)
	for _, name := range names {
		if !covered[name] {
			t.Errorf("%s is not in journaltest.EveryKind", name)
		}
	}
	if len(names) == 0 || len(names) != len(covered) {
		t.Errorf("the root package has %d bodies, the suite %d", len(names), len(covered))
	}
	for _, e := range journaltest.EveryKind(session) {
		line, _ := journal.Encode(e)
		if got, err := journal.Decode(line); err != nil || reflect.TypeOf(got.Body) != reflect.TypeOf(e.Body) {
			t.Errorf("%s decodes as %T, %v: add it to the table of kinds", e.Body.Kind(), got.Body, err)
		}
	}
}

func TestUnknownKindIsKept(t *testing.T) {
	line := `{"v":1,"session":"20261115-214609-x7q2","n":1,"time":"2026-11-15T21:46:09Z","kind":"guard.held","data":{"new":[1,2.50,"é<"],"big":12345678901234567890}}`
	e, err := journal.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if e.Body.Kind() != "guard.held" {
		t.Errorf("kind %q", e.Body.Kind())
	}
	again, err := journal.Encode(e)
	if err != nil || string(again) != line {
		t.Errorf("exported again:\n got %s, %v\nwant %s", again, err, line)
	}
	_, err = journal.Fold(func(yield func(mulligan.Event, error) bool) { yield(e, nil) })
	if !errors.Is(err, journal.ErrNewer) || !strings.Contains(err.Error(), "guard.held") || !strings.Contains(err.Error(), session) {
		t.Errorf("fold of an unknown kind: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	const good = `{"v":1,"session":"s","n":1,"time":"2026-11-15T21:46:09Z","kind":"noted","data":{"text":"x"}}`
	if _, err := journal.Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, old, new, want string }{
		{"not JSON", good, "nonsense", "not an event"},
		{"empty", good, "", "not an event"},
		{"cut", `"data":{"text":"x"}}`, `"data":{"te`, "not an event"},
		{"two of them", good, good + good, "not an event"},
		{"an array", good, "[" + good + "]", "not an event"},
		{"null", good, "null", "no version"},
		{"no version", `"v":1,`, ``, "no version"},
		{"no session", `"session":"s",`, ``, "no session"},
		{"no number", `"n":1,`, ``, "no number"},
		{"number 0", `"n":1,`, `"n":0,`, "no number"},
		{"no time", `"time":"2026-11-15T21:46:09Z",`, ``, "no time"},
		{"bad time", `2026-11-15T`, `yesterday`, "not an event"},
		{"no kind", `"kind":"noted",`, ``, "no kind"},
		{"no data", `,"data":{"text":"x"}`, ``, "no data"},
		{"null data", `{"text":"x"}`, `null`, "not an object"},
		{"data of another type", `{"text":"x"}`, `{"text":7}`, "noted"},
		{"an artifact", `"data":{"text":"x"}`, `"artifact":"sha256:00","bytes":1`, "only in a frame"},
		{"data and artifact", `"data":`, `"artifact":"sha256:00","data":`, "data and an artifact"},
	}
	for _, tt := range tests {
		_, err := journal.Decode([]byte(strings.Replace(good, tt.old, tt.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestNewerFormIsSaid(t *testing.T) {
	_, err := journal.Decode([]byte(`{"v":2,"session":"s","n":7,"moment":1}`))
	if !errors.Is(err, journal.ErrNewer) || !strings.Contains(err.Error(), "event 7 of session s has form 2") {
		t.Errorf("%v", err)
	}
}

// What other programs write into the form is read too: other order, other spaces, more fields.
func TestDecodeOtherLayouts(t *testing.T) {
	want := mulligan.Event{Session: "s", Number: 1, Time: time.Date(2026, 11, 15, 21, 46, 9, 0, time.UTC), Body: mulligan.Noted{Text: "x"}}
	for _, line := range []string{
		`{"kind":"noted","data":{"text":"x"},"n":1,"v":1,"time":"2026-11-15T22:46:09+01:00","session":"s"}`,
		`{ "v": 1, "session": "s", "n": 1, "time": "2026-11-15T21:46:09Z", "kind": "noted", "data": {"text": "x", "more": 1} }`,
		`{"v":1,"session":"s","n":1,"time":"2026-11-15T21:46:09Z","kind":"noted","data":{"text":"x"},"more":{}}`,
		`{"v":1,"session":"\u0073","n":1,"time":"2026-11-15T21:46:09Z","kind":"not\u0065d","data":{"text":"x"}}`,
	} {
		got, err := journal.Decode([]byte(line))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range journaltest.EveryKind(session) {
		line, err := journal.Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`{"v":1,"session":"s","n":1,"time":"2026-11-15T21:46:09Z","kind":"other","data":{}}`))
	f.Add([]byte(`{"v":1,"session":"s","n":1,"time":"2026-11-15T21:46:09Z","kind":"noted","data":{"text":"x"},"v":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := journal.Decode(line)
		if err != nil {
			return
		}
		again, err := journal.Encode(e)
		if err != nil {
			t.Fatalf("decoded and not encoded: %v", err)
		}
		back, err := journal.Decode(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		third, err := journal.Encode(back)
		if err != nil || string(third) != string(again) {
			t.Fatalf("%s became %s, %v", again, third, err)
		}
	})
}
