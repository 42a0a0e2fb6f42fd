package task

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/state"
)

func TestNotes(t *testing.T) {
	d := newDesk(t)
	if got := d.must(ToolNoteAdd, `{"text":" uses tabs "}`); got != `{"note":{"id":1,"type":"note","text":"uses tabs","iteration":3}}` {
		t.Error(got)
	}
	d.must(ToolNoteAdd, `{"text":"SQLite","type":"decision"}`)
	if got := d.must(ToolNoteAdd, `{"text":"SQLite","type":"decision"}`); !strings.Contains(got, `"id":2`) {
		t.Error("what was said before is a note of its own: " + got)
	}
	if got := d.must(ToolNoteList, `{"type":"decision"}`); strings.Count(got, "SQLite") != 1 || strings.Contains(got, "tabs") {
		t.Error(got)
	}
	if got := d.must(ToolNoteList, ``); strings.Count(got, `"id"`) != 2 {
		t.Error(got)
	}
	if got := d.must(ToolNoteList, `{"type":"blocker"}`); got != `{"notes":[]}` {
		t.Error(got)
	}
	d.refuses(ToolNoteAdd, `{}`, "text is empty")
	d.refuses(ToolNoteAdd, `{"text":"x","type":"idea"}`, `no type "idea"`, "assumption")
	d.refuses(ToolNoteAdd, `{"text":["x"]}`, "text is a")
	d.refuses(ToolNoteAdd, `{"text":`+quoted(strings.Repeat("x", MaxText+1))+`}`, "16384")
	d.refuses(ToolNoteList, `{"type":"idea"}`, `no type "idea"`)
	d.st.Board.Notes = make([]mulligan.Note, MaxNotes)
	d.refuses(ToolNoteAdd, `{"text":"x"}`, "5000 notes")
}

func TestSummary(t *testing.T) {
	d := newDesk(t)
	d.must(ToolSummary, `{"text":"did a"}`)
	d.must(ToolSummary, `{"text":"did a and b"}`)
	if got := d.st.Board.Summaries; len(got) != 1 || got[0] != (mulligan.IterationSummary{Iteration: 3, Text: "did a and b"}) {
		t.Errorf("%+v", got)
	}
	d.refuses(ToolSummary, `{"text":" "}`, "text is empty")
	d.st.Iteration = 0
	d.refuses(ToolSummary, `{"text":"x"}`, "no iteration")
}

func TestComplete(t *testing.T) {
	d := newDesk(t)
	d.must(ToolAddMany, `{"tasks":[{"content":"parser\nwith details"},{"content":"lexer"},{"content":"docs"}]}`)
	d.must(ToolUpdate, `{"id":2,"status":"completed"}`)
	d.must(ToolUpdate, `{"id":3,"status":"blocked"}`)
	d.refuses(ToolComplete, `{}`, "2 tasks are open", "1 (remaining) parser\n", "3 (blocked) docs", "cancel")
	d.must(ToolUpdate, `{"id":1,"status":"completed"}`)
	d.must(ToolUpdate, `{"id":3,"status":"cancelled"}`)
	reply, kinds, err := d.call(ToolComplete, `{"text":"all done"}`)
	if err != nil || strings.Join(kinds, " ") != "session.claimed" || !strings.Contains(reply, "end your turn now") {
		t.Errorf("%s, %v, %v", reply, kinds, err)
	}
	if d.st.Claim == nil || *d.st.Claim != (mulligan.Claimed{Turn: 7, Text: "all done"}) {
		t.Errorf("claim %+v", d.st.Claim)
	}
	if _, kinds, err := d.call(ToolComplete, `{"text":"all done"}`); err != nil || kinds != nil {
		t.Errorf("claimed twice: %v, %v", kinds, err)
	}
	if got := d.must(ToolAdd, `{"content":"one more"}`); !strings.Contains(got, "does not stand") {
		t.Errorf("added after the claim: %s", got)
	}
	d.refuses(ToolComplete, `{}`, "1 task is open")
	d.refuses(ToolComplete, `{"done":true}`, `"done"`)
}

