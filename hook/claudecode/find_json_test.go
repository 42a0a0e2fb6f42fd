package claudecode

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mulligan/config"
)

func TestLastObject(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 50_000)
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"text", "all is well", ""},
		{"one", `{"a":1}`, `{"a":1}`},
		{"text before and after", `x {"a":1} y`, `{"a":1}`},
		{"two", `{"a":1} {"b":2}`, `{"b":2}`},
		{"nested counts as a whole", `{"a":{"b":{"c":3}}}`, `{"a":{"b":{"c":3}}}`},
		{"in a list", `[{"a":1},{"b":2}]`, `{"b":2}`},
		{"over lines", "x\n{\n  \"a\": [\n1\n]\n}\n", "{\n  \"a\": [\n1\n]\n}"},
		{"braces in a text", `{"a":"} {\"b\":1}"}`, `{"a":"} {\"b\":1}"}`},
		{"braces that are no JSON", `func main() { if x { y } } {"a":1} }`, `{"a":1}`},
		{"an end is missing", `{"a":1} {"b":`, `{"a":1}`},
		{"a start that never ends", `{"x": {"a":1}`, `{"a":1}`},
		{"empty", `{}`, `{}`},
		{"in a fence", "```json\n{\"ok\": true}\n```", `{"ok": true}`},
		{"deep", deep + `1`, ""},
		{"after the deep", deep + ` {"a":1}`, `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			at, found, err := findLastObject([]byte(tt.text))
			if time.Since(start) > time.Minute {
				t.Errorf("took %v", time.Since(start))
			}
			if tt.name == "deep" || tt.name == "after the deep" {
				if err == nil && found != (tt.want != "") {
					t.Errorf("found %v", found)
				}
				return // giving up is fine, being slow is not
			}
			if got := tt.text[at.start:at.end]; got != tt.want || found != (tt.want != "") || err != nil {
				t.Errorf("got %q, %v, %v, want %q", got, found, err, tt.want)
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `x {"decision":"block","reason":"no"} y`, `{"decision":7}`, `{"continue":false,"stopReason":1}`,
		`{"retry":{"max":1e309,"after":"x"}}`, `{"retry":"never"}`, `{"hookSpecificOutput":[]}`, "{\"a\":\"\xff\"}", `{"a":{"b":`, `{{{"`,
		`{"decision":null,"reason":null,"continue":null,"retry":null,"hookSpecificOutput":null}`, `{"hookSpecificOutput":{"additionalContext":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		at, found, err := findLastObject(text)
		if found && (at.start < 0 || at.end > len(text) || !json.Valid(text[at.start:at.end]) || text[at.start] != '{') {
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
