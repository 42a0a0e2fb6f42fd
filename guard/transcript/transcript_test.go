package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode"
	"unicode/utf8"
)

func normalize(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

func read(t testing.TB, transcript, item string, limit int) Excerpt {
	t.Helper()
	e, err := Read(strings.NewReader(transcript), item, limit, normalize)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func quote(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func say(s string) string {
	return `{"type":"assistant","timestamp":"2026-11-16T10:00:00.5Z","message":{"content":[{"type":"text","text":` + quote(s) + `}]}}` + "\n"
}

func call(id, tool, input string) string {
	return fmt.Sprintf(`{"type":"assistant","timestamp":"2026-11-16T10:00:00.5Z","message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`+"\n", id, tool, input)
}

func result(id, content string, isError bool, own string) string {
	return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%s,"is_error":%v}]},"toolUseResult":%s}`+"\n", id, quote(content), isError, own)
}

func todo(id, content, status string) string {
	return call(id, toolTodoWrite, fmt.Sprintf(`{"todos":[{"content":"other","status":"pending"},{"content":%q,"status":%q}]}`, content, status))
}

// The transcripts that the real program has written.
func TestRealTranscripts(t *testing.T) {
	for _, test := range []struct {
		file, item  string
		opened      bool
		has, hasNot []string
	}{
		{"claude-todo", "write  the PARSER", true, []string{"agent calls TodoWrite:\n", "[in_progress] Write the parser", "result, an ERROR:\n  PreToolUse:TodoWrite hook error", "command: echo made > parser.go"}, []string{"do the work"}},
		{"claude-todo", "nothing of the kind", false, []string{"user:\n  do the work\n", "does not show where"}, []string{"from where"}},
		{"claude-tasks", "Write the parser", true, []string{"subject: Write the parser", "result, an ERROR:\n  PreToolUse:TaskUpdate hook error", "command: echo made", "  from-the-tool"}, []string{"do the work"}},
		{"claude-tasks", "task 77", false, []string{"user:\n  do the work\n"}, nil},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", test.file+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		e := read(t, string(data), test.item, 0)
		if e.Opened != test.opened || e.Unreadable != 0 || e.LeftOut != 0 || e.Opened == e.Since.IsZero() {
			t.Errorf("%s, %s: %+v", test.file, test.item, e)
		}
		for _, part := range test.has {
			if !strings.Contains(e.Text, part) {
				t.Errorf("%s, %s: no %q in\n%s", test.file, test.item, part, e.Text)
			}
		}
		for _, part := range test.hasNot {
			if strings.Contains(e.Text, part) {
				t.Errorf("%s, %s: %q in\n%s", test.file, test.item, part, e.Text)
			}
		}
	}
}

// Where an excerpt begins. Each transcript says "mark N" after each of its calls: from is the first
// that the excerpt has.
func TestOpenings(t *testing.T) {
	const refused = "hook error: show it"
	done := func(id string) string { return result(id, "ok", false, `{}`) }
	tests := []struct {
		name  string
		lines []string
		from  int // -1: the transcript shows no opening
	}{
		{"never listed", []string{say("a"), todo("1", "another", "pending")}, -1},
		{"listed", []string{say("a"), todo("1", "the Item", "pending"), say("b")}, 1},
		{"listed again", []string{todo("1", "the item", "pending"), todo("2", " THE\titem ", "in_progress")}, 0},
		{"claimed", []string{todo("1", "the item", "pending"), todo("2", "the item", "completed"), done("2")}, 0},
		{"reopened", []string{todo("1", "the item", "pending"), todo("2", "the item", "completed"), done("2"), todo("3", "the item", "in_progress")}, 3},
		{"reopened twice", []string{todo("1", "the item", "pending"), todo("2", "the item", "completed"), todo("3", "the item", "pending"), todo("4", "the item", "completed"), todo("5", "the item", "pending")}, 4},
		{"a refused claim is none", []string{todo("1", "the item", "pending"), todo("2", "the item", "completed"), result("2", refused, true, `"Error"`), todo("3", "the item", "in_progress")}, 0},
		{"two refused", []string{todo("1", "the item", "pending"), todo("2", "the item", "completed"), result("2", refused, true, `"E"`), todo("3", "the item", "completed"), result("3", refused, true, `"E"`), todo("4", "the item", "pending")}, 0},
		{"claimed without having been listed", []string{say("a"), todo("1", "the item", "completed"), result("1", refused, true, `""`), todo("2", "the item", "pending")}, -1},
		{"gone from the list, and back", []string{todo("1", "the item", "pending"), todo("2", "another", "pending"), todo("3", "the item", "pending")}, 0},

		{"TaskCreate", []string{say("a"), call("1", toolTaskCreate, `{"subject":"The item"}`), result("1", "Task #1", false, `{"task":{"id":"1"}}`)}, 1},
		{"TaskUpdate reopens", []string{
			call("1", toolTaskCreate, `{"subject":"The item"}`), result("1", "Task #1", false, `{"task":{"id":"1"}}`),
			call("2", toolTaskUpdate, `{"taskId":"1","status":"completed"}`), result("2", "ok", false, `{"success":true}`),
			call("3", toolTaskUpdate, `{"taskId":"2","status":"in_progress"}`),
			call("4", toolTaskUpdate, `{"taskId":1,"status":"in_progress"}`),
		}, 5},
		{"TaskCompleted refused", []string{
			call("1", toolTaskCreate, `{"subject":"The item"}`), result("1", "Task #1", false, `{"task":{"id":"1"}}`),
			call("2", toolTaskUpdate, `{"taskId":"1","status":"completed"}`), result("2", "TaskCompleted hook feedback", false, `{"success":false}`),
			call("3", toolTaskUpdate, `{"taskId":"1","status":"in_progress"}`),
		}, 0},
		{"renamed to it", []string{call("1", toolTaskCreate, `{"subject":"Another"}`), call("2", toolTaskUpdate, `{"taskId":"1","subject":"the item"}`)}, -1},

		{"task_add", []string{say("a"), call("1", "mcp__mulligan__task_add", `{"content":"the item"}`)}, 1},
		{"task_add_many", []string{say("a"), call("1", "mcp__mulligan__task_add_many", `{"tasks":[{"content":"x"},{"content":"the item"}]}`)}, 1},
		{"task_update takes it up", []string{
			call("1", "mcp__mulligan__task_add_many", `{"tasks":[{"content":"x"},{"content":"the item"}]}`),
			result("1", `{"tasks":[{"id":1,"content":"x"},{"id":2,"content":"the item"}]}`, false, `null`),
			call("2", "mcp__mulligan__task_update", `{"id":1,"status":"in_progress"}`),
			call("3", "mcp__mulligan__task_update", `{"id":2,"status":"in_progress"}`),
			call("4", "mcp__mulligan__task_update", `{"id":2,"status":"completed"}`), result("4", "refused", true, `null`),
			call("5", "mcp__mulligan__task_update", `{"id":2,"status":"in_progress"}`),
		}, 3},
		{"task_update of a task from before", []string{
			say("a"), call("1", "mcp__mulligan__task_update", `{"id":7,"status":"in_progress"}`), result("1", `{"task":{"id":7,"content":"the item"}}`, false, `null`),
		}, 2},
		{"a copy in another line", []string{strings.Replace(todo("1", "the item", "pending"), `"type":"assistant"`, `"type":"api-request-blob"`, 1)}, -1},
	}
	for _, test := range tests {
		var all strings.Builder
		for i, l := range test.lines {
			all.WriteString(l + say(fmt.Sprintf("mark %d.", i)))
		}
		e := read(t, all.String(), "The  ITEM", 0)
		if e.Opened != (test.from >= 0) {
			t.Errorf("%s: opened %v", test.name, e.Opened)
		}
		for i := range test.lines {
			if got, want := strings.Contains(e.Text, fmt.Sprintf("mark %d.", i)), i >= test.from; got != want {
				t.Errorf("%s: mark %d shown: %v\n%s", test.name, i, got, e.Text)
			}
		}
	}
}

func TestRendering(t *testing.T) {
	tests := []struct{ line, want string }{
		{`{"type":"user","message":{"role":"user","content":"do it\nnow"}}`, "user:\n  do it\n  now\n"},
		{say("I am done.\nresult:\n  ok"), "agent:\n  I am done.\n  result:\n    ok\n"},
		{say("a\u2028user:\rb\vc"), "agent:\n  a\n  user:\n  b\n  c\n"},
		{say("\x1b[31mred\x1b[0m\x00\x07 \u202eback"), "agent:\n  red back\n"},
		{strings.Replace(say("x"), `"type":"assistant"`, `"type":"assistant","isSidechain":true`, 1), "subagent:\n  x\n"},
		{`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"}]}}`, "agent:\n  so\n"},
		{call("1", "Bash", `{"description":"test","command":"go test ./...","timeout":5}`), "agent calls Bash:\n  command: go test ./...\n  description: test\n  timeout: 5\n"},
		{call("1", "Write", `{"file_path":"a.go","content":"package a"}`), "agent calls Write:\n  file_path: a.go\n  content: (9 characters)\n"},
		{call("1", "Edit", `{"file_path":"a.go","old_string":"a","new_string":"bc"}`), "agent calls Edit:\n  file_path: a.go\n  new_string: (2 characters)\n  old_string: (1 character)\n"},
		{call("1", "task_add", `{"content":"fix it"}`), "agent calls task_add:\n  content: fix it\n"},
		{call("1", "x\nresult:", `{}`), "agent calls x result::\n  (no input)\n"},
		{call("1", "X", `[1,2]`), "agent calls X:\n  [1,2]\n"},
		{result("1", "FAIL", true, `""`), "result, an ERROR:\n  FAIL\n"},
		{result("1", "", false, `""`), "result:\n  (nothing)\n"},
		{`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"a"},{"type":"image","source":{}}]}]}}`, "result:\n  a\n  (image)\n"},
		{`{"type":"user","message":{"content":[{"type":"tool_result","content":{"odd":1}}]}}`, "result:\n  {\"odd\":1}\n"},
		{`{"type":"user","message":{"content":[{"type":"image","source":{}}]}}`, "user:\n  (image)\n"},
		{`{"type":"system","content":"compacted"}`, "the agent's program:\n  compacted\n"},
		{`{"type":"summary","summary":"a parser"}`, "summary of what came before:\n  a parser\n"},
		{`{"type":"assistant","message":"odd"}`, ""},
		{`{"type":7,"message":{"content":[{"type":"text","text":"x"}]}}`, ""},
		{`{"type":"assistant","isSidechain":"odd","message":{"content":[{"type":"text","text":"x","is_error":3}]}}`, "agent:\n  x\n"},
		{`{"type":"attachment","message":{"content":"no"}}`, ""},
	}
	for _, test := range tests {
		e := read(t, test.line, "x", 0)
		_, got, _ := strings.Cut(e.Text, "\n")
		if got != test.want || e.Unreadable != 0 {
			t.Errorf("%s: %q, want %q (%d unreadable)", test.line, got, test.want, e.Unreadable)
		}
	}
}

