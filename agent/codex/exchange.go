package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/agent"
)

// networkPatience is for how long Codex may try to reach its model without getting anywhere.
// It would go on for ever, and say so often enough never to be silent.
const networkPatience = 30 * time.Second

// An exchange is the conversation with the app server of one turn. All that Codex says comes
// in order, on one goroutine.
type exchange struct {
	agent  *Agent
	turn   mulligan.Turn
	env    []string
	out    *agent.Pipe
	log    *agent.Printer
	permit func(what string, answer func(allowed bool)) // asks a person, and answers later

	thread  string
	turnID  string
	trusted map[string]hookTrust
	message *agent.LastMessage
	changes map[string]string
	spent   spending
	limits  rateLimits
	trouble time.Time  // since when it cannot reach its model
	gaveUp  *turnError // why we stopped the turn
	ended   *ended
	failed  string // our request that was refused, and why
	code    int
	lost    bool // the conversation is not there

	mu     sync.Mutex // answers of a person come on other goroutines
	denied []string
}

func newExchange(a *Agent, t mulligan.Turn, env []string, log io.Writer) *exchange {
	return &exchange{
		agent: a, turn: t, env: env, out: agent.NewPipe(), log: agent.NewPrinter(log),
		message: a.deps.NewLastMessage(), changes: map[string]string{},
	}
}

// An ended is how Codex says that the turn ended.
type ended struct {
	Status string     `json:"status"` // completed, interrupted, failed
	Error  *turnError `json:"error"`
}

func (x *exchange) begin() { x.ask(initialize, "initialize", initializeParams()) }

func (x *exchange) ask(id, method string, params any) {
	x.send(message{ID: json.RawMessage(id), Method: method, Params: marshal(params)})
}

func (x *exchange) send(m message) {
	line, err := json.Marshal(m)
	if err == nil {
		x.out.Write(append(line, '\n')) // after the end nobody listens any more
	}
}

func marshal(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil // nothing here is of a kind that does not marshal
	}
	return text
}

// heard takes one line of what Codex says.
func (x *exchange) heard(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		x.log.Line("%s", line)
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		x.requested(m)
	case m.Method != "":
		x.notified(m.Method, m.Params)
	case m.ID != nil:
		x.answered(m)
	}
}

// passedOver is told of a line that is too large to be read.
func (x *exchange) passedOver(_ []byte, size int64) {
	x.log.Line("[codex: a message of %d bytes was passed over]", size)
}

// answered takes the answer to a request of ours and makes the next.
func (x *exchange) answered(m message) {
	id := string(m.ID)
	if m.Error != nil {
		x.refused(id, m.Error)
		return
	}
	switch id {
	case initialize:
		x.send(message{Method: "initialized"})
		if len(x.agent.opt.Hooks) > 0 {
			x.ask(listHooks, "hooks/list", map[string]any{"cwds": []string{x.turn.Dir}})
			return
		}
		x.open()
	case listHooks:
		x.trust(m.Result)
	case openThread:
		x.opened(m.Result)
	case startTurn:
		var r struct{ Turn struct{ ID string } }
		json.Unmarshal(m.Result, &r) // without an id only the interruption is not possible
		x.turnID = r.Turn.ID
	}
}

// trust lets our hooks run. A turn without one of them is not taken: what it is to keep from
// happening would happen.
func (x *exchange) trust(list json.RawMessage) {
	x.trusted = trust(list)
	if missing := len(x.agent.opt.Hooks) - len(x.trusted); missing > 0 {
		x.failed = fmt.Sprintf("it does not take %d of the hooks inside it", missing)
		x.out.Close()
		return
	}
	x.open()
}

func (x *exchange) open() {
	method := "thread/start"
	if x.turn.Conversation != "" {
		method = "thread/resume"
	}
	x.ask(openThread, method, x.threadParams())
}

func (x *exchange) opened(result json.RawMessage) {
	var r struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(result, &r); err != nil || r.Thread.ID == "" {
		x.failed = "its answer names no thread"
		x.out.Close()
		return
	}
	x.thread = r.Thread.ID
	x.ask(startTurn, "turn/start", map[string]any{
		"threadId": x.thread, "input": []any{map[string]any{"type": "text", "text": x.turn.Prompt}},
	})
}

// refused ends the exchange: without any one of our requests there is no turn.
func (x *exchange) refused(id string, e *wireError) {
	if id == interrupt {
		return
	}
	step := map[string]string{initialize: "begin", listHooks: "list its hooks", openThread: "open the conversation", startTurn: "take the prompt"}[id]
	x.failed, x.code = fmt.Sprintf("it would not %s: %s", step, e.Message), e.Code
	x.lost = id == openThread && e.Code != overloaded && !strings.Contains(e.Message, withoutTools)
	x.out.Close()
}

// completed takes the end of the turn. What is left to be said is nothing.
func (x *exchange) completed(params json.RawMessage) {
	var p struct {
		ThreadID string `json:"threadId"`
		Turn     ended  `json:"turn"`
	}
	if json.Unmarshal(params, &p) != nil || p.ThreadID != x.thread {
		return
	}
	x.ended = &p.Turn
	x.out.Close()
}

// troubled is told of an error that Codex tries to get over by itself.
func (x *exchange) troubled(params json.RawMessage) {
	var p struct {
		Error     turnError `json:"error"`
		WillRetry bool      `json:"willRetry"`
		ThreadID  string    `json:"threadId"`
	}
	if json.Unmarshal(params, &p) != nil || p.ThreadID != x.thread {
		return
	}
	x.log.Line("[codex: %s]", strings.TrimSpace(p.Error.Message+" "+p.Error.Details))
	if _, status := p.Error.kind(); !p.WillRetry || status != 0 {
		return
	}
	now := x.agent.now()
	if x.trouble.IsZero() {
		x.trouble = now
	}
	if now.Sub(x.trouble) >= networkPatience && x.gaveUp == nil {
		x.gaveUp = &p.Error
		x.ask(interrupt, "turn/interrupt", map[string]any{"threadId": x.thread, "turnId": x.turnID})
	}
}

// deny remembers what the agent was kept from.
func (x *exchange) deny(what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.denied = append(x.denied, what)
}

// progressed is that the model answers.
func (x *exchange) progressed() { x.trouble = time.Time{} }
