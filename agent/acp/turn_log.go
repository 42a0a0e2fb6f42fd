package acp

import (
	"strings"
	"sync"

	"mulligan/agent"
	"mulligan/internal/turnlog"
)

// A turnLog writes the log of a turn for people, and keeps the agent's newest message. It is safe for
// concurrent use: what an agent asks for is answered beside what it says.
type turnLog struct {
	mu      sync.Mutex
	printer *turnlog.Printer
	newest  *agent.LastMessage
}

// addMessagePiece takes a piece of a message. Another message begins after a tool was used, or with another id.
func (s *turnLog) addMessagePiece(id, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if piece == "" {
		return
	}
	if s.newest.Add(id, piece) {
		s.printer.EndLine()
	}
	s.printer.Text(piece)
}

// addThought takes a piece of a thought, which is shown and no part of a message.
func (s *turnLog) addThought(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printer.Thought(piece)
}

// endMessage ends the newest message: the agent uses a tool.
func (s *turnLog) endMessage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest.End()
}

// line writes a line of its own.
func (s *turnLog) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printer.Line(format, args...)
}

// call writes that the agent uses a tool.
func (s *turnLog) call(c toolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if tool := c.sessionTool(); tool != "" {
		s.printer.OwnCall(tool, c.subject)
		return
	}
	s.printer.Call(c.String(), "")
}

// output writes what a tool printed, or the program beside its messages.
func (s *turnLog) output(c toolCall, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.sessionTool() != "" {
		s.printer.OwnOutput(text)
		return
	}
	s.printer.EndLine()
	s.printer.Output(strings.TrimSuffix(text, "\n") + "\n")
}

// finish ends the log, and returns the newest message and whether it is less than was said.
func (s *turnLog) finish() (message string, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printer.EndLine()
	return s.newest.Finish()
}
