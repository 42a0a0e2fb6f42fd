package task

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"mulligan"
)

func TestWish(t *testing.T) {
	for _, tt := range []struct{ tool, input, want string }{
		{"Bash", `{"command":"go test ./...","description":"do it"}`, "Bash: go test ./...\ndescription: \"do it\""},
		{"Bash", `{"command":"a\nb: \"c\""}`, "Bash: a\n  b: \"c\""},
		{"Bash", `{"command":"a","b":"c"}`, "Bash: a\nb: \"c\""},
		{"Write", `{"file_path":"/w/x","content":"y\nz"}`, "Write: /w/x\n+y\n+z"},
		{"Write", `{"file_path":"/w/x","content":"y","mode":1}`, "Write: /w/x\ncontent: \"y\"\nmode: 1"},
		{"Edit", `{"file_path":"/w/x","old_string":"a\nb\nc","new_string":"a\nB\nc"}`, "Edit: /w/x\n a\n-b\n+B\n c"},
		{"Edit", `{"file_path":"/w/x","old_string":"","new_string":"n\n","replace_all":false}`, "Edit: /w/x\n+n\n+"},
		{"Edit", `{"file_path":"/w/x","old_string":"a","new_string":"b","replace_all":true}`, "Edit: /w/x\nevery occurrence is replaced:\n-a\n+b"},
		{"Edit", `{"file_path":"/w/x","old_string":"a","new_string":"b","replace_all":1}`, "Edit: /w/x\nnew_string: \"b\"\nold_string: \"a\"\nreplace_all: 1"},
		{"Edit", `{"file_path":"/w/x","old_string":"a"}`, "Edit: /w/x\nold_string: \"a\""},
		{"MultiEdit", `{"file_path":"/w/x","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"","replace_all":true}]}`, "MultiEdit: /w/x\nedit 1\n-a\n+b\nedit 2\nevery occurrence is replaced:\n-c"},
		{"MultiEdit", `{"file_path":"/w/x","edits":[{"old_string":"a"}]}`, "MultiEdit: /w/x\nedits: [{\"old_string\":\"a\"}]"},
		{"MultiEdit", `{"file_path":"/w/x","edits":[]}`, "MultiEdit: /w/x\nedits: []"},
		{"Edit", `{"file_path":"/w/x\n+y","old_string":"a","new_string":"b"}`, "Edit: /w/x\n  +y\nnew_string: \"b\"\nold_string: \"a\""},
		{"mcp__web__get", `{"depth":2,"at":["x"]}`, "mcp__web__get\nat: [\"x\"]\ndepth: 2"},
		{"mcp__web__get", `{"url":"x"}`, "mcp__web__get\nurl: \"x\""},
		{"Odd", `{"command":{"not":"words"}}`, "Odd\ncommand: {\"not\":\"words\"}"},
		{"Odd", `[1]`, "Odd: [1]"},
		{"None", `{}`, "None"},
		{"None", ``, "None:"},
	} {
		if got := Wish(tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.input, got, tt.want)
		}
	}
}

func TestEditWish(t *testing.T) {
	numbers := func(change string) string {
		var b strings.Builder
		for i := range 1000 {
			b.WriteString(strconv.Itoa(i) + "\n")
			if i == 500 {
				b.WriteString(change)
			}
		}
		return b.String()
	}
	small := NewFileDiff("/w/a", "a\nb\n", "a\nc\n")
	if got, want := EditWish("edit: Edit: /w/a", []FileDiff{small}), "edit: Edit: /w/a\n a\n-b\n+c\n "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := EveryOccurrence(EditWish("edit: Edit: /w/a", []FileDiff{small})), "edit: Edit: /w/a\nevery occurrence is replaced:\n a\n-b\n+c\n "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	given := GivenFileDiff("/w/b", "@@ -1 +1 @@\n-a\n+b\n")
	if got, want := EditWish("change two", []FileDiff{small, given}), "change two\nfile /w/a\n a\n-b\n+c\n \nfile /w/b\n@@ -1 +1 @@\n-a\n+b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// of a large file only what is changed is shown
	large := NewFileDiff("/w/c", numbers(""), numbers("new\n"))
	if want := "\n@@ -499,6 +499,7 @@\n 498\n 499\n 500\n+new\n 501\n 502\n 503\n[sha256 "; !strings.HasPrefix(large.Lines, want) {
		t.Errorf("%q, want %q", large.Lines, want)
	}
	if other := NewFileDiff("/w/c", "x\n"+numbers(""), "x\n"+numbers("new\n")); other.Lines == large.Lines {
		t.Error("two edits look alike")
	}
	huge := strings.Repeat("x", 1<<20)
	if one, two := NewFileDiff("", "", huge+"a"+huge), NewFileDiff("", "", huge+"b"+huge); len(one.Lines) > 3*maxDiff || one.Lines == two.Lines {
		t.Errorf("%d bytes", len(one.Lines))
	}
}

