package claude

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// show writes a turn for people: what the agent says in full, what it does in a line each. The
// program keeps the whole of it in its own transcript. The writer is the turn's log, which
// never fails.
type show struct {
	to   io.Writer
	open bool // a line of text has no end yet
}

const shown = 200 // characters of a line about a tool

func (s *show) printf(format string, args ...any) {
	s.endText()
	fmt.Fprintf(s.to, format+"\n", args...)
}

// text is a part of what the agent says, as it comes.
func (s *show) text(text string) {
	if text != "" {
		io.WriteString(s.to, text)
		s.open = !strings.HasSuffix(text, "\n")
	}
}

func (s *show) endText() {
	if s.open {
		io.WriteString(s.to, "\n")
	}
	s.open = false
}

func (s *show) note(text string) { s.printf("[%s]", text) }

// plain is a line that is no event.
func (s *show) plain(line []byte) { s.printf("%s", line) }

// event shows an event. What was said is not said again.
func (s *show) event(e event, said bool) {
	switch e.Type {
	case "system":
		s.system(e)
	case "rate_limit_event":
		if r := e.RateLimit; r.Status != "allowed" && r.Status != "" {
			s.note(fmt.Sprintf("rate limit %s: %s", r.Kind, r.Status))
		}
	case "assistant", "user":
		for _, b := range e.Message.Content {
			if b.Type != "text" || !said {
				s.block(e, b)
			}
		}
	case "result":
		s.result(e)
	}
}

func (s *show) system(e event) {
	switch e.Subtype {
	case "init":
		s.note(fmt.Sprintf("claude %s, model %s, permissions %s, conversation %s", e.Version, e.Model, e.Mode, e.Session))
		for _, m := range e.Servers {
			if m.Status != "connected" {
				s.note(fmt.Sprintf("MCP server %s: %s", m.Name, m.Status))
			}
		}
	case "api_retry":
		delay := time.Duration(e.RetryDelay) * time.Millisecond
		s.note(fmt.Sprintf("%s %d: retry %d of %d in %s", e.Error, e.ErrorStatus, e.Attempt, e.MaxRetries, delay))
	case "permission_denied":
		s.note("denied: " + e.Tool)
	}
}

func (s *show) block(e event, b block) {
	margin := ""
	if e.Parent != "" {
		margin = "  "
	}
	switch {
	case b.Type == "text" && e.Type == "assistant":
		s.printf("%s%s", margin, strings.TrimSuffix(b.Text, "\n"))
	case b.Type == "tool_use":
		s.printf("%s> %s %s", margin, b.Name, oneLine(point(b.Input), shown))
	case b.Type == "tool_result":
		s.printf("%s  %s", margin, outcome(b))
	}
}

// telling are the inputs that say most about a call, the best first.
var telling = []string{"command", "file_path", "notebook_path", "path", "pattern", "url", "query", "skill", "content", "description", "prompt"}

// point is what a call is about.
func point(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) == nil {
		for _, name := range telling {
			if text, ok := fields[name].(string); ok && text != "" {
				return text
			}
		}
	}
	if text := string(input); text != "{}" {
		return text
	}
	return ""
}

// outcome is a tool's result in a line.
func outcome(b block) string {
	var text strings.Builder
	for _, piece := range b.Content {
		text.WriteString(piece.Text)
	}
	said := strings.TrimSpace(text.String())
	line := oneLine(said, shown)
	if more := strings.Count(said, "\n"); more > 0 {
		line += fmt.Sprintf(" (and %d more lines)", more)
	}
	if b.IsError {
		return "failed: " + line
	}
	return line
}

func (s *show) result(e event) {
	for _, text := range e.Errors {
		s.note(oneLine(text, shown))
	}
	sum, cost := total(e.Since)
	u := tokens(sum)
	s.note(fmt.Sprintf("%s: %d turns, %d tokens in, %d out, $%.4f", e.Subtype, e.Turns, u.InputTokens, u.OutputTokens, cost))
}
