package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mulligan"
	"mulligan/task"
)

const permitDoc = `For the agent's own program, which asks by it whether a tool may be used. Not for models: whoever calls it
has asked a person a question, and is allowed nothing by the answer.`

const permitSchema = `{"type":"object","properties":{"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}},"required":["tool_name","input"]}`

// Permit adds the tool by which Claude Code asks for permissions (--permission-prompt-tool).
func Permit(s *mcp.Server, call Call) {
	s.AddTool(&mcp.Tool{Name: task.ToolPermit, Description: permitDoc, InputSchema: json.RawMessage(permitSchema)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answerPermit(ctx, call, req.Params.Arguments)}}}, nil
		})
}

// A decision is in the program's own terms. The input that it allows is the one that was asked
// about.
type decision struct {
	Behavior string          `json:"behavior"`
	Input    json.RawMessage `json:"updatedInput,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// answerPermit returns the decision as JSON, as the program wants it.
func answerPermit(ctx context.Context, call Call, args json.RawMessage) string {
	d := decidePermit(ctx, call, args)
	text, err := json.Marshal(d)
	if err != nil {
		return `{"behavior":"deny","message":"mulligan could not write its answer"}`
	}
	return string(text)
}

// decidePermit asks a person. Everything but a person's yes is a no with a reason.
func decidePermit(ctx context.Context, call Call, args json.RawMessage) decision {
	var wanted struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(args, &wanted); err != nil || wanted.Tool == "" {
		return denyBecause("mulligan does not understand the question")
	}
	what, err := json.Marshal(task.PermitArgs{What: task.Wish(wanted.Tool, wanted.Input), Same: task.SameUse(wanted.Tool, wanted.Input)})
	if err != nil {
		return denyBecause("mulligan could not write the question: %v", err)
	}
	reply, err := call(ctx, task.Request{Tool: task.ToolPermit, Args: what})
	if err != nil {
		return denyBecause("nobody could be asked: %v", err)
	}
	var answer task.Answer
	if err := json.Unmarshal(reply, &answer); err != nil {
		return denyBecause("mulligan does not understand the answer: %v", err)
	}
	switch {
	case answer.Allows():
		return decision{Behavior: "allow", Input: wanted.Input}
	case answer.By != mulligan.ByPerson:
		return denyBecause("nobody was there to allow it")
	}
	return denyBecause("a person said no")
}

func denyBecause(format string, args ...any) decision {
	return decision{Behavior: "deny", Message: "This is not allowed: " + fmt.Sprintf(format, args...) + ". Find a way without it, and do not try the same again."}
}