func TestUnreadableLinesAreCounted(t *testing.T) {
	deep := `{"type":"user","message":{"content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}}\n"
	tests := []struct {
		name, text string
		unreadable int
	}{
		{"empty", "", 0},
		{"blank lines", "\n\r\n  \n", 0},
		{"prose", "hello\n", 1},
		{"another value", "[1]\n7\n", 2},
		{"broken inside", `{"type":"user","message":}` + "\n", 1},
		{"broken call", `{"type":"user","message":{"name":"TodoWrite"` + "}\n", 1},
		{"truncated", say("x")[:40], 1},
		{"deep", deep, 1},
		{"not UTF-8", "{\"type\":\"user\",\"message\":{\"content\":\"a\xff\xfeb\"}}\n", 0},
		{"zero bytes", strings.Repeat("\x00", 5000) + "\n", 1},
		{"zero bytes around", strings.Repeat("\x00", 50) + say("y"), 0},
		{"byte order mark", "\uFEFF" + say("y"), 0},
		{"binary", "\x7fELF\x00\x01\n\x02{}\n", 2},
	}
	for _, test := range tests {
		for _, crlf := range []bool{false, true} {
			text := test.text
			if crlf {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			e := read(t, say("before")+text+"\n"+say("after"), "x", 0)
			if e.Unreadable != test.unreadable || !strings.Contains(e.Text, "before") || !strings.Contains(e.Text, "after") || !utf8.ValidString(e.Text) {
				t.Errorf("%s: %+v", test.name, e)
			}
			if said := strings.Contains(e.Text, "could not be read]"); said != (test.unreadable > 0) {
				t.Errorf("%s: %s", test.name, e.Text)
			}
		}
	}
	if e := read(t, "x\ny\nz\n", "x", 0); !strings.Contains(e.Text, "[3 lines of the transcript could not be read]\n") {
		t.Error(e.Text)
	}
}

func TestMiddleIsCut(t *testing.T) {
	var all strings.Builder
	all.WriteString(say("long before") + todo("1", "item", "pending"))
	for i := range 1000 {
		all.WriteString(say(fmt.Sprintf("message %d: ü%s", i, strings.Repeat("x", 90))))
	}
	for _, limit := range []int{0, 1, 10, 500, 1000, 5000, 30_000, 1 << 20} {
		e := read(t, all.String(), "item", limit)
		most := limit
		if most == 0 {
			most = DefaultLimit
		}
		if n := utf8.RuneCountInString(e.Text); n > most {
			t.Errorf("limit %d: %d characters", limit, n)
		}
		if most < 5000 {
			continue
		}
		shown := strings.Count(e.Text, "agent:\n")
		if !strings.Contains(e.Text, "agent calls TodoWrite") || !strings.Contains(e.Text, "message 0:") || !strings.Contains(e.Text, "message 999:") || shown+e.LeftOut != 1000 {
			t.Errorf("limit %d: %d shown, %d left out", limit, shown, e.LeftOut)
		}
		if note := fmt.Sprintf("[… %d lines of the transcript left out here …]\n", e.LeftOut); strings.Contains(e.Text, note) != (e.LeftOut > 0) {
			t.Errorf("limit %d: %q is not said", limit, note)
		}
		if n := utf8.RuneCountInString(e.Text); e.LeftOut > 0 && n < most*8/10 {
			t.Errorf("limit %d: only %d characters", limit, n)
		}
	}
	// Without an opening it is the end alone.
	if e := read(t, all.String(), "another", 5000); strings.Contains(e.Text, "message 0:") || !strings.Contains(e.Text, "message 999:") {
		t.Error(e.Text)
	}
	// One message that is too large by itself.
	if e := read(t, say("begin "+strings.Repeat("y", 4000)+" end"), "x", 1000); !strings.HasSuffix(e.Text, "y end\n") || strings.Contains(e.Text, "begin") {
		t.Error(e.Text)
	}
}

func TestLongPartsAreShortened(t *testing.T) {
	long := "BEGIN" + strings.Repeat("x", 100_000) + "END"
	for _, l := range []string{say(long), result("1", long, false, "{}"), call("1", "Bash", `{"command":"`+long+`"}`)} {
		e := read(t, l, "x", 0)
		if n := len(e.Text); n > 5000 || !strings.Contains(e.Text, "BEGIN") || !strings.Contains(e.Text, "END") || !strings.Contains(e.Text, "characters left out here") {
			t.Errorf("%d: %.300s", n, e.Text)
		}
	}
	command := strings.Repeat("c", 3900) + "!"
	if e := read(t, call("1", "Bash", `{"command":"`+command+`"}`), "x", 0); !strings.Contains(e.Text, command) {
		t.Error("a command is cut")
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("broken disk")
	e, err := Read(io.MultiReader(strings.NewReader(say("before")), iotest.ErrReader(broken)), "x", 0, normalize)
	if !errors.Is(err, broken) || !strings.Contains(e.Text, "before") {
		t.Errorf("%v, %+v", err, e)
	}
}

// repeated is a reader of n bytes of the same text.
type repeated struct {
	text string
	n    int64
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	n = int(min(int64(n), r.n))
	r.n -= int64(n)
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 600 MB")
	}
	const size = 200 << 20
	filler := strings.Repeat("x", 64<<10)
	long := say("a long line")
	tests := []struct {
		name       string
		r          io.Reader
		unreadable int
	}{
		{"one string", io.MultiReader(strings.NewReader(`{"type":"user","message":{"content":"`), &repeated{text: filler, n: size}, strings.NewReader(`"}}`+"\n"+say("after"))), 0},
		{"no JSON", io.MultiReader(&repeated{text: strings.Repeat(`{[,`, 20_000), n: size}, strings.NewReader("\n"+say("after"))), 1},
		{"many lines", io.MultiReader(&repeated{text: todo("1", "item", "pending") + say(filler), n: size}, strings.NewReader("\n"+say("after"))), 1},
		{"short lines", io.MultiReader(&repeated{text: long, n: int64(len(long)) * 10_000}, strings.NewReader(say("after"))), 0},
	}
	for _, test := range tests {
		var most uint64
		before := heapInUse()
		var passed, looked int
		watched := readerFunc(func(p []byte) (int, error) {
			n, err := test.r.Read(p)
			if passed += n; passed-looked > 20<<20 {
				most, looked = max(most, heapInUse()), passed
			}
			return n, err
		})
		e, err := Read(watched, "item", 0, normalize)
		if err != nil || !strings.Contains(e.Text, "after") || e.Unreadable != test.unreadable {
			t.Errorf("%s: %v, %d unreadable, %.200s", test.name, err, e.Unreadable, e.Text)
		}
		if most > before+40<<20 {
			t.Errorf("%s: %d MB in use", test.name, (most-before)>>20)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestPlainTail(t *testing.T) {
	tail := func(s string, limit int) string {
		t.Helper()
		got, err := PlainTail(strings.NewReader(s), int64(len(s)), limit)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for text, want := range map[string]string{
		"": "", "a\nb\n": "  a\n  b\n", "a\r\n\nb": "  a\n  \n  b\n", "\x1b[1mx\x1b[0m\x00\xff": "  x\uFFFD\n", "10%\r20%\n": "  10%\n  20%\n",
	} {
		if got := tail(text, 0); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var all strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&all, "line %d äöü\n", i)
	}
	for _, limit := range []int{1, 50, 1000, 20_000} {
		got := tail(all.String(), limit)
		if n := utf8.RuneCountInString(got); n > limit || !utf8.ValidString(got) {
			t.Errorf("limit %d: %d characters", limit, n)
		}
		if limit >= 1000 && (!strings.HasPrefix(got, "[… the first ") || !strings.HasSuffix(got, "\n  line 4999 äöü\n") || !strings.Contains(got, " …]\n  line ")) {
			t.Errorf("limit %d: %.100s", limit, got)
		}
	}
	if got := tail(strings.Repeat("x", 100_000)+"end", 1000); !strings.HasPrefix(got, "[… the first 99") || !strings.HasSuffix(got, "xend\n") {
		t.Error(got)
	}
	// A log that has become shorter since.
	if got, err := PlainTail(strings.NewReader("short\n"), 100, 1000); err != nil || got != "  short\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Whatever a transcript holds: the excerpt is bounded, valid text, and each of its lines that is not
// indented is one of the reader's own.
func FuzzRead(f *testing.F) {
	f.Add([]byte(todo("1", "item", "pending")+say("x\ny")+result("1", "r", true, "{}")), 500)
	f.Add([]byte(call("1", "mcp__mulligan__task_update", `{"id":1,"status":"in_progress"}`)+result("1", `{"task":{"id":1,"content":"item"}}`, false, "null")), 100)
	f.Add([]byte(`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"text":"\u2028x"}]}]}}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = max(min(limit, 100_000), 1)
		e, err := Read(strings.NewReader(string(data)), "item", limit, normalize)
		if err != nil || !utf8.ValidString(e.Text) || utf8.RuneCountInString(e.Text) > limit {
			t.Fatalf("%v: %q", err, e.Text)
		}
		for line := range strings.Lines(e.Text) {
			own := strings.HasPrefix(line, "[") || strings.HasPrefix(line, " ") || strings.HasSuffix(line, ":\n") || strings.HasSuffix(line, "…")
			if !own || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) {
				t.Fatalf("line %q in %q", line, e.Text)
			}
		}
		tail, err := PlainTail(strings.NewReader(string(data)), int64(len(data)), limit)
		if err != nil || !utf8.ValidString(tail) || utf8.RuneCountInString(tail) > limit {
			t.Fatalf("%v: %q", err, tail)
		}
	})
}

func BenchmarkRead100MB(b *testing.B) {
	lines := todo("1", "item", "in_progress") + say(strings.Repeat("some words. ", 50)) +
		call("2", "Bash", `{"command":"go test ./..."}`) + result("2", strings.Repeat("ok  pkg 0.1s\n", 400), false, `{"stdout":"`+strings.Repeat("ok  pkg 0.1s ", 400)+`"}`)
	const size = 100 << 20
	b.SetBytes(size)
	for b.Loop() {
		if _, err := Read(&repeated{text: lines, n: size / int64(len(lines)) * int64(len(lines))}, "item", 0, normalize); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(time.Second)/float64(b.N), "s/file")
}
