package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The tools with which an agent keeps items. Those of mulligan's own have a prefix that depends on
// the agent.
const (
	toolTodoWrite   = "TodoWrite"
	toolTaskCreate  = "TaskCreate"
	toolTaskUpdate  = "TaskUpdate"
	toolTaskAdd     = "task_add"
	toolTaskAddMany = "task_add_many"
	toolOurUpdate   = "task_update"
	ourToolsPrefix  = "mulligan__"
)

const (
	statusCompleted  = "completed"
	statusInProgress = "in_progress"
)

// maxCalls bounds the calls whose results are waited for. A result comes soon after its call.
const maxCalls = 64

// An itemState is what the calls so far make of the item.
type itemState int

const (
	unseen itemState = iota
	listed
	working
	done
)

// A tracker follows the calls about one item, to find where it was opened.
type tracker struct {
	item      string // normalized
	normalize func(string) string
	state     itemState
	ids       map[taskID]bool     // tasks that are the item
	calls     map[string]openCall // by the call's id
}

// A taskID names a task of the agent's program, or of mulligan's.
type taskID struct {
	ours bool
	id   string
}

// An openCall is a call whose result is not known yet.
type openCall struct {
	tool   string
	claims bool      // it completed the item
	before itemState // the state before
	status string    // of a task_update whose task is not known yet
}

func newTracker(item string, normalize func(string) string) *tracker {
	return &tracker{item: normalize(item), normalize: normalize, ids: make(map[taskID]bool), calls: make(map[string]openCall)}
}

// isRelevant reports whether a line may tell something about the item.
func (t *tracker) isRelevant(raw []byte) bool {
	for _, tool := range []string{toolTodoWrite, toolTaskCreate, toolTaskUpdate, toolTaskAdd, toolOurUpdate} {
		if bytes.Contains(raw, []byte(tool)) {
			return true
		}
	}
	for id := range t.calls {
		if bytes.Contains(raw, []byte(id)) {
			return true
		}
	}
	return false
}

// take takes a line, and reports whether it opens the item.
func (t *tracker) take(l line) (opened bool) {
	if !l.isMessage() {
		return false
	}
	for _, b := range l.Message.Content {
		switch b.Type {
		case "tool_use":
			opened = t.takeCall(b) || opened
		case "tool_result":
			opened = t.takeResult(b, l.Result) || opened
		}
	}
	return opened
}

// toolArgs are the inputs of all the tools that keep items.
type toolArgs struct {
	Todos []struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	} `json:"todos"`
	Subject string    `json:"subject"`
	TaskID  anyID     `json:"taskId"`
	Status  string    `json:"status"`
	ID      anyID     `json:"id"`
	Content string    `json:"content"`
	Tasks   []ourTask `json:"tasks"`
	Task    ourTask   `json:"task"` // of a reply
}

// An ourTask is a task as mulligan's tools take and return it.
type ourTask struct {
	ID      anyID  `json:"id"`
	Content string `json:"content"`
}

// An anyID is an id that may be a string or a number.
type anyID string

// UnmarshalJSON takes the id as it is written, without quotes.
func (id *anyID) UnmarshalJSON(data []byte) error {
	*id = anyID(strings.Trim(string(data), `"`))
	return nil
}

// takeCall takes a call of a tool.
func (t *tracker) takeCall(b block) (opened bool) {
	var args toolArgs
	if ignoreTypes(json.Unmarshal(b.Input, &args)) != nil {
		return false
	}
	tool := b.Name
	if _, name, ours := strings.Cut(tool, ourToolsPrefix); ours {
		tool = name
	}
	switch tool {
	case toolTodoWrite:
		status, found := t.findTodo(args)
		return found && t.applyStatus(b.ID, tool, status)
	case toolTaskCreate:
		return t.takeCreated(b.ID, tool, t.isItem(args.Subject))
	case toolTaskAdd:
		return t.takeCreated(b.ID, tool, t.isItem(args.Content))
	case toolTaskAddMany:
		return t.takeCreated(b.ID, tool, t.findTask(args.Tasks) != nil)
	case toolTaskUpdate:
		return t.takeUpdate(b.ID, tool, taskID{id: string(args.TaskID)}, args.Subject, args.Status)
	case toolOurUpdate:
		return t.takeUpdate(b.ID, tool, taskID{ours: true, id: string(args.ID)}, args.Content, args.Status)
	}
	return false
}

