package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/turnlog"
)

// networkPatience is how long Codex may try to reach its model without success. It would try for
// ever, and report that often enough never to be idle.
const networkPatience = 30 * time.Second

// An exchange is the conversation with the app server of one turn. Lines of Codex are taken in
// order, on one goroutine.
type exchange struct {
	agent  *Agent
	turn   mulligan.Turn
	env    []string
	out    *agent.Pipe
	log    *turnlog.Printer
	permit func(what, same string, answer func(allowed bool)) // asks a person, and answers later

	thread  string
	turnID  string
	trusted map[string]hookTrust
	servers []string // of the user's config, to be left out of a read-only turn
	message *agent.LastMessage
	changes map[string]string
	spent   spending
	limits  rateLimits
	trouble time.Time  // since when Codex cannot reach its model; zero: it can
	gaveUp  *turnError // why mulligan stopped the turn
	ended   *turnEnd
	failed  string // the request of ours that was refused, and why
	code    int
	lost    bool // the conversation is gone

	mu     sync.Mutex // guards denied: answers of a person come on other goroutines
	denied []mulligan.Denial
}

func newExchange(a *Agent, t mulligan.Turn, env []string, log io.Writer) *exchange {
	return &exchange{
		agent: a, turn: t, env: env, out: agent.NewPipe(), log: turnlog.NewPrinter(log),
		message: a.deps.NewLastMessage(), changes: map[string]string{},
	}
}

// A turnEnd is how Codex reports that the turn ended.
type turnEnd struct {
	Status string     `json:"status"` // completed, interrupted, failed
	Error  *turnError `json:"error"`
}

func (x *exchange) sendRequest(id, method string, params any) {
	x.send(message{ID: json.RawMessage(id), Method: method, Params: marshal(params)})
}

func (x *exchange) send(m message) {
	line, err := json.Marshal(m)
	if err == nil {
		x.out.Write(append(line, '\n')) // fails only after the end of the exchange
	}
}

func marshal(v any) json.RawMessage {
	text, _ := json.Marshal(v) // nothing here is of a kind that does not marshal
	return text
}

// takeLine takes one line of Codex's output.
func (x *exchange) takeLine(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		x.log.EndLine()
		x.log.Output(string(line) + "\n")
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		x.answerRequest(m)
	case m.Method != "":
		x.takeNotification(m.Method, m.Params)
	case m.ID != nil:
		x.takeAnswer(m)
	}
}

// noteOversized notes a line that is too large to be read.
func (x *exchange) noteOversized(_ []byte, size int64) {
	x.log.Line("[codex: a message of %d bytes was passed over]", size)
}

// takeAnswer takes the answer to a request of ours and sends the next.
func (x *exchange) takeAnswer(m message) {
	id := string(m.ID)
	if m.Error != nil {
		x.failRequest(id, m.Error)
		return
	}
	switch id {
	case idInitialize:
		x.send(message{Method: "initialized"})
		if x.turn.ReadOnly {
			x.sendRequest(idReadConfig, "config/read", map[string]any{"includeLayers": false})
			return
		}
		if len(x.agent.opt.Hooks) > 0 {
			x.sendRequest(idListHooks, "hooks/list", map[string]any{"cwds": []string{x.turn.Dir}})
			return
		}
		x.open()
	case idReadConfig:
		x.findToolServers(m.Result)
	case idListHooks:
		x.trustHooks(m.Result)
	case idOpenThread:
		x.takeThread(m.Result)
	case idStartTurn:
		var r struct{ Turn struct{ ID string } }
		json.Unmarshal(m.Result, &r) // without an id only the interruption is not possible
		x.turnID = r.Turn.ID
	}
}

// findToolServers finds the tool servers of the user's config: a setting that is an empty table leaves
// them as they are, so that each has to be switched off by its name.
func (x *exchange) findToolServers(result json.RawMessage) {
	var r struct {
		Config struct {
			Servers map[string]json.RawMessage `json:"mcp_servers"`
		}
	}
	if err := json.Unmarshal(result, &r); err != nil {
		x.failed = "its config cannot be read: " + err.Error()
		x.out.Close()
		return
	}
	x.servers = slices.Sorted(maps.Keys(r.Config.Servers))
	x.open()
}

// trustHooks lets our hooks run. The turn fails if Codex lacks one of them: what the hook is to
// prevent would happen.
func (x *exchange) trustHooks(list json.RawMessage) {
	x.trusted = findOwnHooks(list)
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
	x.sendRequest(idOpenThread, method, x.threadParams())
}

func (x *exchange) takeThread(result json.RawMessage) {
	var r struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(result, &r); err != nil || r.Thread.ID == "" {
		x.failed = "its answer names no thread"
		x.out.Close()
		return
	}
	x.thread = r.Thread.ID
	x.sendRequest(idStartTurn, "turn/start", map[string]any{
		"threadId": x.thread, "input": []any{map[string]any{"type": "text", "text": x.turn.Prompt}},
	})
}

// failRequest ends the exchange: each of our requests is needed for the turn, but for the
// interruption.
func (x *exchange) failRequest(id string, e *wireError) {
	if id == idInterrupt {
		return
	}
	step := map[string]string{idInitialize: "begin", idReadConfig: "read its config", idListHooks: "list its hooks", idOpenThread: "open the conversation", idStartTurn: "take the prompt"}[id]
	x.failed, x.code = fmt.Sprintf("it would not %s: %s", step, e.Message), e.Code
	x.lost = id == idOpenThread && e.Code != codeOverloaded && !strings.Contains(e.Message, toolsFailedPrefix)
	x.out.Close()
}

// takeTurnEnd takes the end of the turn. Nothing is left to be sent.
func (x *exchange) takeTurnEnd(params json.RawMessage) {
	var p struct {
		ThreadID string  `json:"threadId"`
		Turn     turnEnd `json:"turn"`
	}
	if json.Unmarshal(params, &p) != nil || p.ThreadID != x.thread {
		return
	}
	x.ended = &p.Turn
	x.out.Close()
}

// takeError takes an error that Codex tries to get over by itself. It interrupts the turn if Codex
// has tried for too long.
func (x *exchange) takeError(params json.RawMessage) {
	var p struct {
		Error     turnError `json:"error"`
		WillRetry bool      `json:"willRetry"`
		ThreadID  string    `json:"threadId"`
	}
	if json.Unmarshal(params, &p) != nil || p.ThreadID != x.thread {
		return
	}
	x.log.Line("[codex: %s]", strings.TrimSpace(p.Error.Message+" "+p.Error.Details))
	if _, status := p.Error.kindAndStatus(); !p.WillRetry || status != 0 {
		return
	}
	now := x.agent.now()
	if x.trouble.IsZero() {
		x.trouble = now
	}
	if now.Sub(x.trouble) >= networkPatience && x.gaveUp == nil {
		x.gaveUp = &p.Error
		x.sendRequest(idInterrupt, "turn/interrupt", map[string]any{"threadId": x.thread, "turnId": x.turnID})
	}
}

// addDenied remembers what the agent was kept from. It is safe for concurrent use.
// allow is the line of config that would allow it, or "" if only full permissions would.
func (x *exchange) addDenied(what, allow string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.denied = append(x.denied, mulligan.Denial{Tool: what, Allow: allow})
}