// asked returns the question about something.
func asked(t *testing.T, what string) mulligan.Question {
	t.Helper()
	args, err := json.Marshal(PermitArgs{What: what})
	if err != nil {
		t.Fatal(err)
	}
	q, err := DecodePermit(args)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestSame checks that the question shows a person the whole of what they allow for the rest of the session.
func TestSame(t *testing.T) {
	for _, tt := range []struct{ tool, input, want string }{
		{"Edit", `{}`, SameEdits},
		{"Write", `{}`, SameEdits},
		{"Bash", `{"command":" go test ","description":"x"}`, "this very command: go test"},
		{"Bash", `{}`, ""},
		{"WebFetch", `{"url":"x"}`, "every use of WebFetch"},
	} {
		if got := SameUse(tt.tool, json.RawMessage(tt.input)); got != tt.want {
			t.Errorf("%s %s: %q", tt.tool, tt.input, got)
		}
	}
	for same, want := range map[string]string{
		"": "", SameEdits: SameEdits, SameCommand("a\nb"): "", SameCommand("a\u202eb"): "", SameCommand(strings.Repeat("x", 300)): "",
	} {
		args, _ := json.Marshal(PermitArgs{What: "x", Same: same})
		q, err := DecodePermit(args)
		if offered := strings.Join(q.Options, " ") == "allow always deny"; err != nil || q.Scope != want || offered != (want != "") {
			t.Errorf("%q: %+v, %v", same, q, err)
		}
	}
	for answer, want := range map[string]bool{Allow: true, Always: true, Deny: false, "": false} {
		if got := (Answer{Answer: answer, By: mulligan.ByPerson}).Allows(); got != want {
			t.Errorf("%q allows: %v", answer, got)
		}
	}
	if (Answer{Answer: Always, By: mulligan.ByDefault}).Allows() {
		t.Error("nobody allowed it")
	}
}

func TestQuestionOfPermission(t *testing.T) {
	q := asked(t, "run go test")
	if q.Text != "May the agent do this? run go test" || q.Default != Deny || q.Asker != AskerPermit || strings.Join(q.Options, " ") != "allow deny" {
		t.Errorf("%+v", q)
	}
	for _, args := range []string{`{"what":" "}`, `{}`, `[]`, ``} {
		if _, err := DecodePermit(json.RawMessage(args)); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

// An answer holds for all questions of the same words: so no two things may have the same.
func TestQuestionsOfPermissionDiffer(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, pair := range map[string][2]string{
		"in the middle":       {"run " + long + "a" + long, "run " + long + "b" + long},
		"what is left out":    {"run " + long, "run " + long + "x"},
		"not to be seen":      {"run a\u200bb", "run a<U+200B>b"},
		"to be seen reversed": {"run a\u202eb", "run a\u202db"},
		"invalid":             {"run a\x80", "run a\ufffd"},
		"in a field":          {Wish("Write", json.RawMessage(`{"file_path":"a","content":"`+long+`a`+long+`"}`)), Wish("Write", json.RawMessage(`{"file_path":"a","content":"`+long+`b`+long+`"}`))},
	} {
		one, two := asked(t, pair[0]).Text, asked(t, pair[1]).Text
		if name == "invalid" { // JSON has no such text
			one = "May the agent do this? " + presentText(pair[0])
		}
		if one == two {
			t.Errorf("%s: both are %.200q", name, one)
		}
		for _, text := range []string{one, two} {
			if n := utf8.RuneCountInString(text); n > maxQuestion || !utf8.ValidString(text) || strings.ContainsAny(text, "\u200b\u202e\u202d") {
				t.Errorf("%s: %d characters, %.200q", name, n, text)
			}
		}
	}
	if text := asked(t, "run "+long+" to the end").Text; !strings.Contains(text, "characters left out") || !strings.Contains(text, "to the end") {
		t.Errorf("not both ends: %q", text)
	}
}

func TestAllows(t *testing.T) {
	for _, a := range []Answer{{}, {Answer: Allow}, {Answer: Allow, By: mulligan.ByDefault}, {Answer: Deny, By: mulligan.ByPerson}, {Answer: "yes", By: mulligan.ByPerson}} {
		if a.Allows() {
			t.Errorf("%+v allows", a)
		}
	}
	if !(Answer{Answer: Allow, By: mulligan.ByPerson}).Allows() {
		t.Error("a person cannot allow")
	}
}
