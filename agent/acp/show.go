package acp

import (
	"fmt"
	"strings"
	"sync"

	"mulligan/agent"
)

// A show writes the log of a turn for people, and keeps the agent's newest message. It is safe for
// concurrent use: what an agent asks for is answered beside what it says.
type show struct {
	mu       sync.Mutex
	log      *agent.Printer
	thinking bool // the last text was a thought
	newest   *agent.LastMessage
}

// say takes a piece of a message. Another message begins after a tool was used, or with another id.
func (s *show) say(id, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if piece == "" {
		return
	}
	if another := s.newest.Add(id, piece); another || s.thinking {
		s.log.EndLine()
	}
	s.thinking = false
	s.log.Text(piece)
}

// think takes a piece of a thought, which is shown and no part of a message.
func (s *show) think(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.thinking && piece != "" {
		s.log.EndLine()
		s.log.Text("[thinking] ")
		s.thinking = true
	}
	s.log.Text(piece)
}

// endMessage ends the newest message: the agent uses a tool.
func (s *show) endMessage() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest.End()
}

// line writes a line of its own.
func (s *show) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thinking = false
	s.log.Line("%s", strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

// finish ends the log, and returns the newest message and whether it is less than was said.
func (s *show) finish() (message string, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.EndLine()
	return s.newest.Finish()
}
