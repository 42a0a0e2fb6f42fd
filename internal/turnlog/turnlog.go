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

// ownMark follows the mark of a call or of output if the tool is one of the session's own. All other calls
// and output have a space there, so no other tool can look like one of these.
const ownMark = ':'

// isMark reports whether a line that begins with c is not words.
func isMark(c byte) bool {
	return c == callMark || c == outputMark || c == thoughtMark || c == remarkMark
}

// IsOwnTool reports whether a line of a turn's log, with its mark, is of one of the session's own tools.
func IsOwnTool(line string) bool {
	return len(line) > 1 && (line[0] == callMark || line[0] == outputMark) && line[1] == ownMark
}

// A Line is a line of a turn's log, without its mark.
type Line struct {
	Kind Kind
	Text string
	More bool // it continues the call of the line before
	Own  bool // it is of one of the session's own tools, whose effects are events
	Cut  bool // the line is longer than Text
}
