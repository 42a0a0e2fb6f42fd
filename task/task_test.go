package task

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mulligan"
	"mulligan/state"
)

// A desk applies requests to a state as a session does.
type desk struct {
	t  *testing.T
	st *state.State
}

// newDesk is a loop in the middle of the first turn of its third iteration.
func newDesk(t *testing.T) *desk {
	return &desk{t, &state.State{
		ID: "s", Last: 1, Iteration: 3, Progress: state.Progress{Turn: 7, InFlight: &mulligan.TurnStarted{Turn: 7}},
		Plan:  &mulligan.Plan{Loop: &mulligan.Loop{Iterations: 20}, Steps: []mulligan.Step{{Name: "loop"}}},
		Steps: []mulligan.StepState{{Name: "loop"}},
	}}
}

// call makes a request and has the state take what it says. The reply is what a caller gets.
func (d *desk) call(tool, args string) (reply string, kinds []string, err error) {
	d.t.Helper()
	bodies, answer, err := Apply(d.st, Request{Tool: tool, Args: json.RawMessage(args)})
	if err != nil {
		if len(bodies) > 0 || answer != nil {
			d.t.Errorf("%s %s: refused, and says %v, %v", tool, args, bodies, answer)
		}
		return "", nil, err
	}
	for _, b := range bodies {
		e := mulligan.Event{Session: "s", Number: d.st.Last + 1, Body: b}
		if err := d.st.Apply(e); err != nil {
			d.t.Fatalf("%s %s: %v", tool, args, err)
		}
		kinds = append(kinds, b.Kind())
	}
	data, err := json.Marshal(answer)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data), kinds, nil
}

