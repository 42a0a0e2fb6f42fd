package task

import (
	"encoding/json"
	"strings"

	"mulligan"
	"mulligan/state"
)

// A Tool is one thing that an agent can ask for. Schema, help and messages are made of it.
type Tool struct {
	Name   string
	Doc    string // for a model: when to use it, what it returns
	Fields []Field
	Reads  bool // it changes nothing
	// apply answers a request for it; nil if a function of the state cannot.
	apply applyFunc
}

// An applyFunc answers a request: the events to store, and the reply.
type applyFunc func(*state.State, Request) ([]mulligan.Body, any, error)

// withArgs returns an applyFunc that decodes the request's arguments before it calls apply.
func withArgs[A any](apply func(st *state.State, tool string, args A) ([]mulligan.Body, any, error)) applyFunc {
	return func(st *state.State, r Request) ([]mulligan.Body, any, error) {
		var args A
		if err := decode(r, &args); err != nil {
			return nil, nil, err
		}
		return apply(st, r.Tool, args)
	}
}

// A Field is one of a tool's arguments.
type Field struct {
	Name     string
	Kind     Kind
	Doc      string
	Required bool
}

// A Kind is what a field may hold.
type Kind string

const (
	aText      Kind = "text"
	aNumber    Kind = "number"
	aPriority  Kind = "priority"
	aStatus    Kind = "status"
	someStatus Kind = "statuses"
	someIDs    Kind = "ids"
	someTexts  Kind = "texts"
	someTasks  Kind = "tasks"
	aNoteType  Kind = "note type"
)

// describeWithSchema returns the kind in words for a model, and its JSON Schema, which is the
// caller's to change.
func (k Kind) describeWithSchema() (words string, schema map[string]any) {
	status := map[string]any{"type": "string", "enum": taskStatuses}
	listOf := func(items map[string]any) map[string]any { return map[string]any{"type": "array", "items": items} }
	switch k {
	case aNumber:
		return "a whole number", map[string]any{"type": "integer"}
	case aPriority:
		return "a whole number from 0 to 4", map[string]any{"type": "integer", "minimum": 0, "maximum": 4}
	case aStatus:
		return "one of " + statusNames(), status
	case someStatus:
		return "one of " + statusNames() + ", or a list of them", map[string]any{"anyOf": []any{status, listOf(status)}}
	case someIDs:
		return "a list of whole numbers, such as [1, 2]", listOf(map[string]any{"type": "integer"})
	case someTexts:
		return "a list of texts", listOf(map[string]any{"type": "string"})
	case someTasks:
		tasks := listOf(objectSchema(manyFields()))
		tasks["minItems"], tasks["maxItems"] = 1, maxTogether
		return "a list of objects, each with a content", tasks
	case aNoteType:
		return "one of " + strings.Join(mulligan.NoteTypes(), ", "), map[string]any{"type": "string", "enum": mulligan.NoteTypes()}
	default:
		return "a text", map[string]any{"type": "string"}
	}
}

// findTool returns the tool of a name; for an unknown name it has no fields.
func findTool(name string) Tool {
	for _, t := range Tools() {
		if t.Name == name {
			return t
		}
	}
	return Tool{Name: name}
}

// itemFields returns the fields of a task to be added.
func itemFields() []Field {
	return []Field{
		{Name: "content", Kind: aText, Required: true, Doc: "what is to be done, so that somebody who has read only the spec can do it"},
		{Name: "priority", Kind: aPriority, Doc: "0 is the highest, 4 the lowest; 2 where it is left out"},
		{Name: "depends", Kind: someIDs, Doc: "ids of tasks that have to be done first"},
		{Name: "status", Kind: aStatus, Doc: "remaining (the default), in_progress or blocked"},
	}
}

func manyFields() []Field {
	return append(itemFields(), Field{
		Name: "after", Kind: someIDs,
		Doc: "positions in this list (the first is 1) of tasks that have to be done first; for tasks that exist already use depends",
	})
}