// A claim that nothing would verify is not taken.
func TestCompleteOnlyWhereItIsChecked(t *testing.T) {
	tests := map[string]struct {
		change func(*state.State)
		want   string
	}{
		"pipeline":    {func(st *state.State) { st.Plan.Loop = nil }, "pipeline"},
		"no turn":     {func(st *state.State) { st.InFlight = nil }, "not in a turn"},
		"recovery":    {func(st *state.State) { st.InFlight.Purpose = mulligan.ForRecovery }, "recovery"},
		"delivery":    {func(st *state.State) { st.InFlight.Purpose = mulligan.ForDelivery }, "delivery"},
		"the ending":  {func(st *state.State) { st.Final = &state.Final{} }, "not in a turn"},
		"deliver now": {func(st *state.State) { st.InFlight.Purpose = mulligan.ForNow }, ""},
	}
	for name, test := range tests {
		d := newDesk(t)
		test.change(d.st)
		if test.want == "" {
			d.must(ToolComplete, `{}`)
			continue
		}
		t.Run(name, func(t *testing.T) {
			d.t = t
			d.refuses(ToolComplete, `{}`, test.want, "end your turn")
		})
	}
}

func TestManyOpenTasksAreNotAllListed(t *testing.T) {
	d := newDesk(t)
	for i := range 30 {
		d.must(ToolAdd, `{"content":"t`+joinIDs([]int{i})+`"}`)
	}
	d.refuses(ToolComplete, ``, "30 tasks are open", "and 10 more")
}

func TestStatus(t *testing.T) {
	d := newDesk(t)
	d.st.Plan.Limits = mulligan.Limits{Turns: 100, Duration: 8 * time.Hour}
	d.st.Worked = 90 * time.Second
	d.must(ToolAdd, `{"content":"a"}`)
	want := `{"session":"s","kind":"loop","step":"loop","iteration":3,"iterations":20,"turn":7,"turns":100,"worked":"1m30s","duration":"8h0m0s",` +
		`"tasks":{"all":1,"remaining":1,"in_progress":0,"completed":0,"blocked":0,"cancelled":0},"notes":0,"open_questions":0,"claimed":false}`
	if got := d.must(ToolStatus, ``); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.refuses(ToolStatus, `{"x":1}`, "no arguments")
}

func TestDecodeAsk(t *testing.T) {
	a, err := DecodeAsk(json.RawMessage(`{"question":" Which? ","options":["a"," b "],"default":"b"}`))
	if err != nil || a.Question != "Which?" || a.Options[1] != "b" || a.Default != "b" {
		t.Errorf("%+v, %v", a, err)
	}
	for args, want := range map[string]string{
		`{}`:                                   "question is empty",
		`{"question":4}`:                       "question is a number",
		`{"question":"q","x":1}`:               `"x"`,
		`{"question":"q","options":["a","a"]}`: "twice",
		`{"question":"q","options":["a",""]}`:  "an option is empty",
		`{"question":"q","options":["a"],"default":"b"}`:                                           "none of the options",
		`{"question":"q","options":"a"}`:                                                           "options is a string",
		`{"question":` + quoted(strings.Repeat("x", 4001)) + `}`:                                   "4000",
		`{"question":"q","options":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 21), ",") + `]}`: "21 options",
	} {
		_, err := DecodeAsk(json.RawMessage(args))
		var no *Refusal
		if !errors.As(err, &no) || !strings.Contains(no.Message, want) {
			t.Errorf("%.80s: %v, want %s", args, err, want)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	d := newDesk(t)
	d.refuses("task_delete", `{}`, `"task_delete"`, ToolUpdate)
	if _, _, err := d.call(ToolAsk, `{"question":"q"}`); err == nil {
		t.Error("ask was answered without a session")
	}
}

// What a tool takes, what its schema says and what its messages say come from one list.
func TestToolsAreDescribed(t *testing.T) {
	for _, tool := range Tools() {
		var schema struct {
			Type       string
			Properties map[string]map[string]any
			Required   []string
		}
		if err := json.Unmarshal(tool.Schema(), &schema); err != nil {
			t.Fatal(err)
		}
		if schema.Type != "object" || len(schema.Properties) != len(tool.Fields) || len(tool.Doc) < 60 {
			t.Errorf("%s: schema %s, doc %q", tool.Name, tool.Schema(), tool.Doc)
		}
		// Every field that is described is taken: a wrong one is refused for what it is, a
		// known one never as unknown.
		for _, f := range tool.Fields {
			if f.Doc == "" {
				t.Errorf("%s: %s is not described", tool.Name, f.Name)
			}
			args := json.RawMessage(`{"` + f.Name + `":{"no":"thing"}}`)
			var err error
			if tool.Name == ToolAsk {
				_, err = DecodeAsk(args)
			} else {
				_, _, err = Apply(newDesk(t).st, Request{Tool: tool.Name, Args: args})
			}
			if err == nil || strings.Contains(err.Error(), "does not take") || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("%s: %s: %v", tool.Name, f.Name, err)
			}
		}
	}
}