// isItem reports whether a content is the item's.
func (t *tracker) isItem(content string) bool { return content != "" && t.normalize(content) == t.item }

// findTodo returns the status that a list gives to the item, and whether the list has it. Of two that
// are the same the one that is not completed counts.
func (t *tracker) findTodo(args toolArgs) (status string, found bool) {
	for _, todo := range args.Todos {
		if t.isItem(todo.Content) && (!found || status == statusCompleted) {
			status, found = todo.Status, true
		}
	}
	return status, found
}

// findTask returns the one of the tasks that is the item, or nil if none is.
func (t *tracker) findTask(tasks []ourTask) *ourTask {
	for i := range tasks {
		if t.isItem(tasks[i].Content) {
			return &tasks[i]
		}
	}
	return nil
}

// takeCreated takes a call that creates a task.
func (t *tracker) takeCreated(call, tool string, isItem bool) (opened bool) {
	if !isItem {
		return false
	}
	t.await(call, openCall{tool: tool})
	return t.applyStatus("", tool, "pending")
}

// takeUpdate takes a call that changes a task, whose content may be given too.
func (t *tracker) takeUpdate(call, tool string, id taskID, content, status string) (opened bool) {
	switch {
	case t.isItem(content):
		t.ids[id] = true
	case !id.ours && t.isItem("task "+id.id): // the content of a task whose subject nobody knows
		t.ids[id] = true
	case !t.ids[id]:
		if id.ours && status != "" { // the reply tells which task it is
			t.await(call, openCall{tool: tool, status: status})
		}
		return false
	}
	if status == "" { // it is renamed: the work on it may have begun under another name
		t.state = max(t.state, listed)
		return false
	}
	return t.applyStatus(call, tool, status)
}

// applyStatus gives the item a status, and reports whether that opens it: it is seen for the first
// time, or was completed before. A task of mulligan's is opened when the agent takes it up, too.
func (t *tracker) applyStatus(call, tool, status string) (opened bool) {
	switch status {
	case statusCompleted:
		if t.state != done {
			t.await(call, openCall{tool: tool, claims: true, before: t.state})
			t.state = done
		}
		return false
	case statusInProgress:
		opened = t.state == unseen || t.state == done || t.state == listed && tool == toolOurUpdate
		t.state = working
	case "deleted", "cancelled":
	default:
		opened = t.state == unseen || t.state == done
		if opened {
			t.state = listed
		}
	}
	return opened
}

// await notes a call whose result tells more.
func (t *tracker) await(id string, c openCall) {
	if id == "" {
		return
	}
	if len(t.calls) >= maxCalls {
		clear(t.calls)
	}
	t.calls[id] = c
}

// takeResult takes the result of a call, and what the tool itself tells of it. A claim that was
// refused is none: the item has been open since before.
func (t *tracker) takeResult(b block, own json.RawMessage) (opened bool) {
	c, ok := t.calls[b.CallID]
	if !ok {
		return false
	}
	delete(t.calls, b.CallID)
	var reply struct {
		Success *bool `json:"success"` // false if a TaskCompleted hook refused the call
		Task    struct {
			ID anyID `json:"id"`
		} `json:"task"`
	}
	if json.Unmarshal(own, &reply) != nil {
		reply.Success = nil
	}
	refused := b.IsError || reply.Success != nil && !*reply.Success
	switch {
	case refused && c.claims:
		t.state = max(c.before, listed)
	case refused, c.claims:
	case c.tool == toolTaskCreate:
		if reply.Task.ID != "" {
			t.ids[taskID{id: string(reply.Task.ID)}] = true
		}
	default:
		return t.takeOurReply(c, b)
	}
	return false
}

// takeOurReply takes the reply of one of mulligan's tools, which tells the ids of its tasks.
func (t *tracker) takeOurReply(c openCall, b block) (opened bool) {
	var reply toolArgs
	if json.Unmarshal([]byte(b.resultText()), &reply) != nil {
		return false
	}
	found := t.findTask(append(reply.Tasks, reply.Task))
	if found == nil || found.ID == "" {
		return false
	}
	t.ids[taskID{ours: true, id: string(found.ID)}] = true
	if c.status == statusCompleted { // it was allowed
		t.state = done
		return false
	}
	return c.status != "" && t.applyStatus("", c.tool, c.status)
}