// Tools returns all tools, in the order in which help lists them.
func Tools() []Tool {
	return []Tool{
		{Name: ToolAdd, apply: withArgs(addTask), Fields: itemFields(), Doc: "Add one task to the session's list. Use it when you find work that is not on the list yet. " +
			"Tasks outlive this conversation: later iterations see them. A task with the same content as another is refused. Returns the task with its id."},
		{
			Name: ToolAddMany, apply: withArgs(addTasks), Doc: "Add several tasks at once, all or none: use it to break the spec down. Returns the tasks with their ids, in the order given.",
			Fields: []Field{{Name: "tasks", Kind: someTasks, Required: true, Doc: "the tasks, at most 200"}},
		},
		{
			Name: ToolList, apply: withArgs(listTasks), Reads: true, Doc: "List tasks by id, with how many there are of each status. Use it to see what there is before you add, and what is left. " +
				"waits_for in a task names tasks that have to be done first.",
			Fields: []Field{
				{Name: "status", Kind: someStatus, Doc: "only those with this status, or one of these"},
				{Name: "limit", Kind: aNumber, Doc: "at most so many (100 where it is left out, 1000 at most); left_out says how many more there are"},
			},
		},
		{Name: ToolNext, apply: withArgs(nextTask), Reads: true, Doc: "The task to work on now: the one in progress, else the highest priority that waits for nothing. " +
			"Use it at the start of an iteration and after completing a task. Changes nothing: mark the task in_progress with task_update. task is null where there is none, and hint says why."},
		{
			Name: ToolUpdate, apply: withArgs(updateTask), Doc: "Change a task: mark it in_progress when you begin, completed when it is really done and you have checked it, " +
				"blocked or cancelled with a reason when it cannot or need not be done. What is left out stays as it is. A task is not completed before those that it depends on. Returns the task as it is now.",
			Fields: []Field{
				{Name: "id", Kind: aNumber, Required: true, Doc: "the task's id"},
				{Name: "status", Kind: aStatus, Doc: "remaining, in_progress, completed, blocked or cancelled"},
				{Name: "priority", Kind: aPriority, Doc: "0 is the highest, 4 the lowest"},
				{Name: "depends", Kind: someIDs, Doc: "ids of tasks that have to be done first, in place of those it has; [] for none"},
				{Name: "reason", Kind: aText, Doc: "why it is blocked or cancelled"},
				{Name: "content", Kind: aText, Doc: "what is to be done, in place of what it says"},
			},
		},
		{
			Name: ToolNoteAdd, apply: withArgs(addNote), Doc: "Leave a note for later iterations, which begin without your memory: a decision and why, an assumption, something learned about the code, what blocks. Returns the note with its id.",
			Fields: []Field{
				{Name: "text", Kind: aText, Required: true, Doc: "the note"},
				{Name: "type", Kind: aNoteType, Doc: "decision, assumption, learning, blocker, or note (the default)"},
			},
		},
		{
			Name: ToolNoteList, apply: withArgs(listNotes), Reads: true, Doc: "List the notes of this session, oldest first. Use it when the prompt says that notes were left out, or to look one up.",
			Fields: []Field{{Name: "type", Kind: aNoteType, Doc: "only those of this type"}},
		},
		{
			Name: ToolSummary, apply: withArgs(summarizeIteration), Doc: "Say in a few sentences what you did in this iteration and what comes next. Call it once, before you end your turn; called again it replaces the earlier one.",
			Fields: []Field{{Name: "text", Kind: aText, Required: true, Doc: "the summary"}},
		},
		{
			Name: ToolComplete, apply: withArgs(claimDone), Doc: "Claim that the whole spec is done. Refused while a task is neither completed nor cancelled. It is a claim: the checks verify it after your turn, and what fails comes back to you. End your turn after it.",
			Fields: []Field{{Name: "text", Kind: aText, Doc: "what was done, in a few sentences"}},
		},
		{
			Name: ToolAsk, Doc: "Ask a person a question and wait for the answer. Only for what you can neither find out nor decide: often nobody is there, and then you are told so at once. Returns the answer and by whom it is; by default means that nobody answered.",
			Fields: []Field{
				{Name: "question", Kind: aText, Required: true, Doc: "the question, with what the person needs to know to answer it"},
				{Name: "options", Kind: someTexts, Doc: "answers to choose from; left out: any text"},
				{Name: "default", Kind: aText, Doc: "what you will do when nobody answers; one of the options where there are some"},
			},
		},
		{Name: ToolStatus, apply: withArgs(reportStatus), Reads: true, Doc: "Where the session stands: the iteration, the limits, how many tasks there are of each status, whether completion was claimed."},
	}
}

// Schema returns the JSON Schema of the tool's arguments.
func (t Tool) Schema() json.RawMessage {
	data, _ := json.Marshal(objectSchema(t.Fields)) // of maps and texts alone, which always marshal
	return data
}

func objectSchema(fields []Field) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range fields {
		_, schema := f.Kind.describeWithSchema()
		schema["description"] = f.Doc
		properties[f.Name] = schema
		if f.Required {
			required = append(required, f.Name)
		}
	}
	o := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
