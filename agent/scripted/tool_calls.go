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

// argReaders read the arguments of a tool, by name.
type argReaders map[string]func(ast.Node) any

func (r *reader) readWord(n ast.Node) any { return r.readText(n) }

func (r *reader) readWords(n ast.Node) any { return readList(n, r.readText) }

// readNumber reads a whole number as a tool takes it; 0 is allowed.
func (r *reader) readNumber(n ast.Node) any { return r.readInt(n, 0, "want a whole number") }

func (r *reader) readNumbers(n ast.Node) any { return readList(n, r.readNumber) }

// readTool reads an action that calls one of the session's tools.
func (r *reader) readTool(a *Action, value ast.Node) {
	c := call{args: map[string]any{}}
	switch a.Do {
	case doTask:
		r.readTaskCall(&c, value)
	case doNote:
		c.tool = task.ToolNoteAdd
		r.readToolCall(&c, value, "text", argReaders{"type": r.readWord})
	case doAsk:
		c.tool = task.ToolAsk
		r.readToolCall(&c, value, "question", argReaders{"options": r.readWords, "default": r.readWord})
	case doSummary:
		c.tool = task.ToolSummary
		r.readToolCall(&c, value, "text", nil)
	case doComplete:
		c.tool = task.ToolComplete
		if value.Type() != ast.NullType {
			r.readToolCall(&c, value, "text", nil)
		}
	}
	a.Tool, a.Must = c.tool, c.must
	a.Args, _ = json.Marshal(c.args) // of texts and numbers alone, which always marshal
}

// readToolCall reads a tool's arguments: the main one alone, or a mapping.
func (r *reader) readToolCall(c *call, value ast.Node, main string, more argReaders) {
	if !isMapping(value) {
		c.args[main] = r.readText(value)
		return
	}
	r.readArgs(c, value, main, main, r.readWord, more)
}

// readArgs reads a mapping of arguments, whose key holds the argument main.
func (r *reader) readArgs(c *call, value ast.Node, key, main string, read func(ast.Node) any, more argReaders) {
	fields := map[string]func(ast.Node){
		"must": func(n ast.Node) {
			yes, ok := n.(*ast.BoolNode)
			if !ok {
				r.addMistake(n, "want true or false")
			}
			c.must = ok && yes.Value
		},
		key: func(n ast.Node) { c.args[main] = read(n) },
	}
	for name, read := range more {
		fields[name] = func(n ast.Node) { c.args[name] = read(n) }
	}
	r.readMapping(value, c.tool, fields)
}

// taskVerbs are the keys that change a task, and the status that each sets.
var taskVerbs = map[string]mulligan.TaskStatus{
	"start": mulligan.InProgress, "done": mulligan.Completed, "block": mulligan.Blocked,
	"cancel": mulligan.TaskCancelled, "reopen": mulligan.Remaining, "update": "",
}

// readTaskCall reads `task:`, which has one key for what is done, and what that needs.
func (r *reader) readTaskCall(c *call, value ast.Node) {
	if word, ok := value.(*ast.StringNode); ok {
		c.tool = map[string]string{"list": task.ToolList, "next": task.ToolNext}[word.Value]
		if c.tool == "" {
			r.addMistake(word, "want list or next, or a mapping such as {add: TEXT} or {done: 1}")
		}
		return
	}
	verb, verbs := "", append([]string{"add", "add_many", "list", "next"}, slices.Sorted(maps.Keys(taskVerbs))...)
	for key := range r.mappingEntries(value, "task") {
		if slices.Contains(verbs, key.name) {
			verb = key.name
			break
		}
	}
	switch verb {
	case "":
		r.addMistake(value, "task: want one of %s", strings.Join(verbs, ", "))
	case "add":
		c.tool = task.ToolAdd
		r.readArgs(c, value, verb, "content", r.readWord, r.itemReaders())
	case "add_many":
		c.tool = task.ToolAddMany
		r.readArgs(c, value, verb, "tasks", r.readItems, nil)
	case "list":
		c.tool = task.ToolList
		r.readArgs(c, value, verb, "status", r.readWords, argReaders{"limit": r.readNumber})
	case "next":
		r.addMistake(value, "write it as: task: next")
	default:
		r.readTaskChange(c, value, verb)
	}
}

func (r *reader) readTaskChange(c *call, value ast.Node, verb string) {
	c.tool = task.ToolUpdate
	more := argReaders{"priority": r.readNumber, "depends": r.readNumbers, "reason": r.readWord, "content": r.readWord}
	if verb == "update" {
		more["status"] = r.readWord
	}
	r.readArgs(c, value, verb, "id", r.readNumber, more)
	if status := taskVerbs[verb]; status != "" {
		c.args["status"] = status
	}
}

func (r *reader) itemReaders() argReaders {
	return argReaders{"priority": r.readNumber, "depends": r.readNumbers, "status": r.readWord}
}

// readItems reads the tasks of add_many, each a text or a mapping.
func (r *reader) readItems(n ast.Node) any {
	if _, ok := n.(*ast.SequenceNode); !ok {
		r.addMistake(n, "want a list of tasks")
		return nil
	}
	return readList(n, func(value ast.Node) any {
		c := call{args: map[string]any{}}
		more := r.itemReaders()
		more["after"] = r.readNumbers
		r.readToolCall(&c, value, "content", more)
		return c.args
	})
}

// callTool calls a tool and prints its reply. The tool may refuse: an agent reads that and
// continues, and so does the script, unless the action must succeed.
func (p *player) callTool(ctx context.Context, a Action) error {
	if p.agent.deps.Tools == nil {
		return &scriptError{fmt.Sprintf("%s: this session has no tools", a.Do)}
	}
	p.log.OwnCall(a.Tool, string(a.Args))
	reply, err := p.agent.deps.Tools(ctx, p.turn, a.Tool, a.Args)
	no, refused := errors.AsType[*task.Refusal](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused:
		p.log.Line("[%s refused: %s]", a.Tool, no.Message)
		if a.Must {
			return &scriptError{fmt.Sprintf("%s was refused: %s", a.Tool, no.Message)}
		}
	case err != nil:
		return &scriptError{fmt.Sprintf("%s: %v", a.Tool, err)}
	default:
		p.log.OwnOutput(string(reply))
	}
	return nil
}
