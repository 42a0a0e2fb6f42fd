package acp

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		agenttest.ServeTools()
		return
	}
	agenttest.Main(m, func(b agenttest.Behaviour) error { return newFake(b).run() })
}

// A fake is an agent that speaks the protocol and behaves so. FAKE in its environment has words
// for what it does besides.
type fake struct {
	behaviour agenttest.Behaviour
	mode      string
	session   string
	mu        sync.Mutex
	out       *bufio.Writer
	prompt    json.RawMessage // the id of the prompt that is not answered yet
	answers   chan json.RawMessage
	late      bool // an old message comes after the conversation is open
}

func newFake(b agenttest.Behaviour) *fake {
	return &fake{behaviour: b, mode: os.Getenv("FAKE"), out: bufio.NewWriter(os.Stdout), answers: make(chan json.RawMessage, 8)}
}

func (f *fake) is(mode string) bool { return strings.Contains(f.mode, mode) }

func (f *fake) tell(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(f.out, format+"\n", args...)
	if f.behaviour.Flood == 0 {
		f.out.Flush()
	}
}

func (f *fake) answer(id json.RawMessage, result string) {
	f.tell(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Flush()
}

func (f *fake) update(format string, args ...any) {
	f.tell(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, f.session, fmt.Sprintf(format, args...))
}

func (f *fake) say(text string) {
	piece, _ := json.Marshal(text)
	f.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}`, piece)
}

func (f *fake) run() error {
	failed := make(chan error, 1)
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				failed <- nil
				return
			}
			if err := f.heard(line, failed); err != nil {
				failed <- err
				return
			}
		}
	}()
	err := <-failed
	if err == nil && f.is("lingers") {
		select {} // it does not end with its input
	}
	return err
}

func (f *fake) heard(line []byte, failed chan<- error) error {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			SessionID string
			Prompt    []struct{ Text string }
			Value     string
		}
		Result json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	switch m.Method {
	case "initialize":
		f.tell("a banner that is no JSON")
		f.tell(`{"jsonrpc":"2.0","method":"_vendor/neverHeardOf","params":7}`)
		can := `{"loadSession":true}`
		if f.is("forgets") {
			can = `{}`
		}
		if f.is("resumes") {
			can = `{"loadSession":true,"sessionCapabilities":{"resume":{}}}`
		}
		version := 1
		if f.is("version 9") {
			version = 9
		}
		f.answer(m.ID, fmt.Sprintf(`{"protocolVersion":%d,"agentCapabilities":%s}`, version, can))
	case "session/new":
		f.session = "session-" + rand.Text()
		f.open(m.ID)
	case "session/load":
		if f.is("loses") {
			f.tell(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error","data":{"details":"no such session"}}}`, m.ID)
			return nil
		}
		if f.is("chatters") {
			f.tell("{\"level\":\"error\",\"msg\":\"the disk is full\"}\nnull\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
			return errors.New("I give up")
		}
		f.session = m.Params.SessionID
		f.say("what was said long ago")
		f.late = true
		f.open(m.ID)
	case "session/resume":
		f.session = m.Params.SessionID
		f.open(m.ID)
	case "session/set_config_option":
		if m.Params.Value != "good" {
			f.tell(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such model"}}`, m.ID)
			return nil
		}
		f.answer(m.ID, `{"configOptions":[]}`)
	case "session/prompt":
		f.mu.Lock()
		f.prompt = m.ID
		f.mu.Unlock()
		go func() {
			if err := f.turn(m.Params.Prompt[0].Text); err != nil {
				failed <- err
			}
		}()
	case "session/cancel":
		f.stop("cancelled")
	case "":
		f.answers <- m.Result
	}
	return nil
}

