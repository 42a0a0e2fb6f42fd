package claudecode

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mulligan/guard"
)

// The events by which an agent's program tells of the tasks that the agent tracks itself. Codex has
// the first of Claude Code's; BeforeTool is Gemini's.
const (
	EventToolUse       = "PreToolUse"
	EventBeforeTool    = "BeforeTool"
	EventTaskCreated   = "TaskCreated"
	EventTaskCompleted = "TaskCompleted"
)

// GuardedTools are the tools by which agents change the list of their tasks.
func GuardedTools() []string {
	return []string{"TodoWrite", "TaskUpdate", "update_plan", "create_goal", "update_goal", "write_todos"}
}

// A ClaimEvent is what an event inside an agent tells of the items that the agent tracks.
type ClaimEvent struct {
	Event        string
	Conversation string // the agent's own session
	Dir          string
	Transcript   string // path of what was said and done; "" where there is none
	Call         guard.Call
	// Relevant is set where the event is about such items at all.
	Relevant bool
}

// DecodeClaims reads an event of the given name; "" means the name that the event itself has. The
// error tells why the event, or an item in it, cannot be read: it may hide a claim.
func DecodeClaims(name string, input []byte) (ClaimEvent, error) {
	o, err := decodeFields(input)
	if err != nil {
		return ClaimEvent{}, fmt.Errorf("the event cannot be read: %w", err)
	}
	e := ClaimEvent{
		Event: o.text("hook_event_name"), Conversation: o.text("session_id"), Dir: o.text("cwd"), Transcript: o.text("transcript_path"),
		Call: guard.Call{ID: o.text("tool_use_id"), Tool: o.text("tool_name")},
	}
	if name != "" {
		e.Event = name
	}
	switch e.Event {
	case EventTaskCreated:
		e.Relevant = true
		if id, subject := o.id("task_id"), o.text("task_subject"); id != "" && subject != "" {
			e.Call.Subjects = map[string]string{id: subject}
		}
	case EventTaskCompleted:
		e.Relevant, e.Call.Tool = true, e.Event
		id := o.id("task_id")
		if id == "" {
			return e, errors.New("the event names no task: task_id is missing")
		}
		e.Call.Items = []guard.Item{{ID: id, Usual: o.text("task_subject"), Completed: true}}
	case EventToolUse, EventBeforeTool:
		err = e.decodeTool(o["tool_input"])
	}
	return e, err
}

// decodeTool reads the input of one of the tools by which agents change their lists.
func (e *ClaimEvent) decodeTool(input json.RawMessage) (err error) {
	var list listForm
	switch e.Call.Tool {
	case "TodoWrite":
		list = listForm{"todos", "content"}
	case "write_todos":
		list = listForm{"todos", "description"}
	case "update_plan":
		list = listForm{"plan", "step"}
	case "TaskUpdate":
		e.Relevant = true
		e.Call.Items, err = decodeTaskUpdate(input)
		return err
	case "create_goal", "update_goal":
		e.Relevant = true
		e.Call.Items, err = decodeGoal(input)
		return err
	default:
		return nil
	}
	e.Relevant, e.Call.Whole = true, true
	e.Call.Items, err = list.decode(e.Call.Tool, input)
	return err
}

// A listForm is how a tool names its list, and the content of an item in it.
type listForm struct{ list, content string }

// decode reads a list of items.
func (f listForm) decode(tool string, input json.RawMessage) ([]guard.Item, error) {
	o, err := decodeFields(input)
	if err != nil {
		return nil, fmt.Errorf("the input of %s cannot be read: %w", tool, err)
	}
	raw := o[f.list]
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		raw = json.RawMessage(quoted) // a model may write the list as a text
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, fmt.Errorf("the input of %s cannot be read: %s is not a list", tool, f.list)
	}
	if len(list) > guard.MaxTogether {
		return nil, fmt.Errorf("the input of %s cannot be read: it lists %d tasks, and %d are the most", tool, len(list), guard.MaxTogether)
	}
	var items []guard.Item
	for i, one := range list {
		o, err := decodeFields(one)
		if err != nil {
			return nil, fmt.Errorf("task %d of %s cannot be read: %w", i+1, tool, err)
		}
		item := newItem(o.text("status"))
		if item.Content = o.text(f.content); guard.Key(item.Content) == "" || !o.isText("status") {
			return nil, fmt.Errorf("task %d of %s cannot be read: it needs a %s and a status", i+1, tool, f.content)
		}
		items = append(items, item)
	}
	return items, nil
}

