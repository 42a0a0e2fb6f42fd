package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/text"
	"mulligan/task"
)

// A toolCall is what is known of a tool that the agent uses or wants to use.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Kind      string          `json:"kind"`
	Input     json.RawMessage `json:"rawInput"` // the agent's own; not kept
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"` // not kept
	Content json.RawMessage `json:"content"` // of a message one block, of a tool call a list; not kept

	subject string // what the tool is used on, as far as that is known
	command string // what it runs; "" if it runs none, or one that is too long
	mcp     mcpTool
	diffs   []task.FileDiff // of an edit, if a person is asked about edits
	all     bool            // the edit is made wherever its text occurs
	shown   bool            // the log has it
}

// maxCommand is how many bytes of a command are kept.
const maxCommand = 8 << 10

// withUpdate returns the call with the fields of an update.
func (c toolCall) withUpdate(u toolCall) toolCall {
	n := toolCall{
		ID: c.ID, Title: cmp.Or(u.Title, c.Title), Kind: cmp.Or(u.Kind, c.Kind),
		subject: cmp.Or(u.subject, c.subject), command: cmp.Or(u.command, c.command),
		mcp: cmp.Or(u.mcp, c.mcp), diffs: c.diffs, all: c.all || u.all, shown: c.shown || u.shown,
	}
	if len(u.diffs) > 0 {
		n.diffs = u.diffs
	}
	if len(u.Input) > 0 {
		n.takeInput(u.Input)
	}
	// the locations of a command are where it runs
	if n.subject == "" && len(u.Locations) > 0 && n.Kind != string(protocol.ToolKindExecute) {
		n.subject = text.Clip(u.Locations[0].Path, maxCommand/8)
	}
	return n
}

// takeInput takes what the tool is given.
func (c *toolCall) takeInput(input json.RawMessage) {
	if command := agent.CallCommand(input); len(command) > maxCommand {
		c.command = ""
	} else if command != "" {
		c.command = command
	}
	json.Unmarshal(input, &c.mcp) // an input of another shape names no server
	var edit struct {
		All   bool `json:"replace_all"`
		Every bool `json:"replaceAll"`
	}
	json.Unmarshal(input, &edit) // nor more than one edit
	c.all = c.all || edit.All || edit.Every
	subject := agent.CallTarget(input)
	if c.sessionTool() != "" {
		subject = ownSubject(input)
	}
	c.subject = cmp.Or(text.Clip(subject, maxCommand/8), c.subject)
}

func (c toolCall) String() string {
	name := strings.TrimSpace(cmp.Or(c.Kind, "use") + ": " + cmp.Or(c.Title, c.ID))
	if c.subject == "" || strings.Contains(name, c.subject) {
		return name
	}
	return name + ": " + c.subject
}

// wish returns what the call would do, for a person.
func (c toolCall) wish() string {
	if len(c.diffs) == 0 {
		return c.String()
	}
	wish := task.EditWish(c.String(), c.diffs)
	if c.all {
		return task.EveryOccurrence(wish)
	}
	return wish
}

// readDiffs returns what an edit would do, as far as the agent tells and a person may be asked about it.
func (x *exchange) readDiffs(c toolCall) []task.FileDiff {
	if x.agent.spec.Permissions != "ask" || len(c.Content) == 0 {
		return nil
	}
	var content []block
	json.Unmarshal(c.Content, &content) // another shape has no diff
	var files []task.FileDiff
	for _, b := range content {
		if b.Type == "diff" {
			files = append(files, task.NewFileDiff(b.Path, b.OldText, b.NewText))
		}
	}
	return files
}

