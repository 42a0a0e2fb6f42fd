package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/jsonlines"
	"mulligan/internal/process"
	"mulligan/internal/turnlog"
)

// An exchange is the conversation with the program of one turn. Requests and answers go through the
// protocol's kit. Notifications do not: the kit gives up a connection that has more of them than it
// holds, and a line that is longer than it reads.
type exchange struct {
	agent *Agent
	turn  mulligan.Turn
	env   []string
	out   *agent.Pipe // what mulligan sends
	in    *agent.Pipe // what the kit reads
	lines *jsonlines.Splitter
	kit   *protocol.Connection
	log   *turnLog

	mu       sync.Mutex
	program  string // the name by which it greets, where it has one
	session  string
	asked    int                 // requests of ours
	answers  int                 // how many of those were answered
	waiting  map[float64]bool    // the others, by the kit's ids
	notified int                 // notifications so far
	calls    map[string]toolCall // what is known of the tools in use
	denied   []mulligan.Denial
	lost     error // a message that the turn cannot do without
}

func newExchange(a *Agent, t mulligan.Turn, env []string, log io.Writer) *exchange {
	x := &exchange{agent: a, turn: t, env: env, out: agent.NewPipe(), in: agent.NewPipe(), waiting: map[float64]bool{}, calls: map[string]toolCall{}}
	x.log = &turnLog{printer: turnlog.NewPrinter(log), newest: a.deps.NewLastMessage()}
	x.lines = jsonlines.New(x.takeLine, x.noteOversized)
	x.kit = protocol.NewConnection(x.answerRequest, io.MultiWriter(jsonlines.New(x.trackRequest, nil), x.out), x.in)
	x.kit.SetLogger(slog.New(slog.DiscardHandler)) // it complains of what the log has anyway
	return x
}

// trackRequest takes one line that mulligan sends, before the program can have read it. The kit
// keeps the ids of its requests to itself.
func (x *exchange) trackRequest(line []byte) {
	var m struct {
		ID     *float64 `json:"id"`
		Method string   `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil || m.Method == "" {
		return // an answer to the program, whose ids are of any kind, or a notification
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting[*m.ID] = true
}

// takeLine takes one line of the program's output.
func (x *exchange) takeLine(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	switch {
	case json.Unmarshal(line, &m) != nil, m.Method == "" && m.ID == nil:
		x.log.output(toolCall{}, string(line))
	case m.Method != "" && m.ID == nil:
		x.takeNotification(m.Method, m.Params)
	default:
		if m.Method == "" {
			x.trackAnswer(line)
		}
		x.in.Write(append(bytes.Clone(line), '\n'))
	}
}

// trackAnswer counts an answer to a request of ours, once, and only if the kit can read it: the kit
// reports nothing else, and to take a request for answered that is not would be to wait in vain.
func (x *exchange) trackAnswer(line []byte) {
	var m struct {
		Version string                 `json:"jsonrpc"`
		ID      *float64               `json:"id"`
		Error   *protocol.RequestError `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil || m.ID == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting[*m.ID] {
		delete(x.waiting, *m.ID)
		x.answers++
	}
}

// noteOversized notes a line that is too large to be read. The turn can do without a notification,
// but not without an answer.
func (x *exchange) noteOversized(head []byte, size int64) {
	x.log.line("[a message of %d bytes was passed over]", size)
	if keys := firstKeys(head); keys["method"] && !keys["id"] {
		return
	}
	x.mu.Lock()
	x.lost = fmt.Errorf("a message of %d bytes is more than is read", size)
	x.mu.Unlock()
	x.in.Close()
}

// firstKeys returns the keys of an object that come before its first large value.
func firstKeys(head []byte) map[string]bool {
	keys := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return keys
	}
	for {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return keys
		}
		keys[name] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys
		}
	}
}