// newItem returns an item with what a status says of it.
func newItem(status string) guard.Item {
	switch strings.ToLower(strings.TrimSpace(status)) {
	case "completed", "complete", "done":
		return guard.Item{Completed: true}
	case "deleted", "cancelled":
		return guard.Item{Gone: true}
	case "":
		return guard.Item{}
	}
	return guard.Item{Open: true}
}

// maxID is how many bytes the id of a task may have: it becomes a part of what is kept.
const maxID = 200

// decodeTaskUpdate reads what is said of one task, which has a status, a new subject, or both.
func decodeTaskUpdate(input json.RawMessage) ([]guard.Item, error) {
	o, err := decodeFields(input)
	if err != nil {
		return nil, fmt.Errorf("the input of TaskUpdate cannot be read: %w", err)
	}
	item := newItem(o.text("status"))
	item.ID, item.Content = o.id("taskId"), strings.TrimSpace(o.text("subject"))
	if item.ID == "" {
		return nil, errors.New("the input of TaskUpdate cannot be read: taskId is missing")
	}
	if len(item.ID) > maxID {
		return nil, fmt.Errorf("the input of TaskUpdate cannot be read: taskId has more than %d characters", maxID)
	}
	if _, has := o["status"]; has && !o.isText("status") {
		return nil, errors.New("the input of TaskUpdate cannot be read: status is not a text")
	}
	return []guard.Item{item}, nil
}

// goalID is the id of the one goal that an agent can have.
const goalID = "goal"

// decodeGoal reads what is said of the goal.
func decodeGoal(input json.RawMessage) ([]guard.Item, error) {
	o, err := decodeFields(input)
	if err != nil {
		return nil, fmt.Errorf("the goal cannot be read: %w", err)
	}
	if _, has := o["status"]; has && !o.isText("status") {
		return nil, errors.New("the goal cannot be read: its status is not a text")
	}
	item := newItem(o.text("status"))
	item.ID, item.Usual, item.Content = goalID, "the goal", strings.TrimSpace(o.text("objective"))
	return []guard.Item{item}, nil
}

// fields are those of a JSON object, by their exact names: encoding/json would take Status for
// status, where the agent's program does not.
type fields map[string]json.RawMessage

func decodeFields(data []byte) (fields, error) {
	var o fields
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if o == nil {
		return nil, errors.New("it is not a JSON object")
	}
	return o, nil
}

// text returns a field that is a text, or "" if it is none.
func (f fields) text(name string) string {
	var s string
	_ = json.Unmarshal(f[name], &s)
	return s
}

func (f fields) isText(name string) bool {
	var s *string
	return json.Unmarshal(f[name], &s) == nil && s != nil
}

// id returns a field that is a text or a number, or "" if it is neither.
func (f fields) id(name string) string {
	if s := strings.TrimSpace(f.text(name)); s != "" {
		return s
	}
	var n json.Number
	if json.Unmarshal(f[name], &n) == nil {
		return n.String()
	}
	return ""
}

// An Encoded answer is one in the terms of the agent's program.
type Encoded struct {
	Exit           int
	Stdout, Stderr string
}

// EncodeAnswer returns the guard's answer to an event. What is allowed is left to the program to
// decide further.
func EncodeAnswer(name string, a guard.Answer) Encoded {
	if a.Allowed {
		return Encoded{}
	}
	switch name {
	case EventToolUse:
		return Encoded{Stdout: EncodeLine(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": name, "permissionDecision": "deny", "permissionDecisionReason": a.Reason,
		}})}
	case EventBeforeTool:
		return Encoded{Stdout: EncodeLine(map[string]any{"decision": "deny", "reason": a.Reason})}
	}
	return Encoded{Exit: 2, Stderr: a.Reason + "\n"}
}

// EncodeLine returns v, which must marshal, as a line of JSON.
func EncodeLine(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts marshal
	}
	return string(data) + "\n"
}
