package claude

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{"mcp"}) {
		serveTools()
		return
	}
	agenttest.Main(m, playProgram)
}

// serveTools stands for `mulligan mcp`: one tool, which tells its caller's token.
func serveTools() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var ask struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Version string `json:"protocolVersion"`
			}
		}
		if json.Unmarshal(in.Bytes(), &ask) != nil || ask.ID == nil {
			continue
		}
		reply := object{}
		switch ask.Method {
		case "initialize":
			reply = object{"protocolVersion": ask.Params.Version, "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "fake", "version": "1"}}
		case "tools/list":
			reply["tools"] = []any{object{"name": "task_add", "description": "adds", "inputSchema": object{"type": "object"}}}
		case "tools/call":
			reply["content"] = []any{object{"type": "text", "text": "with the token " + os.Getenv("MULLIGAN_TOKEN")}}
		}
		line, _ := json.Marshal(object{"jsonrpc": "2.0", "id": ask.ID, "result": reply})
		fmt.Printf("%s\n", line)
	}
}

// playProgram is a program whose agent behaves so. Its lines have the shape of the real one's.
func playProgram(b agenttest.Behaviour) error {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	tell := func(event map[string]any) {
		event["session_id"] = conversationOf(os.Args)
		line, _ := json.Marshal(event)
		out.Write(append(line, '\n'))
		if b.Flood == 0 {
			out.Flush()
		}
	}
	tell(object{"type": "system", "subtype": "init", "apiKeySource": "ANTHROPIC_API_KEY", "claude_code_version": "0.0.0"})
	tell(object{"type": "never_heard_of", "message": []int{1}})
	var said strings.Builder
	err = b.Act(string(prompt), func(text string) {
		said.WriteString(text)
		tell(object{"type": "assistant", "message": object{"id": "m1", "content": []any{object{"type": "text", "text": text}}}})
	})
	if err != nil {
		out.Flush()
		return err
	}
	tell(object{"type": "result", "subtype": "success", "is_error": false, "result": said.String(), "num_turns": 1, "stop_reason": "end_turn"})
	return out.Flush()
}

type object = map[string]any

// conversationOf is the conversation that a command line names.
func conversationOf(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool { return a == "--session-id" || a == "--resume" })
	if i < 0 || i+1 >= len(args) {
		panic(fmt.Sprintf("no conversation in %q", args))
	}
	return args[i+1]
}

func build(t testing.TB, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
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