// converse opens a conversation and sends the prompt.
func (x *exchange) converse(ctx context.Context) (o outcome) {
	defer func() { o.answered = x.isAnswered() }()
	var agent greeting
	o.session, o.request = x.turn.Conversation, "begin"
	if agent, o.err = sendRequest[greeting](ctx, x, protocol.AgentMethodInitialize, initializeParams()); o.err != nil {
		return o
	}
	x.mu.Lock()
	x.program = agent.Program.Name
	x.mu.Unlock()
	if agent.Version != protocol.ProtocolVersionNumber {
		o.cannot = fmt.Sprintf("it speaks version %d of the protocol, and mulligan %d", agent.Version, protocol.ProtocolVersionNumber)
		return o
	}
	o.request, o.opening = "open the conversation", true
	var session openedSession
	if session, o.err = x.openSession(ctx, agent); o.err != nil {
		return o
	}
	o.opening = false
	if o.session = session.ID; !agent.canContinue() {
		o.session = ""
	}
	o.request = "use the model " + x.modelName()
	if o.cannot, o.err = x.setModel(ctx, session); o.cannot != "" || o.err != nil {
		return o
	}
	o.request = "take the prompt"
	o.answer, o.err = x.sendPrompt(ctx, session.ID)
	return o
}

// sendRequest sends a request of ours and waits for its answer.
func sendRequest[T any](ctx context.Context, x *exchange, method string, params any) (T, error) {
	x.mu.Lock()
	x.asked++
	x.mu.Unlock()
	return protocol.SendRequest[T](x.kit, ctx, method, params)
}

// isAnswered reports whether the last request was answered. The kit returns an error for the end of
// the program too, and after an answer that was the program's last word its connection has ended as
// well.
func (x *exchange) isAnswered() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.answers >= x.asked
}

// sendPrompt sends the prompt and waits for the turn to end. When ctx ends it asks the agent to end
// the turn by itself, which leaves the agent's own record of the conversation whole.
func (x *exchange) sendPrompt(ctx context.Context, session string) (*promptAnswer, error) {
	x.mu.Lock()
	x.session = session // what comes from here on belongs to this turn
	x.mu.Unlock()
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-over:
			return
		case <-ctx.Done():
		}
		if !errors.Is(context.Cause(ctx), process.ErrNow) {
			x.kit.SendNotification(waiting, protocol.AgentMethodSessionCancel, protocol.CancelNotification{SessionId: protocol.SessionId(session)})
			select {
			case <-over:
			case <-time.After(cancelWithin):
			}
		}
		stop()
	}()
	answer, err := sendRequest[promptAnswer](waiting, x, protocol.AgentMethodSessionPrompt, protocol.PromptRequest{
		SessionId: protocol.SessionId(session), Prompt: []protocol.ContentBlock{protocol.TextBlock(x.turn.Prompt)},
	})
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

// waitForSilence waits until the program has sent a resumed conversation again. That should be so
// once it is open, but some agents send the rest of it after. It looks at the silence piece by
// piece: on a busy machine all of it may pass before we read what was sent in it.
func (x *exchange) waitForSilence(ctx context.Context) {
	end := time.Now().Add(silenceWithin)
	for before, quiet := x.notificationCount(), 0; quiet < silenceLooks && ctx.Err() == nil && time.Now().Before(end); quiet++ {
		time.Sleep(silenceWanted / silenceLooks)
		if now := x.notificationCount(); now != before {
			before, quiet = now, -1
		}
	}
}

func (x *exchange) notificationCount() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.notified
}

// awaitOutcome returns what the conversation came to, after the end of the process. All of the
// output has been taken, so a request without an answer never gets one; the kit may still need time
// to read an answer.
func (x *exchange) awaitOutcome(outcomes <-chan outcome) outcome {
	for end := time.Now().Add(answerWithin); x.isAnswered() && time.Now().Before(end); {
		select {
		case o := <-outcomes:
			return o
		case <-time.After(pollInterval):
		}
	}
	x.in.Close()
	return <-outcomes
}

// finish returns what the conversation came to, once the process has ended.
func (x *exchange) finish(outcomes <-chan outcome) outcome {
	x.lines.Close()
	o := x.awaitOutcome(outcomes)
	x.in.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	o.denied = len(x.denied) > 0
	if x.lost != nil {
		o.cannot = x.lost.Error()
	}
	return o
}
