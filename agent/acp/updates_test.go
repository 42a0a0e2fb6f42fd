package acp

import (
	"encoding/json"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan"
)

// TestCallsHaveTheirCommands: an agent that tells what it runs after it told that it runs something has
// one line in the log for it, with the command.
func TestCallsHaveTheirCommands(t *testing.T) {
	var log strings.Builder
	x := newExchange(&Agent{}, mulligan.Turn{}, nil, &log)
	x.session = "s"
	for _, u := range []string{
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"bash","kind":"execute","status":"pending","rawInput":{}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"bash","kind":"execute","status":"in_progress","rawInput":{"command":"go test ./...\necho done","description":"Runs tests"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"Runs tests","kind":"execute","status":"completed","content":[{"type":"content","content":{"type":"text","text":"> ok\nall"}}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"2","title":"` + "`ls`" + `","kind":"execute","rawInput":{"command":["/bin/zsh","-lc","ls"]}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"3","title":"edit","kind":"edit","rawInput":{"filePath":"/src/a.go","oldString":"a","newString":"b"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"4","title":"read","kind":"read","locations":[{"path":"/src/b.go"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"6","title":"bash","kind":"execute","locations":[{"path":"/src"}],"rawInput":{"cwd":"/src"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"6","title":"go vet","kind":"execute","rawInput":{"command":"go vet","cwd":"/src"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"7","title":"mcp__mulligan__task_add","kind":"other","rawInput":{"content":"Write it"}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"7","status":"completed","content":[{"type":"content","content":{"type":"text","text":"{}\nadded"}}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"8","title":"mcp.mulligan.task_add","kind":"execute","rawInput":{"server":"mulligan","tool":"task_add","arguments":{"content":"Test it"}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"9","title":"task_list (mulligan MCP Server)","kind":"other","status":"completed"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"5","title":"think hard","kind":"think"}`,
	} {
		x.takeNotification(protocol.ClientMethodSessionUpdate, json.RawMessage(`{"sessionId":"s","update":`+u+`}`))
	}
	x.showOpenCalls()
	const want = "> execute: bash: go test ./...\n>> echo done\n| > ok\n| all\n> execute: `ls`\n> edit: edit: /src/a.go\n" +
		"> read: read: /src/b.go\n> execute: go vet\n" +
		">: mulligan.task_add Write it\n|: {}\n|: added\n>: mulligan.task_add Test it\n>: mulligan.task_list\n> think: think hard\n"
	if log.String() != want {
		t.Errorf("the log is\n%s", log.String())
	}
}