func (f *fake) open(id json.RawMessage) {
	more := ""
	if f.is("models") {
		more = `,"configOptions":[{"id":"m","category":"model","type":"select"},{"id":"x","type":"never-heard-of","value":{}}]`
	}
	if f.is("login") {
		f.tell(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Authentication required"}}`, id)
		return
	}
	result := fmt.Sprintf(`{"sessionId":%q%s}`, f.session, more)
	if f.late { // in one piece with the answer, or nobody could tell how much later
		old := `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"and, too late, since"}}`
		result += "}\n" + fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}`, f.session, old)
	}
	f.answer(id, result)
}

// stop answers the prompt, once.
func (f *fake) stop(reason string) {
	f.mu.Lock()
	id := f.prompt
	f.prompt = nil
	f.mu.Unlock()
	if id != nil {
		f.answer(id, fmt.Sprintf(`{"stopReason":%q,"usage":{"inputTokens":100,"outputTokens":30,"totalTokens":130,"cachedReadTokens":20}}`, reason))
	}
}

func (f *fake) turn(prompt string) error {
	if f.is("odd") {
		f.odd()
	}
	if f.is("asks") {
		f.ask()
	}
	if f.is("answers when ended") {
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		<-ended
	}
	if f.behaviour.Wants != "" {
		f.want(0, "execute", f.behaviour.Wants)
	}
	mode, err := f.mode, f.behaviour.In(f.session).Act(prompt, f.say)
	if fault, ok := errors.AsType[agenttest.Fault](err); ok {
		mode = modeOf(fault)
	} else if err != nil {
		return err
	}
	if code, ok := strings.CutPrefix(mode, "error "); ok {
		f.tell(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"it went wrong: 429 rate limit","data":{"x":1}}}`, f.prompt, code)
		return nil
	}
	if reason, ok := strings.CutPrefix(mode, "stops "); ok {
		f.stop(reason)
		return nil
	}
	f.stop("end_turn")
	return nil
}

// modeOf returns the mode of a fake that meets a fault.
func modeOf(f agenttest.Fault) string {
	return map[agenttest.Fault]string{
		agenttest.RateLimit: "error 429", agenttest.Overload: "error 529", agenttest.Login: "error 401", agenttest.Payment: "error 402",
		agenttest.Cut: "error 500", agenttest.Refusal: "stops refusal", agenttest.Length: "stops max_tokens",
	}[f]
}

// odd is all that a client has to bear.
func (f *fake) odd() {
	f.update(`{"sessionUpdate":"never_heard_of","content":[[1]]}`)
	f.update(`{"sessionUpdate":"plan","entries":[{"content":"look","status":"pending"}]}`)
	f.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hmm, "}}`)
	f.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"so"}}`)
	f.say("I look.")
	f.update(`{"sessionUpdate":"tool_call","toolCallId":"t1","title":"cat big","kind":"read","status":"pending"}`)
	f.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"%s"}},{"type":"diff","path":"a.go","newText":"%s"}]}`,
		strings.Repeat("big ", 5<<20), strings.Repeat("new", 1<<20))
	f.tell(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"another","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of another"}}}}`)
	for range 5000 { // more than the kit holds
		f.update(`{"sessionUpdate":"usage_update","used":1,"size":2}`)
	}
	f.tell(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"many":[%s0]}}`, f.session, strings.Repeat("12345678,", 1<<20))
}

// ask wants to do something of every kind.
func (f *fake) ask() {
	for i, kind := range []string{"read", "edit", "execute", "other"} {
		f.say(fmt.Sprintf("%s %s\n", kind, f.want(i, kind, "do "+kind)))
	}
	f.tell(`{"jsonrpc":"2.0","id":"fs","method":"fs/read_text_file","params":{"path":"/etc/passwd"}}`)
	<-f.answers
}

// want asks to do something, and gives the answer.
func (f *fake) want(i int, kind, title string) json.RawMessage {
	f.update(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":%q,"kind":%q,"status":"pending"}`, i, title, kind)
	f.tell(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c%d"},"options":[{"optionId":"A","name":"always","kind":"allow_always"},{"optionId":"N","name":"no","kind":"reject_once"},{"optionId":"Y","name":"yes","kind":"allow_once"},{"optionId":"?","name":"?","kind":"never_heard_of"}]}}`, i, f.session, i)
	return <-f.answers
}

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, exec ...string) *Agent {
	t.Helper()
	return agenttest.Build(t, New, spec, deps, Options{Exec: exec})
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Harness{
		Continues: true, Permits: true, Tells: agenttest.Faults(),
		Flood: 20_000, // each is an event, which the race detector takes its time over
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			return build(t, spec, deps, agenttest.FakeCommand(t, b)...)
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, name, "--acp")
		},
	})
}
