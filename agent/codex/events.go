package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mulligan/agent"
)

// An item is a piece of the agent's work, of whichever type. What a type does not have is empty.
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
	}
	Server    string
	Tool      string
	Arguments json.RawMessage
	Error     *struct{ Message string }
	Query     string
}

// notified takes something that happened. What is not known is passed over.
func (x *exchange) notified(method string, params json.RawMessage) {
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
		x.progressed()
		x.say(p.ItemID, p.Delta)
	case "item/started":
		x.progressed()
		x.started(p.Item)
	case "item/commandExecution/outputDelta":
		x.log.text(p.Delta)
	case "item/completed":
		x.progressed()
		x.finished(p.Item)
	case "turn/plan/updated":
		for _, s := range p.Plan {
			x.log.line("[plan] %s: %s", s.Status, s.Step)
		}
	case "thread/tokenUsage/updated":
		x.spent.add(params, x.turnID)
	case "account/rateLimits/updated":
		x.limits.update(params)
	case "error":
		x.troubled(params)
	case "warning", "guardianWarning", "configWarning", "deprecationNotice":
		x.log.line("[codex: %s]", strings.TrimSpace(p.Message+p.Summary))
	case "mcpServer/startupStatus/updated":
		if p.Status == "failed" {
			x.log.line("[codex: the tool server %s does not start: %v]", p.Name, p.Error)
		}
	case "turn/completed":
		x.completed(params)
	}
}

// started shows what the agent is at.
func (x *exchange) started(i item) {
	switch i.Type {
	case "commandExecution":
		x.log.line("$ %s", i.Command)
	case "fileChange":
		if x.changes == nil {
			x.changes = map[string]string{}
		}
		x.changes[i.ID] = i.paths()
	case "mcpToolCall":
		x.log.line("[%s.%s] %s", i.Server, i.Tool, brief(string(i.Arguments)))
	case "webSearch":
		x.log.line("[search] %s", brief(i.Query))
	}
}

// finished shows how it went.
func (x *exchange) finished(i item) {
	switch i.Type {
	case "agentMessage":
		x.sayAll(i)
	case "reasoning":
		for _, s := range i.Summary {
			x.log.line("[thinking] %s", s)
		}
	case "commandExecution":
		x.ran(i)
	case "fileChange":
		for _, c := range i.Changes {
			x.log.line("[%s] %s", c.Kind.Type, c.Path)
		}
		x.declined(i, "change "+i.paths())
	case "mcpToolCall":
		if i.Error != nil {
			x.log.line("[%s.%s failed: %s]", i.Server, i.Tool, brief(i.Error.Message))
		}
	}
}

func (x *exchange) ran(i item) {
	if i.Output != nil && !x.log.streamed {
		x.log.text(*i.Output)
	}
	if i.Exit != nil && *i.Exit != 0 {
		x.log.line("[exit status %d]", *i.Exit)
	}
	x.declined(i, "run "+i.Command)
}

func (x *exchange) declined(i item, what string) {
	if i.Status == "declined" {
		x.log.line("[denied]")
		x.deny(what)
	}
}

func (i item) paths() string {
	var paths []string
	for _, c := range i.Changes {
		paths = append(paths, c.Path)
	}
	return strings.Join(paths, ", ")
}

// A saying is one message of the agent's, while it is said.
type saying struct {
	id    string
	reply *agent.Reply
	to    io.WriteCloser // the reply, through the filter
}

// say takes a piece of a message. The newest message is the turn's.
func (x *exchange) say(id, piece string) {
	if x.said == nil || x.said.id != id {
		x.hush()
		x.log.fresh()
		reply := agent.NewReply()
		x.said = &saying{id: id, reply: reply, to: x.agent.deps.Stream(reply)}
	}
	io.WriteString(x.said.to, piece)
	x.log.text(piece)
}

// sayAll takes a message that is over, which may have come in no pieces.
func (x *exchange) sayAll(i item) {
	if x.said == nil || x.said.id != i.ID {
		x.say(i.ID, i.Text)
	}
	x.log.fresh()
}

func (x *exchange) hush() {
	if x.said != nil {
		x.said.to.Close()
	}
}

// over is the message that the turn ended with.
func (x *exchange) over() (text string, cut bool) {
	x.hush()
	x.log.fresh()
	if x.said == nil {
		return "", false
	}
	return x.said.reply.Message()
}

// brief keeps what a tool is given from filling the log.
func brief(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// A printer writes the log of a turn for people: what the agent says as it comes, and what
// it does in lines of their own.
type printer struct {
	to       io.Writer
	within   bool // a line has begun
	streamed bool // the last line's command has printed since
}

func (p *printer) text(s string) {
	if s == "" {
		return
	}
	io.WriteString(p.to, s) // a log that cannot be written stops the turn by itself
	p.within, p.streamed = !strings.HasSuffix(s, "\n"), true
}

// fresh begins a line.
func (p *printer) fresh() {
	if p.within {
		p.text("\n")
	}
}

func (p *printer) line(format string, args ...any) {
	p.fresh()
	p.text(fmt.Sprintf(format, args...) + "\n")
	p.streamed = false
}
