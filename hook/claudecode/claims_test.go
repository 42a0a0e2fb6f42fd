package claudecode

import (
	"reflect"
	"strings"
	"testing"

	"mulligan/guard"
)

// G1: what the agents' programs send, as it was recorded.
func TestDecodeClaims(t *testing.T) {
	const common = `"session_id":"s-1","transcript_path":"/t.jsonl","cwd":"/repo","hook_event_name":`
	for _, tt := range []struct {
		name, input string
		want        guard.Call
	}{
		{
			"TodoWrite", common + `"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"A","status":"completed","activeForm":"a"},{"content":"B","status":"in_progress"}]},"tool_use_id":"toolu_1"`,
			guard.Call{ID: "toolu_1", Tool: "TodoWrite", Whole: true, Items: []guard.Item{{Content: "A", Completed: true}, {Content: "B", Open: true}}},
		},
		{
			"a list as a text", common + `"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":"[{\"content\":\"A\",\"status\":\"completed\"}]"}`,
			guard.Call{Tool: "TodoWrite", Whole: true, Items: []guard.Item{{Content: "A", Completed: true}}},
		},
		{
			"keys of another case", common + `"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"A","status":"completed","Status":"pending"}],"Todos":[]}`,
			guard.Call{Tool: "TodoWrite", Whole: true, Items: []guard.Item{{Content: "A", Completed: true}}},
		},
		{
			"TaskUpdate", common + `"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"completed"},"tool_use_id":"toolu_2"`,
			guard.Call{ID: "toolu_2", Tool: "TaskUpdate", Items: []guard.Item{{ID: "1", Completed: true}}},
		},
		{
			"a new subject", common + `"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":1,"subject":"C"}`,
			guard.Call{Tool: "TaskUpdate", Items: []guard.Item{{ID: "1", Content: "C"}}},
		},
		{
			"deleted", common + `"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"deleted"}`,
			guard.Call{Tool: "TaskUpdate", Items: []guard.Item{{ID: "1", Gone: true}}},
		},
		{
			"TaskCreated", common + `"TaskCreated","task_id":"2","task_subject":"Write the tests"`,
			guard.Call{Subjects: map[string]string{"2": "Write the tests"}},
		},
		{
			"TaskCompleted", common + `"TaskCompleted","task_id":"2","task_subject":"Write the tests"`,
			guard.Call{Tool: "TaskCompleted", Items: []guard.Item{{ID: "2", Usual: "Write the tests", Completed: true}}},
		},
		{
			"Codex", common + `"PreToolUse","tool_name":"update_plan","tool_input":{"plan":[{"step":"A","status":"completed"}]}`,
			guard.Call{Tool: "update_plan", Whole: true, Items: []guard.Item{{Content: "A", Completed: true}}},
		},
		{
			"Codex's goal", common + `"PreToolUse","tool_name":"update_goal","tool_input":{"status":"complete"}`,
			guard.Call{Tool: "update_goal", Items: []guard.Item{{ID: "goal", Usual: "the goal", Completed: true}}},
		},
		{
			"Gemini", common + `"BeforeTool","tool_name":"write_todos","tool_input":{"todos":[{"description":"A","status":"completed"},{"description":"B","status":"cancelled"}]}`,
			guard.Call{Tool: "write_todos", Whole: true, Items: []guard.Item{{Content: "A", Completed: true}, {Content: "B", Gone: true}}},
		},
	} {
		e, err := DecodeClaims("", []byte("{"+tt.input+"}"))
		if err != nil || !e.Relevant || !reflect.DeepEqual(e.Call, tt.want) || e.Conversation != "s-1" || e.Dir != "/repo" || e.Transcript != "/t.jsonl" {
			t.Errorf("%s: %+v, %v", tt.name, e, err)
		}
	}
	if e, err := DecodeClaims("", []byte("{"+common+`"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)); err != nil || e.Relevant {
		t.Errorf("another tool: %+v, %v", e, err)
	}
}

// G7: what cannot be read is an error, never a call without claims.
func TestDecodeClaimsRefuses(t *testing.T) {
	for _, input := range []string{
		``, `null`, `[]`, `"x"`, `{"tool_name":`, "\x00\xff",
		`{"tool_name":"TodoWrite"}`, `{"tool_name":"TodoWrite","tool_input":[]}`, `{"tool_name":"TodoWrite","tool_input":{}}`,
		`{"tool_name":"TodoWrite","tool_input":{"todos":{}}}`, `{"tool_name":"TodoWrite","tool_input":{"todos":null}}`, `{"tool_name":"TodoWrite","tool_input":{"todos":"nonsense"}}`,
		`{"tool_name":"TodoWrite","tool_input":{"todos":["A"]}}`, `{"tool_name":"TodoWrite","tool_input":{"todos":[{"content":"A"}]}}`,
		`{"tool_name":"TodoWrite","tool_input":{"todos":[{"content":1,"status":"completed"}]}}`, `{"tool_name":"TodoWrite","tool_input":{"todos":[{"content":" ","status":"completed"}]}}`,
		`{"tool_name":"TaskUpdate","tool_input":{"status":"completed"}}`, `{"tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":true}}`,
		`{"hook_event_name":"TaskCompleted"}`, `{"tool_name":"update_goal","tool_input":{"status":["complete"]}}`,
		`{"tool_name":"TaskUpdate","tool_input":{"taskId":"` + strings.Repeat("9", 300) + `","status":"completed"}}`,
	} {
		name := EventToolUse
		if strings.Contains(input, "TaskCompleted") {
			name = ""
		}
		if e, err := DecodeClaims(name, []byte(input)); err == nil {
			t.Errorf("%s is taken: %+v", input, e)
		}
	}
}

func TestEncodeAnswer(t *testing.T) {
	for name, want := range map[string]Encoded{
		EventToolUse:       {Stdout: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}` + "\n"},
		EventBeforeTool:    {Stdout: `{"decision":"deny","reason":"no"}` + "\n"},
		EventTaskCompleted: {Exit: 2, Stderr: "no\n"},
		"":                 {Exit: 2, Stderr: "no\n"},
	} {
		if got := EncodeAnswer(name, guard.Answer{Reason: "no"}); got != want {
			t.Errorf("%s: %+v", name, got)
		}
		if got := EncodeAnswer(name, guard.Answer{Allowed: true}); got != (Encoded{}) {
			t.Errorf("%s, allowed: %+v", name, got)
		}
	}
}
