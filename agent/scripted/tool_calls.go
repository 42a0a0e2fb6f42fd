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

// readTool reads an action that calls one of the session's tools.
func (r *reader) readTool(a *Action, at, value ast.Node) {
	c := call{args: map[string]any{}}
	switch a.Do {
	case doTask:
		r.readTaskCall(&c, at, value)
	case doNote:
		c.tool = task.ToolNoteAdd
		r.readToolCall(&c, at, value, "text", map[string]func(ast.Node) any{"type": r.readWord})
	case doAsk:
		c.tool = task.ToolAsk
		r.readToolCall(&c, at, value, "question", map[string]func(ast.Node) any{
			"options": func(n ast.Node) any { return r.readTexts(n, n) }, "default": r.readWord,
		})
	case doSummary:
		c.tool = task.ToolSummary
		r.readToolCall(&c, at, value, "text", nil)
	case doComplete:
		c.tool = task.ToolComplete
		if value != nil && value.Type() != ast.NullType {
			r.readToolCall(&c, at, value, "text", nil)
		}
	}
	data, err := json.Marshal(c.args)
	if err != nil {
		r.addMistake(at, "%v", err)
	}
	a.Tool, a.Args, a.Must = c.tool, data, c.must
}

// readToolCall reads a tool's arguments: the main one alone, or a mapping.
func (r *reader) readToolCall(c *call, at, value ast.Node, main string, more map[string]func(ast.Node) any) {
	if !isMapping(value) {
		c.args[main] = r.readText(at, value)
		return
	}
	r.readCallFields(c, value, main, func(n ast.Node) any { return r.readText(n, n) }, more)
}

// readCallFields reads a mapping of arguments; main may be "".
func (r *reader) readCallFields(c *call, value ast.Node, main string, read func(ast.Node) any, more map[string]func(ast.Node) any) {
	fields := map[string]func(ast.Node){"must": func(n ast.Node) { c.must = r.readBool(n) }}
	if main != "" {
		fields[main] = func(n ast.Node) { c.args[main] = read(n) }
	}
	for name, read := range more {
		fields[name] = func(n ast.Node) { c.args[name] = read(n) }
	}
	r.readMapping(value, c.tool, fields)
}

// taskVerbs are the keys that change a task, and the status that each sets.
func taskVerbs() map[string]mulligan.TaskStatus {
	return map[string]mulligan.TaskStatus{
		"start": mulligan.InProgress, "done": mulligan.Completed, "block": mulligan.Blocked,
		"cancel": mulligan.TaskCancelled, "reopen": mulligan.Remaining, "update": "",
	}
}

func taskWords() []string {
	return slices.Sorted(maps.Keys(taskVerbs()))
}

// readTaskCall reads `task:`, which has one key for what is done, and what that needs.
func (r *reader) readTaskCall(c *call, at, value ast.Node) {
	if word, ok := value.(*ast.StringNode); ok {
		r.readTaskWord(c, word, word.Value)
		return
	}
	verb := ""
	for key := range r.mappingEntries(nodeOrKey(value, at), "task") {
		if slices.Contains(append(taskWords(), "add", "add_many", "list", "next"), key.name) {
			verb = key.name
			break
		}
	}
	switch verb {
	case "":
		r.addMistake(nodeOrKey(value, at), "task: want one of add, add_many, list, next, %s", strings.Join(taskWords(), ", "))
	case "add":
		c.tool = task.ToolAdd
		r.readTaskMapping(c, value, "add", "content", r.readWord, r.itemFields())
	case "add_many":
		c.tool = task.ToolAddMany
		r.readTaskMapping(c, value, "add_many", "tasks", r.readItems, nil)
	case "list":
		c.tool = task.ToolList
		r.readTaskMapping(c, value, "list", "status", func(n ast.Node) any { return r.readTexts(n, n) }, map[string]func(ast.Node) any{"limit": r.readNumber})
	case "next":
		r.addMistake(value, "write it as: task: next")
	default:
		r.readTaskChange(c, value, verb)
	}
}

func (r *reader) readTaskWord(c *call, at ast.Node, word string) {
	switch word {
	case "list":
		c.tool = task.ToolList
	case "next":
		c.tool = task.ToolNext
	default:
		r.addMistake(at, "want list or next, or a mapping such as {add: TEXT} or {done: 1}")
	}
}

// readTaskMapping reads a mapping whose key verb holds the argument main.
func (r *reader) readTaskMapping(c *call, value ast.Node, verb, main string, read func(ast.Node) any, more map[string]func(ast.Node) any) {
	fields := maps.Clone(more)
	if fields == nil {
		fields = map[string]func(ast.Node) any{}
	}
	fields[verb] = func(n ast.Node) any { c.args[main] = read(n); return nil }
	r.readCallFields(c, value, "", nil, fields)
	delete(c.args, verb)
}

func (r *reader) readTaskChange(c *call, value ast.Node, verb string) {
	c.tool = task.ToolUpdate
	fields := map[string]func(ast.Node) any{
		"priority": r.readNumber, "depends": r.readNumbers, "reason": r.readWord, "content": r.readWord,
	}
	if verb == "update" {
		fields["status"] = r.readWord
	}
	r.readTaskMapping(c, value, verb, "id", r.readNumber, fields)
	if status := taskVerbs()[verb]; status != "" {
		c.args["status"] = status
	}
}

func (r *reader) itemFields() map[string]func(ast.Node) any {
	return map[string]func(ast.Node) any{"priority": r.readNumber, "depends": r.readNumbers, "status": r.readWord}
}

// readItems reads the tasks of add_many, each a text or a mapping.
func (r *reader) readItems(n ast.Node) any {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.addMistake(n, "want a list of tasks")
		return nil
	}
	var items []any
	for _, value := range list.Values {
		c := call{tool: "a task", args: map[string]any{}}
		fields := r.itemFields()
		fields["after"] = r.readNumbers
		r.readToolCall(&c, value, value, "content", fields)
		items = append(items, c.args)
	}
	return items
}

// callTool calls a tool and prints its reply. The tool may refuse: an agent reads that and
// continues, and so does the script, unless the action must succeed.
func (p *player) callTool(ctx context.Context, a Action) error {
	if p.agent.deps.Tools == nil {
		return &scriptError{fmt.Sprintf("%s: this session has no tools", a.Do)}
	}
	reply, err := p.agent.deps.Tools(ctx, p.turn, a.Tool, a.Args)
	var no *task.Refusal
	switch {
	case ctx.Err() != nil:
		return errStopped
	case errors.As(err, &no):
		fmt.Fprintf(p.out, "[%s refused: %s]\n", a.Tool, no.Message)
		if a.Must {
			return &scriptError{fmt.Sprintf("%s was refused: %s", a.Tool, no.Message)}
		}
	case err != nil:
		return &scriptError{fmt.Sprintf("%s: %v", a.Tool, err)}
	default:
		fmt.Fprintf(p.out, "[%s] %s\n", a.Tool, reply)
	}
	return nil
}
