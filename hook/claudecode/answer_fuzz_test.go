package claudecode

import (
	"encoding/json"
	"errors"
	"testing"

	"mulligan/config"
	"mulligan/internal/jsonsearch"
)

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `x {"decision":"block","reason":"no"} y`, `{"decision":7}`, `{"continue":false,"stopReason":1}`,
		`{"retry":{"max":1e309,"after":"x"}}`, `{"retry":"never"}`, `{"hookSpecificOutput":[]}`, "{\"a\":\"\xff\"}", `{"a":{"b":`, `{{{"`,
		`{"decision":null,"reason":null,"continue":null,"retry":null,"hookSpecificOutput":null}`, `{"hookSpecificOutput":{"additionalContext":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		at, found, err := jsonsearch.LastObject(text)
		if found && (at.Start < 0 || at.End > len(text) || !json.Valid(text[at.Start:at.End]) || text[at.Start] != '{') {
			t.Fatalf("%q: %+v", text, at)
		}
		a, failed := parseAnswer(text)
		if (failed != nil) != (err != nil) || a.found && !found {
			t.Fatalf("%q: %+v, %v", text, a, failed)
		}
		if a.retry.After < 0 || a.retry.Max != nil && *a.retry.Max < 0 {
			t.Fatalf("%q: %+v", text, a.retry)
		}
	})
}

func FuzzReadSettings(f *testing.F) {
	f.Add([]byte(`{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"x","timeout":5,"args":["a"]}]}]}}`))
	f.Add([]byte(`{"activeProfile":"p","profiles":{"p":{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://x","headers":{"a":"$B"}}]}]},"maxHookRetries":3}}}`))
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[1,null,"x",[],{}]}]},"profiles":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		hooks, _, err := ReadSettings("settings.json", data)
		more, _, _, failed := ReadCodemie("codemie.json", data)
		for _, h := range append(hooks, more...) {
			if h.Timeout <= 0 || h.Event == "" && h.Unhandled == "" {
				t.Fatalf("%q: %+v", data, h)
			}
		}
		for _, err := range []error{err, failed} {
			for _, m := range mistakesOf(t, err) {
				if m.Line < 1 || m.Col < 1 || m.Message == "" {
					t.Fatalf("%q: %+v", data, m)
				}
			}
		}
	})
}

// mistakesOf returns the mistakes of an error, which is nothing else.
func mistakesOf(t *testing.T, err error) config.Mistakes {
	mistakes, ok := errors.AsType[config.Mistakes](err)
	if err != nil && !ok {
		t.Fatal(err)
	}
	return mistakes
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		matcher, value string
		want           bool
	}{
		{"", "Bash", true},
		{"*", "Bash", true},
		{"Bash", "Bash", true},
		{"Bash", "BashOutput", false},
		{"bash", "Bash", false},
		{"Edit|Write", "Write", true},
		{"Edit | Write", "Write", true},
		{"Edit, Write", "Write", true},
		{"Edit|Write", "NotebookEdit", false},
		{"Edit|", "", false},
		{"mcp__memory-1", "mcp__memory-1", true},
		{"mcp__.*__write", "mcp__files__write_all", true},
		{"^Edit", "NotebookEdit", false},
		{".*", "anything", true},
		{"Notebook.*", "MyNotebookEdit", true},
		{"(?=x)", "Bash", true}, // cannot be read
		{"startup", "resume", false},
	} {
		if got := Matches(tt.matcher, tt.value); got != tt.want {
			t.Errorf("Matches(%q, %q) = %v", tt.matcher, tt.value, got)
		}
	}
}
