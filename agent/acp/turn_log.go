package acp

import (
	"fmt"
	"strings"
	"sync"

	"mulligan/agent"
)

// A turnLog writes the log of a turn for people, and keeps the agent's newest message. It is safe for
// concurrent use: what an agent asks for is answered beside what it says.
type turnLog struct {
	mu       sync.Mutex
	printer  *agent.Printer
	thinking bool // the last text was a thought
	newest   *agent.LastMessage
}

// addMessagePiece takes a piece of a message. Another message begins after a tool was used, or with another id.
func (s *turnLog) addMessagePiece(id, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if piece == "" {
		return
	}
	if another := s.newest.Add(id, piece); another || s.thinking {
		s.printer.EndLine()
	}
	s.thinking = false
	s.printer.Text(piece)
}

// addThought takes a piece of a thought, which is shown and no part of a message.
func (s *turnLog) addThought(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.thinking && piece != "" {
		s.printer.EndLine()
		s.printer.Text("[thinking] ")
		s.thinking = true
	}
	s.printer.Text(piece)
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
	s.thinking = false
	s.printer.Line("%s", strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

// finish ends the log, and returns the newest message and whether it is less than was said.
func (s *turnLog) finish() (message string, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printer.EndLine()
	return s.newest.Finish()
}