func (d *desk) must(tool, args string) string {
	d.t.Helper()
	reply, _, err := d.call(tool, args)
	if err != nil {
		d.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return reply
}

func (d *desk) refuses(tool, args string, wants ...string) {
	d.t.Helper()
	before := d.st.Last
	reply, _, err := d.call(tool, args)
	var no *Refusal
	if !errors.As(err, &no) {
		d.t.Errorf("%s %.80s: not refused: %s, %v", tool, args, reply, err)
		return
	}
	for _, want := range wants {
		if !strings.Contains(no.Message, want) {
			d.t.Errorf("%s %.80s: %q lacks %q", tool, args, no.Message, want)
		}
	}
	if d.st.Last != before {
		d.t.Errorf("%s: a refusal said something", tool)
	}
}

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestAdd(t *testing.T) {
	long := strings.Repeat("ä", MaxText)
	tests := []struct {
		args string
		want string // in the reply
	}{
		{`{"content":" write the parser\n"}`, `{"task":{"id":3,"content":"write the parser","status":"remaining","priority":2,"iteration":3},"open":3}`},
		{`{"content":"c","priority":0}`, `"priority":0`},
		{`{"content":"c","priority":4}`, `"priority":4`},
		{`{"content":"c","depends":[2,1,2]}`, `"depends":[1,2],"iteration":3,"waits_for":[1,2]`},
		{`{"content":"c","status":"in_progress"}`, `"status":"in_progress"`},
		{`{"content":"c","status":"blocked"}`, `"status":"blocked"`},
		{`{"content":"c","priority":null,"depends":null}`, `"priority":2`},
		{`{"content":` + quoted(long) + `}`, `"id":3`},
		{`{"content":"$(touch pwned); '\"{{error}}"}`, `$(touch pwned); '\"{{error}}`},
	}
	for _, test := range tests {
		d := newDesk(t)
		d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b"}]}`)
		reply, kinds, err := d.call(ToolAdd, test.args)
		if err != nil || !strings.Contains(reply, test.want) || strings.Join(kinds, " ") != "task.added" {
			t.Errorf("%.80s: %s, %v, %v; want %s", test.args, reply, kinds, err, test.want)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	tests := []struct {
		args  string
		wants []string
	}{
		{`{}`, []string{"content is empty"}},
		{``, []string{"content is empty"}},
		{`{"content":" \t\n"}`, []string{"content is empty"}},
		{`{"content":"a\u0000b"}`, []string{"NUL"}},
		{`{"content":` + quoted(strings.Repeat("x", MaxText+1)) + `}`, []string{"16385", "16384", "shorten"}},
		{`{"content":7}`, []string{"content is a number", "want a text"}},
		{`{"content":"c","priority":"high"}`, []string{"priority is a string", "0 to 4"}},
		{`{"content":"c","priority":1.5}`, []string{"priority"}},
		{`{"content":"c","priority":5}`, []string{"priority is 5", "0 (the highest)"}},
		{`{"content":"c","priority":-1}`, []string{"priority is -1"}},
		{`{"content":"c","depends":"1"}`, []string{"depends is a string", "[1, 2]"}},
		{`{"content":"c","depends":[9]}`, []string{"task 9", "1 to 2"}},
		{`{"content":"c","depends":[0]}`, []string{"task 0"}},
		{`{"content":"c","depends":[3]}`, []string{"task 3", "1 to 2"}},
		{`{"content":"c","status":"completed"}`, []string{"cannot be added as completed", "task_update"}},
		{`{"content":"c","status":"cancelled"}`, []string{"cannot be added as cancelled"}},
		{`{"content":"c","status":"done"}`, []string{`no status "done"`, "in_progress"}},
		{`{"content":"c","prio":1}`, []string{`"prio"`, "priority"}},
		{`{"content":"c","after":[1]}`, []string{`"after"`}},
		{`["c"]`, []string{"a JSON object", "content (required)"}},
		{`{"content":"c"`, []string{"not JSON"}},
		{`{"content":"c"}{"content":"d"}`, []string{"one JSON object"}},
		{`{"content":"  WRITE\n the   Tests "}`, []string{"task 2", "same content"}},
	}
	for _, test := range tests {
		d := newDesk(t)
		d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"write the tests"}]}`)
		d.refuses(ToolAdd, test.args, test.wants...)
	}
}

func TestAddMany(t *testing.T) {
	d := newDesk(t)
	d.must(ToolAdd, `{"content":"first"}`)
	reply := d.must(ToolAddMany, `{"tasks":[{"content":"a","priority":0},{"content":"b","after":[1],"depends":[1]},{"content":"c","after":[1,2]}]}`)
	want := `{"tasks":[` +
		`{"id":2,"content":"a","status":"remaining","priority":0,"iteration":3},` +
		`{"id":3,"content":"b","status":"remaining","priority":2,"depends":[1,2],"iteration":3,"waits_for":[1,2]},` +
		`{"id":4,"content":"c","status":"remaining","priority":2,"depends":[2,3],"iteration":3,"waits_for":[2,3]}],"open":4}`
	if reply != want {
		t.Errorf("got  %s\nwant %s", reply, want)
	}
	many := func(n int) string {
		return `{"tasks":[` + strings.TrimSuffix(strings.Repeat(`{"content":"x"},`, n), ",") + `]}`
	}
	for args, wants := range map[string][]string{
		`{"tasks":[]}`: {"empty"},
		`{"tasks":[{"content":"x"},{"content":"y","priority":9}]}`:            {"number 2", "nothing was added", "priority is 9"},
		`{"tasks":[{"content":"x"},{"content":" X "}]}`:                       {"number 1 of the list has the same content", "number 2"},
		`{"tasks":[{"content":"x","after":[3]},{"content":"y"}]}`:             {"position 3", "1 to 2"},
		`{"tasks":[{"content":"x","after":[1]},{"content":"y"}]}`:             {"own position"},
		`{"tasks":[{"content":"x","depends":[6]},{"content":"y"}]}`:           {"task 6", "after"},
		`{"tasks":[{"content":"x","after":[2]},{"content":"y","after":[1]}]}`: {"circle", "number 1 -> number 2 -> number 1 of the list"},
		`{"tasks":[{"content":"x","colour":"red"}]}`:                          {"colour"},
		`{"tasks":[{"content":"x","priority":"1"}]}`:                          {"priority is a string", "0 to 4"},
		`{"tasks":["x"]}`:     {"tasks"},
		many(maxTogether + 1): {"201", "200"},
	} {
		d.refuses(ToolAddMany, args, wants...)
	}
	if len(d.st.Board.Tasks) != 4 {
		t.Errorf("%d tasks: a refused list has left some", len(d.st.Board.Tasks))
	}
}

func TestAtMost5000Tasks(t *testing.T) {
	d := newDesk(t)
	for i := range MaxTasks - 1 {
		d.st.Board.Tasks = append(d.st.Board.Tasks, mulligan.TaskItem{ID: i + 1, Status: mulligan.Completed, Content: "t" + joinIDs([]int{i})})
	}
	d.refuses(ToolAddMany, `{"tasks":[{"content":"x"},{"content":"y"}]}`, "4999", "5000")
	d.must(ToolAdd, `{"content":"x"}`)
	d.refuses(ToolAdd, `{"content":"y"}`, "5000")
}

func TestUpdate(t *testing.T) {
	tests := []struct {
		name, args, want, kinds string
	}{
		{"start", `{"id":1,"status":"in_progress"}`, `"status":"in_progress"`, "task.changed"},
		{"complete", `{"id":1,"status":"completed"}`, `"status":"completed"`, "task.completed"},
		{"complete twice", `{"id":3,"status":"completed"}`, `task 3 is completed already`, ""},
		{"change a completed one", `{"id":3,"priority":1}`, `"status":"completed","priority":1`, "task.changed"},
		{"open it again", `{"id":3,"status":"remaining"}`, `"status":"remaining"`, "task.changed"},
		{"block", `{"id":1,"status":"blocked","reason":"no key"}`, `"reason":"no key"`, "task.changed"},
		{"cancel", `{"id":1,"status":"cancelled","reason":"not needed"}`, `"status":"cancelled"`, "task.changed"},
		{"the reason goes with the status", `{"id":4,"status":"in_progress"}`, `"priority":2,"iteration":3},"open"`, "task.changed"},
		{"the reason stays", `{"id":4,"priority":0}`, `"priority":0,"iteration":3,"reason":"why"`, "task.changed"},
		{"priority 0", `{"id":1,"priority":0}`, `"priority":0`, "task.changed"},
		{"depends", `{"id":1,"depends":[4]}`, `"depends":[4]`, "task.changed"},
		{"depends on none", `{"id":2,"depends":[]}`, `"priority":2,"iteration":3},"open"`, "task.changed"},
		{"content", `{"id":1,"content":" new "}`, `"content":"new"`, "task.changed"},
		{"its own content in other letters", `{"id":1,"content":"A"}`, `"content":"A"`, "task.changed"},
		{"nothing changed", `{"id":1,"priority":2}`, `nothing changed`, ""},
		{"complete with its dependency taken out", `{"id":2,"status":"completed","depends":[]}`, `"status":"completed"`, "task.completed"},
	}
	for _, test := range tests {
		d := newDesk(t)
		d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b","after":[1]},{"content":"c"},{"content":"d"}]}`)
		d.must(ToolUpdate, `{"id":3,"status":"completed"}`)
		d.must(ToolUpdate, `{"id":4,"status":"blocked","reason":"why"}`)
		reply, kinds, err := d.call(ToolUpdate, test.args)
		if err != nil || !strings.Contains(reply, test.want) || strings.Join(kinds, " ") != test.kinds {
			t.Errorf("%s: %s, %v, %v", test.name, reply, kinds, err)
		}
	}
}

