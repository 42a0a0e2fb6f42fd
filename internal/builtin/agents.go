package builtin

import (
	"errors"
	"strings"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/program"
	"mulligan/agent/scripted"
	"mulligan/config"
)

// Agents returns the types of agents.
func Agents() []AgentEntry {
	return []AgentEntry{
		{
			Variant: config.Variant{
				Name: "program",
				Doc:  "any program: the prompt on its standard input, the reply on standard output",
				Fields: []config.Field{
					requiredExec(),
					{Name: "continues", Doc: "whether it can go on with a conversation, by MULLIGAN_CONVERSATION", Default: "false", Type: config.Flag()},
				},
				Decode: decodeProgram,
			},
			Env: noExtraEnv,
			New: buildWith(program.New),
		},
		{
			Variant: config.Variant{
				Name: "scripted",
				Doc:  "plays a file of turns, to rehearse a workflow",
				Fields: []config.Field{
					{Name: "script", Doc: "the file, relative to this one", Required: true, Trust: config.TrustOutside, Type: config.NamedString("a file")},
				},
				Decode: decodeScripted,
			},
			Env: noExtraEnv,
			New: buildWith(scripted.New),
		},
		claudeEntry(),
		codexEntry(),
		acpEntry(),
		aiderEntry(),
	}
}

// buildWith returns a New that builds agents with the constructor of their package.
func buildWith[A mulligan.Agent](build func(mulligan.AgentSpec, agent.Deps) (A, error)) newAgentFunc {
	return func(spec mulligan.AgentSpec, deps agent.Deps) (mulligan.Agent, error) { return build(spec, deps) }
}

// noExtraEnv is the Env of programs that get what all agents' programs do.
func noExtraEnv(_, _ []string) []string { return nil }

// execType returns the type of a program with its arguments.
func execType() *config.Type {
	words := config.WordList()
	words.NonEmpty = true
	return words
}

// requiredExec returns the field of agents that have no program of their own.
func requiredExec() config.Field {
	return config.Field{Name: "exec", Doc: "the program and its arguments", Required: true, Type: execType()}
}

// namedAgents returns the agents that have a name without an entry in the config.
func namedAgents() []config.Named {
	return []config.Named{
		{Name: "claude", Doc: "Claude Code", Type: "claude"},
		{Name: "codex", Doc: "Codex", Type: "codex"},
		{Name: "gemini", Doc: "Gemini CLI", Type: "acp", More: "exec: [gemini, --acp]"},
		{Name: "opencode", Doc: "opencode", Type: "acp", More: "exec: [opencode, acp]"},
		{Name: "aider", Doc: "aider", Type: "aider"},
		{Name: "claude-acp", Doc: "Claude Code over the Agent Client Protocol", Type: "acp", More: "exec: [claude-agent-acp]"},
		{Name: "codex-acp", Doc: "Codex over the Agent Client Protocol", Type: "acp", More: "exec: [codex-acp]"},
		{Name: "scripted", Doc: "the script that it plays"},
	}
}

// decodeExec returns the program of an agent and its arguments.
func decodeExec(v config.Value) ([]string, config.Mistakes) {
	exec := v.Get("exec")
	words := exec.Strings()
	if len(words) > 0 && strings.TrimSpace(words[0]) == "" && exec.List()[0].OK() {
		return nil, config.Mistakes{exec.List()[0].Wrong("the program has no name")}
	}
	return words, nil
}

// refuseTakenArgs returns mistakes for arguments that only mulligan may give.
func refuseTakenArgs(v config.Value, taken func(arg string) (why string)) config.Mistakes {
	var mistakes config.Mistakes
	for _, arg := range v.Get("args").List() {
		if why := taken(arg.String()); arg.OK() && why != "" {
			mistakes = append(mistakes, arg.Wrong("%s", why))
		}
	}
	return mistakes
}

func decodeProgram(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, nameless := decodeExec(v)
	return program.Options{Exec: words, Continues: v.Get("continues").Bool()}, nameless
}

// decodeScripted reads the script now, so that its mistakes are known before anything runs, and
// a resumed session plays what was planned.
func decodeScripted(v config.Value, read config.Reader) (any, config.Mistakes) {
	file := v.Get("script")
	if !file.OK() {
		return nil, nil
	}
	data, mistake := read(file)
	if mistake != nil {
		return nil, config.Mistakes{*mistake}
	}
	script, err := scripted.Parse(file.String(), data)
	if err != nil {
		return nil, scriptMistakes(file, data, err)
	}
	return scripted.Options{Path: file.String(), Script: script}, nil
}

// scriptMistakes returns the script's own mistakes with its own lines.
func scriptMistakes(file config.Value, data []byte, err error) config.Mistakes {
	found, ok := errors.AsType[scripted.Mistakes](err)
	if !ok {
		return config.Mistakes{file.Wrong("%v", err)}
	}
	lines := strings.Split(string(data), "\n")
	var list config.Mistakes
	for _, m := range found {
		one := config.Mistake{File: m.File, Line: m.Line, Col: m.Col, Message: m.Message}
		if m.Line >= 1 && m.Line <= len(lines) {
			one.Source = strings.TrimRight(lines[m.Line-1], "\r")
		}
		list = append(list, one)
	}
	return list
}
