package config

// agentHooksField returns the field of hooks in Claude Code's form, so that people can move theirs
// here as they are.
func agentHooksField() Field {
	return Field{Name: "agent_hooks", Doc: "hooks at moments of the agent, in Claude Code's form", Type: &Type{
		Kind: Map, Choices: agentEvents(), Elem: ListOf(Obj(
			Field{Name: "matcher", Doc: "what it is for: names with | between them, or a regular expression", Default: "*", Type: &Type{Kind: Text}},
			Field{Name: "hooks", Doc: "what is run, side by side", Required: true, Type: NonEmptyList(agentHookType())},
		)),
	}}
}

// agentEvents returns the moments that Claude Code has. The first four are those that mulligan has
// for every agent.
func agentEvents() []Choice {
	return []Choice{
		{Name: "SessionStart", Doc: "when the session begins or is resumed; the matcher is for startup and resume"},
		{Name: "UserPromptSubmit", Doc: "before the agent is told anything"},
		{Name: "Stop", Doc: "when the agent says that it is done"},
		{Name: "SessionEnd", Doc: "when the session ends; the matcher is for why"},
		{Name: "Setup", Doc: "in the agent: when it is set up"},
		{Name: "UserPromptExpansion", Doc: "in the agent: when a command of its own becomes a prompt"},
		{Name: "PreToolUse", Doc: "in the agent: before it uses a tool"},
		{Name: "PermissionRequest", Doc: "in the agent: when it asks for a permission"},
		{Name: "PermissionDenied", Doc: "in the agent: when it was denied one"},
		{Name: "PostToolUse", Doc: "in the agent: after it used a tool"},
		{Name: "PostToolUseFailure", Doc: "in the agent: after a tool failed"},
		{Name: "PostToolBatch", Doc: "in the agent: after several tools side by side"},
		{Name: "Notification", Doc: "in the agent: when it wants to be looked at"},
		{Name: "MessageDisplay", Doc: "in the agent: when it shows a message"},
		{Name: "SubagentStart", Doc: "in the agent: when it starts another"},
		{Name: "SubagentStop", Doc: "in the agent: when that one says that it is done"},
		{Name: "TaskCreated", Doc: "in the agent: when it makes a task of its own"},
		{Name: "TaskCompleted", Doc: "in the agent: when it completes one"},
		{Name: "TeammateIdle", Doc: "in the agent: when another of its team has nothing to do"},
		{Name: "StopFailure", Doc: "in the agent: when its turn ended with an error"},
		{Name: "PreCompact", Doc: "in the agent: before it shortens the conversation"},
		{Name: "PostCompact", Doc: "in the agent: after it did"},
		{Name: "PreModelSwitch", Doc: "in the agent: before it takes another model"},
		{Name: "PostModelSwitch", Doc: "in the agent: after it did"},
		{Name: "Elicitation", Doc: "in the agent: when a tool asks the person"},
		{Name: "ElicitationResult", Doc: "in the agent: when the person has answered"},
		{Name: "InstructionsLoaded", Doc: "in the agent: when it has read instructions"},
		{Name: "ConfigChange", Doc: "in the agent: when its settings change"},
		{Name: "CwdChanged", Doc: "in the agent: when it changes the folder"},
		{Name: "DirectoryAdded", Doc: "in the agent: when it gets another folder"},
		{Name: "FileChanged", Doc: "in the agent: when a file that it watches changes"},
		{Name: "WorktreeCreate", Doc: "in the agent: when it makes a worktree"},
		{Name: "WorktreeRemove", Doc: "in the agent: when it removes one"},
	}
}

func agentHookType() *Type {
	return &Type{Kind: Union, Noun: "a hook", Usual: "command", Variants: []Variant{
		{Name: "command", Doc: "a shell command that gets the event on its standard input", Fields: []Field{
			{Name: "command", Doc: "shell command, run in the workspace", Required: true, Type: NamedString("a command")},
		}},
		{Name: "http", Doc: "an address that the event is sent to", Fields: []Field{
			{Name: "url", Doc: "the address: http:// or https://", Required: true, Type: NamedString("an address")},
			{Name: "headers", Doc: "headers of the request; $NAME stands for an environment variable", Type: MapOf(&Type{Kind: Text})},
		}},
		{Name: "prompt", Doc: "an agent that is asked and answers with JSON: ok, and the reason", Fields: []Field{
			{Name: "prompt", Doc: "what it is asked; $ARGUMENTS stands for the event", Required: true, Type: Str()},
			{Name: "agent", Doc: "who is asked; without one the usual agent", Type: NamedString("an agent's name")},
		}},
	}, Fields: []Field{
		{Name: "name", Doc: "what people call the hook; without one what it runs", Type: Str()},
		{Name: "timeout", Doc: "the hook is stopped after this", Default: "60s", Type: DurationType()},
		{Name: "on_failure", Doc: "what a hook that could not tell counts as: it timed out, could not start, crashed, or its answer cannot be read", Default: "broken", Type: Word("broken", "allow")},
	}}
}
