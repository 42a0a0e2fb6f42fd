package jsonsearch

import (
	"strings"
	"testing"
	"time"
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
			at, found, err := LastObject([]byte(tt.text))
			if time.Since(start) > time.Minute {
				t.Errorf("took %v", time.Since(start))
			}
			if tt.name == "deep" || tt.name == "after the deep" {
				if err == nil && found != (tt.want != "") {
					t.Errorf("found %v", found)
				}
				return // giving up is fine, being slow is not
			}
			if got := tt.text[at.Start:at.End]; got != tt.want || found != (tt.want != "") || err != nil {
				t.Errorf("got %q, %v, %v, want %q", got, found, err, tt.want)
			}
		})
	}
}
