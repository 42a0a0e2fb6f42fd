package claude

import (
	"bufio"
	"encoding/json"
	"errors"
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
	if len(os.Args) > 1 && os.Args[1] == "mcp" {
		serveTools()
		return
	}
	agenttest.Main(m, playProgram)
}

// serveTools stands for `mulligan mcp`: a tool that tells its caller's token, and one that answers
// for a person with it.
func serveTools() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var ask struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Version   string `json:"protocolVersion"`
				Name      string
				Arguments struct {
					Tool  string `json:"tool_name"`
					Input object
				}
			}
		}
		if json.Unmarshal(in.Bytes(), &ask) != nil || ask.ID == nil {
			continue
		}
		reply, tools := object{}, []any{}
		switch ask.Method {
		case "initialize":
			reply = object{"protocolVersion": ask.Params.Version, "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "fake", "version": "1"}}
		case "tools/list":
			for _, name := range []string{"task_add", "permit"}[:len(os.Args)-1] {
				tools = append(tools, object{"name": name, "description": name, "inputSchema": object{"type": "object"}})
			}
			reply["tools"] = tools
		case "tools/call":
			text := "with the token " + os.Getenv("MULLIGAN_TOKEN")
			if ask.Params.Name == "permit" {
				text = decide(ask.Params.Arguments.Tool, ask.Params.Arguments.Input)
			}
			reply["content"] = []any{object{"type": "text", "text": text}}
		}
		line, _ := json.Marshal(object{"jsonrpc": "2.0", "id": ask.ID, "result": reply})
		fmt.Printf("%s\n", line)
	}
}

// decide returns what a person answers about a tool.
func decide(tool string, input object) string {
	switch token := os.Getenv("MULLIGAN_TOKEN"); token {
	case "allow":
		return encode(object{"behavior": "allow", "updatedInput": input})
	case "deny":
		return encode(object{"behavior": "deny", "message": "a person said no to " + tool})
	case "die":
		os.Exit(1)
	}
	return "what was the question?"
}

// playProgram plays a program whose agent behaves so. Its lines have the shape of the real one's.
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
	if fault, ok := errors.AsType[agenttest.Fault](err); ok {
		class, end := trouble(fault)
		tell(object{"type": "assistant", "error": class, "message": object{"id": "m2", "model": "<synthetic>", "content": []any{object{"type": "text", "text": "it went wrong"}}}})
		tell(end)
	}
	if err != nil {
		out.Flush()
		return err
	}
	end := object{"type": "result", "subtype": "success", "is_error": false, "result": said.String(), "num_turns": 1, "stop_reason": "end_turn"}
	if b.Wants != "" && !slices.Contains(os.Args, "--dangerously-skip-permissions") {
		end["permission_denials"] = []any{object{"tool_name": "Bash", "tool_input": object{"command": b.Wants}}}
	}
	tell(end)
	return out.Flush()
}

// trouble returns a fault as the real program reports it: the class of the error, and the result.
func trouble(f agenttest.Fault) (class string, end object) {
	end = object{"type": "result", "subtype": "success", "is_error": true, "terminal_reason": "api_error", "stop_reason": "stop_sequence", "num_turns": 1, "result": "it went wrong"}
	switch f {
	case agenttest.RateLimit:
		class, end["api_error_status"] = "rate_limit", 429
	case agenttest.Overload:
		class, end["api_error_status"] = "server_error", 529
	case agenttest.Login:
		class, end["api_error_status"] = "authentication_failed", 401
	case agenttest.Payment:
		class, end["api_error_status"] = "unknown", 402
	case agenttest.Refusal:
		class, end["stop_reason"] = "invalid_request", "refusal"
	case agenttest.Cut:
		class = "server_error"
	case agenttest.Length:
		class = "max_output_tokens"
	}
	return class, end
}

type object = map[string]any

// conversationOf returns the conversation that a command line names.
func conversationOf(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool { return a == "--session-id" || a == "--resume" })
	if i < 0 || i+1 >= len(args) {
		panic(fmt.Sprintf("no conversation in %q", args))
	}
	return args[i+1]
}

func build(t testing.TB, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
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