func TestUpdateRefuses(t *testing.T) {
	d := newDesk(t)
	d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b","after":[1]},{"content":"c","after":[2]},{"content":"d"},{"content":"e"}]}`)
	d.must(ToolUpdate, `{"id":4,"status":"cancelled"}`)
	d.must(ToolAdd, `{"content":"D"}`) // the cancelled one is not in the way
	for args, wants := range map[string][]string{
		`{"status":"completed"}`:          {"id is missing"},
		`{"id":7,"status":"completed"}`:   {"no task 7", "1 to 6"},
		`{"id":0,"status":"completed"}`:   {"no task 0"},
		`{"id":"1","status":"completed"}`: {"id is a string", "a whole number"},
		`{"id":1}`:                        {"nothing to change"},
		`{"id":1,"status":"finished"}`:    {`no status "finished"`},
		`{"id":1,"status":""}`:            {`no status ""`},
		`{"id":1,"priority":7}`:           {"priority is 7"},
		`{"id":1,"depends":[1]}`:          {"cannot depend on itself"},
		`{"id":1,"depends":[3]}`:          {"circle", "1 -> 3 -> 2 -> 1"},
		`{"id":1,"depends":[5,8]}`:        {"task 8"},
		`{"id":3,"status":"completed"}`:   {"task 3 depends on", "not done: 2"},
		`{"id":5,"content":"A "}`:         {"task 1", "same content"},
		`{"id":4,"status":"remaining"}`:   {"task 6", "same content"},
		`{"id":5,"content":""}`:           {"content is empty"},
		`{"id":5,"reason":"\u0000"}`:      {"NUL"},
		`{"id":5,"state":"completed"}`:    {`"state"`, "status"},
	} {
		d.refuses(ToolUpdate, args, wants...)
	}
}

