package claude

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"mulligan"
	"mulligan/agent"
)

// A transcript is what the program has printed of a turn so far. It keeps what decides the turn's
// result, and writes the rest for people.
type transcript struct {
	log *turnLog

	began        bool   // the program reported that a conversation begins or is resumed
	keySource    string // the source of the API key
	failure      string // the class of the last error of the model's side, "" once the model answered again
	failureKind  string // its class in the API's words
	failedAt     time.Time
	limit        rateLimit // the last that rejected a request
	wait         time.Duration
	denied       []string
	denials      []mulligan.Denial
	newest       *agent.LastMessage
	streamed     string           // the id of the message that comes in pieces
	spent        map[string]usage // by message, of the last few
	earlierUsage usage            // of those before them
	result       *result
	// allowLine returns the line of config that would allow the use of a tool; nil if nobody asks.
	allowLine func(tool string, input json.RawMessage) string
	subtype   string
}

// messagesKept is how many messages are counted apart. Pieces of a message come close to each
// other, but for those of subagents side by side.
const messagesKept = 64

// deniedKept is more tools than a person reads the names of.
const deniedKept = 50

func newTranscript(log io.Writer) *transcript {
	return &transcript{log: newTurnLog(log), newest: agent.Deps{}.NewLastMessage(), spent: map[string]usage{}}
}

// takeLine takes one line of the program's output.
func (t *transcript) takeLine(text []byte) {
	e, ok := decode(text)
	if !ok {
		t.log.EndLine()
		t.log.Output(string(text) + "\n")
		return
	}
	if e.Type == "stream_event" {
		t.takePiece(e)
		return
	}
	t.log.showEvent(e, e.Message.ID == t.streamed)
	switch e.Type {
	case "system":
		t.takeSystem(e)
	case "rate_limit_event":
		if e.RateLimit.Status == "rejected" {
			t.limit = e.RateLimit
		}
	case "assistant":
		t.takeAssistant(e)
	case "result":
		t.result, t.subtype = &e.result, e.Subtype
		for _, d := range e.Denials {
			t.addDenied(d.Tool)
			t.addDenial(d.Tool, d.Input)
		}
	}
}

// noteOversized notes a line that is too large even without the middle of its long strings.
func (t *transcript) noteOversized(_ []byte, size int64) {
	t.log.note("an event of %d bytes was passed over", size)
}

// takePiece takes a part of an answer. Its text is logged at once, and not again when the message
// comes whole. The text of subagents is not part of the agent's message.
func (t *transcript) takePiece(e event) {
	if e.Parent != "" {
		return
	}
	switch e.Stream.Type {
	case "message_start":
		t.streamed = e.Stream.Message.ID
	case "content_block_delta":
		if text := e.Stream.Delta.Text; e.Stream.Delta.Type == "text_delta" && t.streamed != "" {
			t.newest.Add(t.streamed, text)
			t.log.Text(text)
		}
	case "content_block_stop":
		t.log.EndLine()
	}
}

func (t *transcript) takeSystem(e event) {
	switch e.Subtype {
	case "init":
		t.began, t.keySource = true, e.KeySource
	case "api_retry":
		t.wait = 0
		// A server's own word is in whole seconds; what the program makes up is not.
		if ms := int64(e.RetryDelay); e.ErrorStatus == 429 && ms >= 1000 && ms%1000 == 0 {
			t.wait = time.Duration(ms) * time.Millisecond
		}
	case "permission_denied":
		t.addDenied(e.Tool)
	}
}

func (t *transcript) takeAssistant(e event) {
	if e.Error != "" { // written by the program in the model's place
		t.failure, t.failureKind = e.Error, e.ErrorType
		t.failedAt, _ = time.Parse(time.RFC3339, e.Timestamp) // the zero time if it has none
		return
	}
	t.countMessage(e.Message)
	if e.Parent != "" {
		return
	}
	t.failure, t.failureKind = "", ""
	for _, b := range e.Message.Content {
		if b.Type == "text" && b.Text != "" && e.Message.ID != t.streamed {
			t.newest.Add(e.Message.ID, b.Text)
		}
	}
}

// countMessage counts a message once, though it comes in pieces: each has the usage so far.
func (t *transcript) countMessage(m message) {
	if _, known := t.spent[m.ID]; !known && len(t.spent) >= messagesKept {
		t.earlierUsage = t.countedUsage()
		clear(t.spent)
	}
	was := t.spent[m.ID]
	t.spent[m.ID] = usage{
		Input: max(was.Input, m.Usage.Input), Created: max(was.Created, m.Usage.Created),
		Cached: max(was.Cached, m.Usage.Cached), Output: max(was.Output, m.Usage.Output),
	}
}

// countedUsage returns the sum of what the messages report of themselves.
func (t *transcript) countedUsage() usage {
	sum := t.earlierUsage
	for _, m := range t.spent {
		sum.add(m)
	}
	return sum
}

func (t *transcript) addDenied(tool string) {
	if tool != "" && len(t.denied) < deniedKept && !slices.Contains(t.denied, tool) {
		t.denied = append(t.denied, tool)
	}
}

// addDenial adds what a denied tool was to be used on.
func (t *transcript) addDenial(tool string, input json.RawMessage) {
	d := mulligan.Denial{Tool: tool, Subject: firstLine(agent.CallSubject(input), shown)}
	if t.allowLine != nil {
		d.Allow = t.allowLine(tool, input)
	}
	if tool != "" && len(t.denials) < deniedKept && !slices.Contains(t.denials, d) {
		t.denials = append(t.denials, d)
	}
}

// lastMessage returns the last message of the agent: the one in the program's result, or what came
// of it if there is no result. The text of an error is not the agent's message.
func (t *transcript) lastMessage() (text string, cut bool) {
	if t.result == nil || t.result.IsError || t.result.Text == "" {
		return t.newest.Finish()
	}
	said := agent.NewReply()
	io.WriteString(said, t.result.Text)
	return said.Message()
}
