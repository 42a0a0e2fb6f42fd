package codex

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "mcp":
		playTools()
		return
	case len(os.Args) > 1 && os.Args[1] == "hook":
		playHook()
	}
	agenttest.Main(m, playServer)
}

// playServer is an app server whose agent behaves so. Its lines have the shape of the real
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
			err := b.Act(m.Params.Input[0].Text, func(text string) {
				piece, _ := json.Marshal(text)
				fmt.Fprintf(out, `{"method":"item/agentMessage/delta","params":{"threadId":%q,"turnId":"turn-1","itemId":"m1","delta":%s}}`+"\n", thread, piece)
				if b.Flood == 0 {
					out.Flush()
				}
			})
			if err != nil {
				return err
			}
			tell(`{"method":"turn/completed","params":{"threadId":%q,"turn":{"id":"turn-1","status":"completed","error":null}}}`, thread)
		}
	}
}

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
	t.Helper()
	options, err := json.Marshal(opt)
	if err != nil {
		t.Fatal(err)
	}
	spec.Options = options
	a, err := New(spec, deps)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestConformance(t *testing.T) {
	agenttest.Run(t, agenttest.Harness{
		Continues: true,
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: agenttest.FakeCommand(t, b)})
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: []string{name}})
		},
	})
}
