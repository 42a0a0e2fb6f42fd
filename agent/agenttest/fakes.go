package agenttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"mulligan"
	"mulligan/agent"
)

// Build returns an agent for a spec with options.
func Build[A mulligan.Agent](t testing.TB, build func(mulligan.AgentSpec, agent.Deps) (A, error), spec mulligan.AgentSpec, deps agent.Deps, options any) A {
	t.Helper()
	data, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	spec.Options = data
	a, err := build(spec, deps)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ServeTools is `mulligan mcp` as far as an agent can tell, in a test binary that was started so:
// one tool, task_list, whose reply has its caller's token.
func ServeTools() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"mulligan","version":"1"}}`, m.Params.ProtocolVersion)
		case "tools/list":
			result = `{"tools":[{"name":"task_list","description":"lists","inputSchema":{"type":"object","properties":{}}}]}`
		case "tools/call":
			result = fmt.Sprintf(`{"content":[{"type":"text","text":"the tasks of %s"}]}`, os.Getenv("MULLIGAN_TOKEN"))
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}