func TestCancelledDependencyBlocksNothing(t *testing.T) {
	d := newDesk(t)
	d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b","after":[1]}]}`)
	d.must(ToolUpdate, `{"id":1,"status":"cancelled"}`)
	d.must(ToolUpdate, `{"id":2,"status":"completed"}`)
}

func TestNext(t *testing.T) {
	d := newDesk(t)
	is := func(want string) {
		t.Helper()
		if got := d.must(ToolNext, `{}`); !strings.Contains(got, want) {
			t.Errorf("next: %s, want %s", got, want)
		}
	}
	is(`{"task":null,"open":0,"hint":"there is no task yet`)
	d.must(ToolAddMany, `{"tasks":[{"content":"low","priority":4},{"content":"waits","priority":0,"after":[4]},{"content":"mid"},{"content":"mid too"}]}`)
	is(`"id":3`) // the highest priority that waits for nothing, the oldest first
	d.must(ToolUpdate, `{"id":1,"status":"in_progress"}`)
	is(`"id":1`)
	d.must(ToolUpdate, `{"id":1,"status":"completed"}`)
	d.must(ToolUpdate, `{"id":4,"status":"completed"}`)
	is(`"id":2`) // unblocked, and 0 is the highest
	d.must(ToolUpdate, `{"id":2,"status":"blocked"}`)
	d.must(ToolUpdate, `{"id":3,"status":"blocked"}`)
	is(`"hint":"2 tasks are open`)
	d.must(ToolUpdate, `{"id":2,"status":"cancelled"}`)
	d.must(ToolUpdate, `{"id":3,"status":"cancelled"}`)
	is(`call session_complete`)
	d.refuses(ToolNext, `{"status":"remaining"}`, "it takes no arguments")
}

func TestList(t *testing.T) {
	d := newDesk(t)
	if got := d.must(ToolList, ``); !strings.HasPrefix(got, `{"tasks":[],"counts":{"all":0,`) {
		t.Errorf("no tasks: %s", got)
	}
	for i := range 12 {
		d.must(ToolAdd, `{"content":"task `+joinIDs([]int{i})+`"}`)
	}
	d.must(ToolUpdate, `{"id":2,"status":"completed"}`)
	d.must(ToolUpdate, `{"id":10,"status":"in_progress"}`)
	d.must(ToolUpdate, `{"id":11,"status":"blocked"}`)
	for args, want := range map[string]string{
		`{}`:                                   "1 2 3 4 5 6 7 8 9 10 11 12",
		`{"status":"completed"}`:               "2",
		`{"status":["in_progress","blocked"]}`: "10 11",
		`{"status":"cancelled"}`:               "",
		`{"status":[]}`:                        "1 2 3 4 5 6 7 8 9 10 11 12",
		`{"limit":2}`:                          "1 2",
		`{"status":"remaining","limit":3}`:     "1 3 4",
	} {
		var got List
		if err := json.Unmarshal([]byte(d.must(ToolList, args)), &got); err != nil {
			t.Fatal(err)
		}
		var list []int
		for _, task := range got.Tasks {
			list = append(list, task.ID)
		}
		if have := strings.ReplaceAll(joinIDs(list), ",", ""); have != want {
			t.Errorf("%s: %s, want %s", args, have, want)
		}
		if got.Counts != (mulligan.TasksByStatus{All: 12, Remaining: 9, Completed: 1, InProgress: 1, Blocked: 1}) {
			t.Errorf("%s: counts %+v", args, got.Counts)
		}
	}
	if got := d.must(ToolList, `{"limit":2}`); !strings.Contains(got, `"left_out":10`) {
		t.Errorf("limit: %s", got)
	}
	d.refuses(ToolList, `{"status":"open"}`, `no status "open"`)
	d.refuses(ToolList, `{"status":3}`, "status")
	d.refuses(ToolList, `{"limit":0}`, "limit is 0")
	d.refuses(ToolList, `{"limit":1001}`, "limit is 1001")
}
