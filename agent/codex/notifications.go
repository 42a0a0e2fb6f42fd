package codex

import (
	"encoding/json"
	"strings"
	"time"

	"mulligan/agent"
	"mulligan/internal/text"
	"mulligan/task"
)

// An item is a piece of the agent's work, of any type. A field that a type does not have is empty.
type item struct {
	Type    string
	ID      string
	Text    string
	Summary []string // reasoning
	Command string
	Status  string
	Output  *string `json:"aggregatedOutput"`
	Exit    *int    `json:"exitCode"`
	Changes []struct {
		Path string
		Kind struct{ Type string }
		Diff string // of a file that is added or deleted, its text
	}
	Server    string
	Tool      string
	Arguments json.RawMessage
	Error     *struct{ Message string }
	Query     string
}

// takeNotification takes a notification of Codex. Unknown ones are ignored.
func (x *exchange) takeNotification(method string, params json.RawMessage) {
	var p struct {
		ThreadID string
		TurnID   string
		ItemID   string
		Delta    string
		Item     item
		Message  string
		Summary  string
		Name     string
		Status   string
		Error    any
		Plan     []struct{ Step, Status string }
	}
	json.Unmarshal(params, &p) // a field of another shape than it had is as good as none
	if p.ThreadID != "" && p.ThreadID != x.thread {
		return // of an agent that this one has started
	}
	switch method {
	case "item/agentMessage/delta":
		x.trouble = time.Time{}
		x.addMessagePiece(p.ItemID, p.Delta)
	case "item/started":
		x.trouble = time.Time{}
		x.showStarted(p.Item)
	case "item/commandExecution/outputDelta":
		x.log.Output(p.Delta)
	case "item/completed":
		x.trouble = time.Time{}
		x.showFinished(p.Item)
	case "turn/plan/updated":
		for _, s := range p.Plan {
			x.log.Line("[plan] %s: %s", s.Status, s.Step)
		}
	case "thread/tokenUsage/updated":
		x.spent.addUpdate(params, x.turnID)
	case "account/rateLimits/updated":
		x.limits.update(params)
	case "error":
		x.takeError(params)
	case "warning", "guardianWarning", "configWarning", "deprecationNotice":
		x.log.Line("[codex: %s]", strings.TrimSpace(p.Message+p.Summary))
	case "mcpServer/startupStatus/updated":
		if p.Status == "failed" {
			x.log.Line("[codex: the tool server %s does not start: %v]", p.Name, p.Error)
		}
	case "turn/completed":
		x.takeTurnEnd(params)
	}
}

// showStarted logs what the agent begins.
func (x *exchange) showStarted(i item) {
	switch i.Type {
	case "commandExecution":
		x.log.Call("run", i.Command)
	case "fileChange":
		x.changes[i.ID] = task.EditWish("change "+i.changedPaths(), i.fileDiffs())
	case "mcpToolCall":
		if i.Server == agent.ToolServer {
			x.log.OwnCall(i.Tool, agent.CallSubject(i.Arguments))
			return
		}
		x.log.Call(i.Server+"."+i.Tool, clipLine(string(i.Arguments)))
	case "webSearch":
		x.log.Call("search", clipLine(i.Query))
	}
}

// showFinished logs how an item ended.
func (x *exchange) showFinished(i item) {
	switch i.Type {
	case "agentMessage":
		if !x.message.Is(i.ID) { // it came in no pieces
			x.addMessagePiece(i.ID, i.Text)
		}
		x.log.EndLine()
	case "reasoning":
		for _, s := range i.Summary {
			x.log.Thought(strings.TrimSuffix(s, "\n") + "\n")
		}
	case "commandExecution":
		x.showCommandEnd(i)
	case "fileChange":
		for _, c := range i.Changes {
			x.log.Call(c.Kind.Type, c.Path)
		}
		delete(x.changes, i.ID)
		x.noteDeclined(i, "change "+i.changedPaths())
	case "mcpToolCall":
		if i.Error != nil {
			x.log.Line("[%s.%s failed: %s]", i.Server, i.Tool, clipLine(i.Error.Message))
		}
	}
}

// showCommandEnd logs how a command ended, and its output unless that was logged as it came.
func (x *exchange) showCommandEnd(i item) {
	if i.Output != nil && !x.log.OutputSinceLine() {
		x.log.Output(*i.Output)
	}
	if i.Exit != nil && *i.Exit != 0 {
		x.log.Line("[exit status %d]", *i.Exit)
	}
	x.noteDeclined(i, "run "+i.Command)
}

// noteDeclined remembers an item that was declined.
func (x *exchange) noteDeclined(i item, what string) {
	if i.Status == "declined" {
		x.log.Line("[denied]")
		x.addDenied(what, x.allowLine(i))
	}
}

// changedPaths returns the files that the item changes.
func (i item) changedPaths() string {
	var paths []string
	for _, c := range i.Changes {
		paths = append(paths, c.Path)
	}
	return strings.Join(paths, ", ")
}

// fileDiffs returns what the item does to each of the files.
func (i item) fileDiffs() []task.FileDiff {
	var files []task.FileDiff
	for _, c := range i.Changes {
		switch c.Kind.Type {
		case "add":
			files = append(files, task.NewFileDiff(c.Path, "", c.Diff))
		case "delete":
			files = append(files, task.NewFileDiff(c.Path, c.Diff, ""))
		default:
			files = append(files, task.GivenFileDiff(c.Path, c.Diff))
		}
	}
	return files
}

// addMessagePiece takes a piece of a message. The newest message is the turn's.
func (x *exchange) addMessagePiece(id, piece string) {
	if x.message.Add(id, piece) {
		x.log.EndLine()
	}
	x.log.Text(piece)
}

const lineLength = 300 // characters of what a tool is given, in the log

// clipLine returns a text in one line that does not fill the log.
func clipLine(s string) string { return text.Clip(text.OneLine(s), lineLength) }
