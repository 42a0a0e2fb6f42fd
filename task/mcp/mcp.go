// Package mcp offers the tools over the Model Context Protocol: on standard streams as an agent's
// child, or over HTTP on this machine alone.
package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mulligan/task"
)

// A Call answers a request. A *task.Refusal is for the model to read and act on, and so is any
// other error.
type Call func(ctx context.Context, r task.Request) (json.RawMessage, error)

const instructions = `These tools keep the tasks and notes of a mulligan session. They outlive this conversation.
Begin with task_next; mark what you work on in_progress, and completed when it is done and checked.
Leave with iteration_summary. When the whole spec is done, call session_complete and end your turn.`

// Server returns a server that has every tool of the task package.
func Server(call Call, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "mulligan", Title: "mulligan", Version: version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, t := range task.Tools() {
		closed := false
		s.AddTool(&mcp.Tool{
			Name: t.Name, Description: t.Doc, InputSchema: t.Schema(),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.Reads, DestructiveHint: &closed, OpenWorldHint: &closed},
		}, newToolHandler(call, t.Name))
	}
	return s
}

// newToolHandler returns the handler of a tool.
func newToolHandler(call Call, tool string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		reply, err := call(ctx, task.Request{Tool: tool, Args: req.Params.Arguments})
		if err != nil {
			// A fault is reported as a refusal is: a model that sees nothing tries the same again.
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(reply)}},
			StructuredContent: reply,
		}, nil
	}
}
