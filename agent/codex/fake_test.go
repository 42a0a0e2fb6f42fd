package codex

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "mcp":
		agenttest.ServeTools()
		return
	case len(os.Args) > 1 && os.Args[1] == "hook":
		playHook()
	}
	agenttest.Main(m, playServer)
}

// playServer plays an app server whose agent behaves so. Its lines have the shape of the real
// one's.
func playServer(b agenttest.Behaviour) error {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	thread := "thread-" + rand.Text()
	tell := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		out.Flush()
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil // nobody has more to say
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ThreadID string
				Input    []struct{ Text string }
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		switch m.Method {
		case "initialize":
			tell(`{"id":%s,"result":{"userAgent":"fake"}}`, m.ID)
			tell(`{"method":"never/heardOf","params":{"threadId":7}}`)
		case "thread/resume":
			thread = m.Params.ThreadID
			fallthrough
		case "thread/start":
			tell(`{"id":%s,"result":{"thread":{"id":%q}}}`, m.ID, thread)
		case "turn/start":
			tell(`{"id":%s,"result":{"turn":{"id":"turn-1","status":"inProgress"}}}`, m.ID)
			if b.Wants != "" {
				tell(`{"method":"item/started","params":{"threadId":%q,"item":{"type":"commandExecution","id":"c1","command":%q}}}`, thread, b.Wants)
				tell(`{"id":"ask","method":"item/commandExecution/requestApproval","params":{"threadId":%q,"itemId":"c1","command":%q}}`, thread, b.Wants)
				answer, err := in.ReadString('\n')
				if err != nil {
					return nil
				}
				tell(`{"method":"item/completed","params":{"threadId":%q,"item":{"type":"commandExecution","id":"c1","command":%q,"status":%q}}}`, thread, b.Wants, cameTo(answer))
			}
			err := b.In(thread).Act(m.Params.Input[0].Text, func(text string) {
				piece, _ := json.Marshal(text)
				fmt.Fprintf(out, `{"method":"item/agentMessage/delta","params":{"threadId":%q,"turnId":"turn-1","itemId":"m1","delta":%s}}`+"\n", thread, piece)
				if b.Flood == 0 {
					out.Flush()
				}
			})
			if fault, ok := errors.AsType[agenttest.Fault](err); ok {
				tell(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":"turn-1","status":"failed","error":{"message":"it went wrong","codexErrorInfo":%s}}}}`, thread, errorInfo(fault))
				continue
			}
			if err != nil {
				return err
			}
			tell(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":"turn-1","status":"completed","error":null}}}`, thread)
		}
	}
}

// cameTo returns the status of a command that was answered so.
func cameTo(answer string) string {
	if strings.Contains(answer, `"decision":"accept"`) {
		return "completed"
	}
	return "declined"
}

// errorInfo returns a fault as the real program reports it.
func errorInfo(f agenttest.Fault) string {
	return map[agenttest.Fault]string{
		agenttest.RateLimit: `{"responseTooManyFailedAttempts":{"httpStatusCode":429}}`,
		agenttest.Overload:  `{"httpConnectionFailed":{"httpStatusCode":529}}`,
		agenttest.Login:     `{"httpConnectionFailed":{"httpStatusCode":401}}`,
		agenttest.Payment:   `{"httpConnectionFailed":{"httpStatusCode":402}}`,
		agenttest.Refusal:   `"cyberPolicy"`,
		agenttest.Cut:       `{"responseStreamDisconnected":{"httpStatusCode":null}}`,
		agenttest.Length:    `"contextWindowExceeded"`,
	}[f]
}

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
	t.Helper()
	return agenttest.Build(t, New, spec, deps, opt)
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Harness{
		Continues: true, Permits: true, Tells: agenttest.Faults(),
		Flood: 20_000, // each is an event, which the race detector takes its time over
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: agenttest.FakeCommand(t, b)})
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: []string{name}})
		},
	})
}
