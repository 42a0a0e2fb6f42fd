package acp

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"mulligan/agent"
)

// A show writes the log of a turn for people, and keeps the agent's newest message. It is safe
// for use by several goroutines: what an agent asks for is answered beside what it says.
type show struct {
	mu     sync.Mutex
	log    io.Writer
	stream func(...io.Writer) io.WriteCloser // a filter before a writer

	within   bool // a line of the log has begun
	thinking bool
	id       string // of the newest message, where the agent gives one
	acted    bool   // a tool was used since
	reply    *agent.Reply
	to       io.WriteCloser // the reply, through the filter
}

func newShow(log io.Writer, stream func(...io.Writer) io.WriteCloser) *show {
	return &show{log: log, stream: stream}
}

// say takes a piece of a message. Another begins after a tool was used, or with another id.
func (s *show) say(id, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if piece == "" {
		return
	}
	if s.reply == nil || s.acted || id != s.id || s.thinking {
		s.fresh()
	}
	if s.reply == nil || s.acted || id != s.id {
		s.end()
		s.reply = agent.NewReply()
		s.to = s.stream(s.reply)
		s.id, s.acted = id, false
	}
	s.thinking = false
	io.WriteString(s.to, piece)
	s.text(piece)
}

func (s *show) think(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.thinking && piece != "" {
		s.fresh()
		s.text("[thinking] ")
		s.thinking = true
	}
	s.text(piece)
}

// used is that the agent does something, and speaks no more.
func (s *show) used() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acted = true
}

func (s *show) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh()
	s.thinking = false
	s.text(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n") + "\n")
}

// fresh begins a line.
func (s *show) fresh() {
	if s.within {
		s.text("\n")
	}
}

func (s *show) text(piece string) {
	if piece == "" {
		return
	}
	io.WriteString(s.log, piece) // a log that cannot be written stops the turn by itself
	s.within = !strings.HasSuffix(piece, "\n")
}

// close ends the log, and the newest message with it.
func (s *show) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.fresh()
}

// end writes what the filter holds back of the newest message.
func (s *show) end() {
	if s.to != nil {
		s.to.Close()
	}
}

func (s *show) message() (text string, cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reply == nil {
		return "", false
	}
	return s.reply.Message()
}
