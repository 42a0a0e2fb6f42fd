package claude

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mulligan/agent"
	"mulligan/internal/turnlog"
)

// A turnLog writes a turn for people: what the agent says in full, what it does in a line each. The
// program keeps the whole of it in its own transcript.
type turnLog struct {
	*turnlog.Printer
	own map[string]bool // the calls of the session's own tools that have no result yet, by id
}

func newTurnLog(w io.Writer) *turnLog {
	return &turnLog{Printer: turnlog.NewPrinter(w), own: map[string]bool{}}
}

const shown = 200 // characters of a line about a tool

// note writes a line in brackets: what mulligan remarks.
func (s *turnLog) note(format string, args ...any) { s.Line("["+format+"]", args...) }

// showEvent writes an event. said reports whether its text is in the log already.
func (s *turnLog) showEvent(e event, said bool) {
	switch e.Type {
	case "system":
		s.showSystem(e)
	case "rate_limit_event":
		if r := e.RateLimit; r.Status != "allowed" && r.Status != "" {
			s.note("rate limit %s: %s", r.Kind, r.Status)
		}
	case "assistant", "user":
		for _, b := range e.Message.Content {
			if b.Type != "text" || !said {
				s.showBlock(e, b)
			}
		}
	case "result":
		s.showResult(e)
	}
}

func (s *turnLog) showSystem(e event) {
	switch e.Subtype {
	case "init":
		s.note("claude %s, model %s, permissions %s, conversation %s", e.Version, e.Model, e.Mode, e.Session)
		for _, m := range e.Servers {
			if m.Status != "connected" {
				s.note("MCP server %s: %s", m.Name, m.Status)
			}
		}
	case "api_retry":
		delay := time.Duration(e.RetryDelay) * time.Millisecond
		s.note("%s %d: retry %d of %d in %s", e.Error, e.ErrorStatus, e.Attempt, e.MaxRetries, delay)
	case "permission_denied":
		s.note("denied: %s", e.Tool)
	}
}

func (s *turnLog) showBlock(e event, b block) {
	margin := ""
	if e.Parent != "" {
		margin = "  "
	}
	switch {
	case b.Type == "text" && e.Type == "assistant":
		s.EndLine()
		s.Text(margin + strings.TrimSuffix(b.Text, "\n") + "\n")
	case b.Type == "tool_use":
		s.showCall(margin, b)
	case b.Type == "tool_result" && s.own[b.CallID]:
		delete(s.own, b.CallID)
		s.OwnOutput(toolOutcome(b))
	case b.Type == "tool_result":
		s.Output(margin + toolOutcome(b) + "\n")
	}
}

// showCall writes that the agent uses a tool.
func (s *turnLog) showCall(margin string, b block) {
	if tool, own := agent.SessionTool(b.Name); own {
		s.own[b.ID] = true
		s.OwnCall(tool, agent.CallSubject(b.Input))
		return
	}
	s.Call(margin+b.Name, agent.CallSubject(b.Input))
}

// toolOutcome returns a tool's result in a line.
func toolOutcome(b block) string {
	var text strings.Builder
	for _, piece := range b.Content {
		text.WriteString(piece.Text)
	}
	said := strings.TrimSpace(text.String())
	line := firstLine(said, shown)
	if more := strings.Count(said, "\n"); more > 0 {
		line += fmt.Sprintf(" (and %d more lines)", more)
	}
	if b.IsError {
		return "failed: " + line
	}
	return line
}

func (s *turnLog) showResult(e event) {
	for _, text := range e.Errors {
		s.note("%s", firstLine(text, shown))
	}
	sum, cost := sumModels(e.Since)
	u := toUsage(sum)
	s.note("%s: %d turns, %d tokens in, %d out, $%.4f", e.Subtype, e.Turns, u.InputTokens, u.OutputTokens, cost)
}
