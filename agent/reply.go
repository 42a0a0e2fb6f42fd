package agent

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"mulligan"
	"mulligan/internal/escape"
	"mulligan/internal/process"
	"mulligan/internal/text"
)

// How much is kept of an agent's reply. The log has all of it; what is kept has to fit an event of
// the journal.
const (
	replyHead = 16 << 10
	replyTail = 16 << 10
	lineShown = 200
	// Of what a program that fails prints as its error. Hooks get it in an environment variable, which
	// holds at most 128 KiB.
	complaintHead = 8 << 10
	complaintTail = 100 << 10
)

// A Reply gathers the text of an agent, of any size in bounded memory.
type Reply struct{ *process.HeadTail }

// NewReply returns an empty reply.
func NewReply() *Reply {
	return &Reply{process.NewHeadTail(replyHead, replyTail)}
}

// Message returns the reply as text, and whether that is less than the agent wrote.
func (r *Reply) Message() (text string, cut bool) {
	head, tail, missing := r.Parts()
	text = plain(head)
	if missing > 0 {
		text += fmt.Sprintf("\n[… %d bytes left out; the log of the turn has them …]\n", missing) + plain(tail)
	}
	return strings.TrimSpace(text), missing > 0
}

// A LastMessage keeps the newest of an agent's messages while they come in pieces, each through the
// filter for secrets.
type LastMessage struct {
	deps  Deps
	id    string
	ended bool // the next piece belongs to another message
	reply *Reply
	to    io.WriteCloser // the reply, through the filter
}

// NewLastMessage returns one that has seen no message.
func (d Deps) NewLastMessage() *LastMessage { return &LastMessage{deps: d} }

// Add adds a piece to the message of an id. It reports whether that is another message than the
// one before, which it replaces.
func (m *LastMessage) Add(id, piece string) (another bool) {
	if another = m.reply == nil || m.ended || m.id != id; another {
		m.closeFilter()
		m.reply, m.id, m.ended = NewReply(), id, false
		m.to = m.deps.Stream(m.reply)
	}
	io.WriteString(m.to, piece) // a reply never fails
	return another
}

// End ends the message: the next piece begins another, whatever its id.
func (m *LastMessage) End() { m.ended = true }

// Is reports whether the newest message has the id.
func (m *LastMessage) Is(id string) bool { return m.reply != nil && m.id == id }

// Finish ends the newest message and returns it as text, and whether that is less than the agent
// wrote.
func (m *LastMessage) Finish() (text string, cut bool) {
	m.End()
	m.closeFilter()
	if m.reply == nil {
		return "", false
	}
	return m.reply.Message()
}

// closeFilter writes what the filter holds back of the message.
func (m *LastMessage) closeFilter() {
	if m.to != nil {
		m.to.Close()
		m.to = nil
	}
}

// A LastLine remembers the last line that a program printed, since most programs give the reason for an
// early end there, and most of what came before it.
type LastLine struct{ *process.HeadTail }

// NewLastLine returns a LastLine that has seen nothing.
func NewLastLine() *LastLine {
	return &LastLine{process.NewHeadTail(complaintHead, complaintTail)}
}

// String returns the line, clipped, or "" if nothing was printed.
func (l *LastLine) String() string {
	head, tail, _ := l.Parts()
	printed := strings.TrimSpace(plain(append(head, tail...)))
	line := strings.TrimSpace(printed[strings.LastIndexByte(printed, '\n')+1:])
	return text.Clip(line, lineShown)
}

// AddTo adds all that the program printed to the result of a turn that it failed, where that is more than
// the line.
func (l *LastLine) AddTo(r *mulligan.Result) {
	if r.Ending.Examined() || r.Ending == mulligan.Cancelled {
		return
	}
	head, tail, missing := l.Parts()
	if missing == 0 {
		if whole := strings.TrimSpace(plain(append(head, tail...))); whole != l.String() {
			r.Complaint = whole
		}
		return
	}
	r.Complaint = strings.TrimSpace(fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", plain(head), missing, plain(tail)))
	r.ComplaintCut = true
}

// plain returns text that is safe to store and show: valid UTF-8, without escapes and control
// characters.
func plain(p []byte) string {
	var b strings.Builder
	b.Grow(len(p))
	var escapes escape.Parser
	for _, r := range string(p) {
		if escapes.Next(r) == escape.Text && (r == '\n' || r == '\t' || !unicode.IsControl(r)) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
