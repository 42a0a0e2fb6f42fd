// Package turnlog is the form of the log that an agent's turn leaves: text for people, of which each
// line tells by its first character what it is. A Printer writes it, a Splitter takes it apart.
package turnlog

// A Kind is what a line of a turn's log is.
type Kind string

const (
	Words   Kind = "words"   // the agent says it
	Thought Kind = "thought" // the agent thinks it aloud
	Call    Kind = "call"    // the agent uses a tool: its name, and what it is used on
	Output  Kind = "output"  // a tool printed it
	Remark  Kind = "remark"  // mulligan or the agent's program says it
)

// The marks that begin the lines of each kind. Words have none: where a line of them begins with one
// of these characters, a space goes before it, so that no agent can say that it used a tool.
const (
	callMark    = '>' // twice where the line continues a call
	outputMark  = '|'
	thoughtMark = '~'
	remarkMark  = '['
)

// isMark reports whether a line that begins with c is not words.
func isMark(c byte) bool {
	return c == callMark || c == outputMark || c == thoughtMark || c == remarkMark
}

// A Line is a line of a turn's log, without its mark.
type Line struct {
	Kind Kind
	Text string
	More bool // it continues the call of the line before
	Cut  bool // the line is longer than Text
}
