package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"mulligan"
	"mulligan/task"
)

// A call is a tool and its arguments while they are read.
type call struct {
	tool string
	args map[string]any
	must bool
}

// tool reads an action that calls one of the session's tools.
func (r *reader) tool(a *Action, at, value ast.Node) {
	c := call{args: map[string]any{}}
	switch a.Do {
	case doTask:
		r.taskCall(&c, at, value)
	case doNote:
		c.tool = task.ToolNoteAdd
		r.toolCall(&c, at, value, "text", map[string]func(ast.Node) any{"type": r.word})
	case doAsk:
		c.tool = task.ToolAsk
		r.toolCall(&c, at, value, "question", map[string]func(ast.Node) any{
			"options": func(n ast.Node) any { return r.texts(n, n) }, "default": r.word,
		})
	case doSummary:
		c.tool = task.ToolSummary
		r.toolCall(&c, at, value, "text", nil)
	case doComplete:
		c.tool = task.ToolComplete
		if value != nil && value.Type() != ast.NullType {
			r.toolCall(&c, at, value, "text", nil)
		}
	}
	data, err := json.Marshal(c.args)
	if err != nil {
		r.wrong(at, "%v", err)
	}
	a.Tool, a.Args, a.Must = c.tool, data, c.must
}

// toolCall reads a tool's arguments: the main one alone, or a mapping.
func (r *reader) toolCall(c *call, at, value ast.Node, main string, more map[string]func(ast.Node) any) {
	if !isMapping(value) {
		c.args[main] = r.text(at, value)
		return
	}
	r.callFields(c, value, main, func(n ast.Node) any { return r.text(n, n) }, more)
}

func (r *reader) callFields(c *call, value ast.Node, main string, read func(ast.Node) any, more map[string]func(ast.Node) any) {
	fields := map[string]func(ast.Node){"must": func(n ast.Node) { c.must = r.truth(n) }}
	if main != "" {
		fields[main] = func(n ast.Node) { c.args[main] = read(n) }
	}
	for name, read := range more {
		fields[name] = func(n ast.Node) { c.args[name] = read(n) }
	}
	r.mapping(value, c.tool, fields)
}

// taskVerbs are what can be done with a task: the key that says which, and the status that
// it gets.
func taskVerbs() map[string]mulligan.TaskStatus {
	return map[string]mulligan.TaskStatus{
		"start": mulligan.InProgress, "done": mulligan.Completed, "block": mulligan.Blocked,
		"cancel": mulligan.TaskCancelled, "reopen": mulligan.Remaining, "update": "",
	}
}

func taskWords() []string {
	return slices.Sorted(maps.Keys(taskVerbs()))
}

// taskCall reads `task:`, which has one key that says what is done, and what that needs.
func (r *reader) taskCall(c *call, at, value ast.Node) {
	if word, ok := value.(*ast.StringNode); ok {
		r.taskWord(c, word, word.Value)
		return
	}
	verb := ""
	for key := range r.entries(orKey(value, at), "task") {
		if slices.Contains(append(taskWords(), "add", "add_many", "list", "next"), key.name) {
			verb = key.name
			break
		}
	}
	switch verb {
	case "":
		r.wrong(orKey(value, at), "task: want one of add, add_many, list, next, %s", strings.Join(taskWords(), ", "))
	case "add":
		c.tool = task.ToolAdd
		r.taskMapping(c, value, "add", "content", r.word, r.itemFields())
	case "add_many":
		c.tool = task.ToolAddMany
		r.taskMapping(c, value, "add_many", "tasks", r.items, nil)
	case "list":
		c.tool = task.ToolList
		r.taskMapping(c, value, "list", "status", func(n ast.Node) any { return r.texts(n, n) }, map[string]func(ast.Node) any{"limit": r.number})
	case "next":
		r.wrong(value, "write it as: task: next")
	default:
		r.taskChange(c, value, verb)
	}
}

func (r *reader) taskWord(c *call, at ast.Node, word string) {
	switch word {
	case "list":
		c.tool = task.ToolList
	case "next":
		c.tool = task.ToolNext
	default:
		r.wrong(at, "want list or next, or a mapping such as {add: TEXT} or {done: 1}")
	}
}

// taskMapping reads a mapping whose key verb holds the argument main.
func (r *reader) taskMapping(c *call, value ast.Node, verb, main string, read func(ast.Node) any, more map[string]func(ast.Node) any) {
	fields := maps.Clone(more)
	if fields == nil {
		fields = map[string]func(ast.Node) any{}
	}
	fields[verb] = func(n ast.Node) any { c.args[main] = read(n); return nil }
	r.callFields(c, value, "", nil, fields)
	delete(c.args, verb)
}

func (r *reader) taskChange(c *call, value ast.Node, verb string) {
	c.tool = task.ToolUpdate
	fields := map[string]func(ast.Node) any{
		"priority": r.number, "depends": r.numbers, "reason": r.word, "content": r.word,
	}
	if verb == "update" {
		fields["status"] = r.word
	}
	r.taskMapping(c, value, verb, "id", r.number, fields)
	if status := taskVerbs()[verb]; status != "" {
		c.args["status"] = status
	}
}

func (r *reader) itemFields() map[string]func(ast.Node) any {
	return map[string]func(ast.Node) any{"priority": r.number, "depends": r.numbers, "status": r.word}
}

// items reads the tasks of add_many, each a text or a mapping.
func (r *reader) items(n ast.Node) any {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.wrong(n, "want a list of tasks")
		return nil
	}
	var items []any
	for _, value := range list.Values {
		c := call{tool: "a task", args: map[string]any{}}
		fields := r.itemFields()
		fields["after"] = r.numbers
		r.toolCall(&c, value, value, "content", fields)
		items = append(items, c.args)
	}
	return items
}

// tool calls it and prints what it replied. The tool may refuse: an agent reads that and goes
// on, and so does the script, unless it must not.
func (p *player) tool(ctx context.Context, a Action) error {
	if p.agent.deps.Tools == nil {
		return &lapse{fmt.Sprintf("%s: this session has no tools", a.Do)}
	}
	reply, err := p.agent.deps.Tools(ctx, p.turn, a.Tool, a.Args)
	var no *task.Refusal
	switch {
	case ctx.Err() != nil:
		return errStopped
	case errors.As(err, &no):
		fmt.Fprintf(p.out, "[%s refused: %s]\n", a.Tool, no.Message)
		if a.Must {
			return &lapse{fmt.Sprintf("%s was refused: %s", a.Tool, no.Message)}
		}
	case err != nil:
		return &lapse{fmt.Sprintf("%s: %v", a.Tool, err)}
	default:
		fmt.Fprintf(p.out, "[%s] %s\n", a.Tool, reply)
	}
	return nil
}