// answerRequest answers a request of the agent. Every request has to be answered: an agent that
// waits does not work.
func (x *exchange) answerRequest(ctx context.Context, method string, params json.RawMessage) (any, *protocol.RequestError) {
	if method != protocol.ClientMethodSessionRequestPermission {
		return nil, protocol.NewMethodNotFound(method)
	}
	var p struct {
		Call    toolCall `json:"toolCall"`
		Options []option `json:"options"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, protocol.NewInvalidParams(err.Error())
	}
	p.Call.diffs = x.readDiffs(p.Call)
	call := x.recordCall(p.Call)
	call.command = cmp.Or(call.command, x.titleCommand(p.Call))
	allowed := x.isAllowed(ctx, call)
	if !allowed {
		x.mu.Lock()
		x.denied = append(x.denied, mulligan.Denial{Tool: call.String(), Allow: x.allowLine(call)})
		x.mu.Unlock()
		x.log.line("[denied] %s", call)
	}
	return chooseOption(p.Options, allowed), nil
}

// An option is one of the answers that the agent takes.
type option struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

// chooseOption chooses by kind: ids and their order are the agent's own. Once goes before always,
// so that every use is asked about.
func chooseOption(options []option, allowed bool) any {
	kinds := []protocol.PermissionOptionKind{protocol.PermissionOptionKindRejectOnce, protocol.PermissionOptionKindRejectAlways}
	if allowed {
		kinds = []protocol.PermissionOptionKind{protocol.PermissionOptionKindAllowOnce, protocol.PermissionOptionKindAllowAlways}
	}
	for _, kind := range kinds {
		for _, o := range options {
			if o.Kind == string(kind) {
				return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": o.ID}}
			}
		}
	}
	return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
}

// isAllowed decides by the agent's permissions: everything, what changes no more than files, or
// what a person allows. The session's own tools are always allowed; in a read-only turn nothing is.
func (x *exchange) isAllowed(ctx context.Context, call toolCall) bool {
	switch permissions := x.agent.spec.Permissions; {
	case x.turn.ReadOnly:
		return false
	case permissions == "full", call.sessionTool() != "":
		return true
	case permissions == "edits" && call.command != "" && x.isCheck(call.command):
		return true
	case permissions == "ask":
		return x.agent.deps.Permit(ctx, x.turn, call.wish(), call.same())
	}
	return call.isEdit()
}

// isEdit reports whether a call does no more than read and change files.
func (c toolCall) isEdit() bool {
	switch protocol.ToolKind(c.Kind) {
	case protocol.ToolKindRead, protocol.ToolKindSearch, protocol.ToolKindThink, protocol.ToolKindEdit, protocol.ToolKindMove, protocol.ToolKindDelete:
		return true
	}
	return false
}

// allowLine returns the line of config that would allow a denied call, or "" if only full permissions would.
func (x *exchange) allowLine(c toolCall) string {
	if x.agent.spec.Permissions == "ask" && (c.isEdit() || c.command != "" && x.isCheck(c.command)) {
		return agent.AllowBy(x.agent.spec.Name, "edits")
	}
	return ""
}

// same returns what a person allows who allows the same for the rest of the session, or "" if that is not
// to be chosen.
func (c toolCall) same() string {
	switch protocol.ToolKind(c.Kind) {
	case protocol.ToolKindEdit:
		return task.SameEdits
	case protocol.ToolKindExecute:
		return task.SameCommand(c.command)
	}
	return ""
}

// titleCommand returns the command that a request of Gemini CLI is about, or "" if that is not certain. The program reports
// no input. Only its shell is of the kind execute, and has the command, whole and as it is, as its title; the content
// begins with where it runs, and only a command without a folder of its own has these words there.
func (x *exchange) titleCommand(c toolCall) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.program != "gemini-cli" || c.Kind != string(protocol.ToolKindExecute) || len(c.Input) > 0 || len(c.Title) > maxCommand {
		return ""
	}
	var content []block
	json.Unmarshal(c.Content, &content) // another shape has no text
	if len(content) != 1 || content[0].Content == nil {
		return ""
	}
	dirs := []string{x.turn.Dir}
	if real, err := filepath.EvalSymlinks(x.turn.Dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		if strings.HasPrefix(content[0].Content.Text, "[current working directory "+dir+"]") {
			return c.Title
		}
	}
	return ""
}

// isCheck reports whether a command is one of the step's checks, and nothing else.
func (x *exchange) isCheck(command string) bool {
	return slices.ContainsFunc(x.turn.Allowed, func(allowed string) bool { return agent.RunsExactly(command, allowed) })
}

// recordCall puts the fields of a request over what is known of its tool call, and returns the
// call. A call that is not known yet is logged.
func (x *exchange) recordCall(call toolCall) toolCall {
	x.mu.Lock()
	defer x.mu.Unlock()
	before, known := x.calls[call.ID]
	if !known {
		before.ID = call.ID
		x.log.endMessage()
	}
	call = before.withUpdate(call)
	if !call.shown {
		call.shown = true
		x.log.call(call)
	}
	x.calls[call.ID] = call
	return call
}

// addDenials adds the calls that were denied to the result of the turn.
func (x *exchange) addDenials(r *mulligan.Result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	r.AddDenials(x.denied, x.agent.deps.Clean)
}
