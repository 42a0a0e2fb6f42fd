package acp

import (
	"cmp"
	"context"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan/agent"
)

// initializeParams offers the agent nothing: it has the workspace itself, and a client that writes
// files or runs commands for it would have to do all that it may want. Some agents take even an
// empty offer for one, so this is not the kit's own request.
func initializeParams() map[string]any {
	return map[string]any{
		"protocolVersion": protocol.ProtocolVersionNumber, "clientCapabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mulligan", "title": "mulligan", "version": "1"},
	}
}

// A greeting is what an agent reports that it can do.
type greeting struct {
	Version int `json:"protocolVersion"`
	Program struct {
		Name string `json:"name"`
	} `json:"agentInfo"`
	Can struct {
		Load     bool `json:"loadSession"`
		Sessions struct {
			Resume *struct{} `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
}

// canContinue reports whether another process can resume a conversation.
func (g greeting) canContinue() bool { return g.Can.Load || g.Can.Sessions.Resume != nil }

// An openedSession is a conversation, and what can be chosen in it.
type openedSession struct {
	ID      string `json:"sessionId"`
	Options []struct {
		ID       string `json:"id"`
		Category string `json:"category"`
		Type     string `json:"type"`
	} `json:"configOptions"`
	Models *struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
}

// openSession begins a conversation or resumes one, without having it sent again if the agent can
// do that.
func (x *exchange) openSession(ctx context.Context, g greeting) (openedSession, error) {
	id, servers := protocol.SessionId(x.turn.Conversation), x.toolServers()
	var meta map[string]any
	if len(servers) > 0 {
		// codex-acp would begin without the tools on a busy machine. Other programs ignore this.
		meta = map[string]any{"mcpStartupAwaitTimeoutMs": agent.ToolsWithin.Milliseconds()}
	}
	var session openedSession
	var err error
	switch {
	case id == "" || !g.canContinue():
		return sendRequest[openedSession](ctx, x, protocol.AgentMethodSessionNew, protocol.NewSessionRequest{Meta: meta, Cwd: x.turn.Dir, McpServers: servers})
	case g.Can.Sessions.Resume != nil:
		session, err = sendRequest[openedSession](ctx, x, protocol.AgentMethodSessionResume, protocol.ResumeSessionRequest{Meta: meta, SessionId: id, Cwd: x.turn.Dir, McpServers: servers})
	default:
		session, err = sendRequest[openedSession](ctx, x, protocol.AgentMethodSessionLoad, protocol.LoadSessionRequest{Meta: meta, SessionId: id, Cwd: x.turn.Dir, McpServers: servers})
		x.waitForSilence(ctx)
	}
	session.ID = string(id)
	return session, err
}

// toolServers hands the session's tools over, or none if the turn has none.
func (x *exchange) toolServers() []protocol.McpServer {
	program, ok := agent.ToolProgram(x.turn)
	if !ok || x.turn.ReadOnly {
		return []protocol.McpServer{}
	}
	env := []protocol.EnvVariable{}
	for name, value := range agent.ToolEnv(x.env) {
		env = append(env, protocol.EnvVariable{Name: name, Value: value})
	}
	return []protocol.McpServer{{Stdio: &protocol.McpServerStdio{Name: agent.ToolServer, Command: program, Args: []string{"mcp"}, Env: env}}}
}

// modelName returns the model that the plan names, or "".
func (x *exchange) modelName() string { return cmp.Or(x.turn.Model, x.agent.spec.Model) }

// setModel sets the model that the plan names. An agent whose model cannot be set must not work
// with another one in silence.
func (x *exchange) setModel(ctx context.Context, s openedSession) (cannot string, err error) {
	model := x.modelName()
	if model == "" {
		return "", nil
	}
	for _, o := range s.Options {
		if o.Category == "model" && (o.Type == "" || o.Type == "select") {
			_, err = sendRequest[struct{}](ctx, x, protocol.AgentMethodSessionSetConfigOption, map[string]string{"sessionId": s.ID, "configId": o.ID, "value": model})
			return "", err
		}
	}
	if s.Models != nil {
		_, err = sendRequest[struct{}](ctx, x, "session/set_model", map[string]string{"sessionId": s.ID, "modelId": model})
		return "", err
	}
	return "it cannot be told which model to use: give the model among the arguments of exec", nil
}
