package builtin

import (
	"mulligan"
	"mulligan/agent/acp"
	"mulligan/config"
)

func acpEntry() AgentEntry {
	return AgentEntry{
		Name: "acp", Doc: "any program that speaks the Agent Client Protocol",
		Options: []config.Field{
			{Name: "exec", Doc: "the program and its arguments", Required: true, Type: config.NonEmptyList(&config.Type{Kind: config.Text, Noun: "a word"})},
		},
		Takes: []string{"model"}, Permits: true,
		Env:    func(exec, _ []string) []string { return acp.Env(exec) },
		Decode: decodeACP,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			return acp.New(spec, deps.agent())
		},
	}
}

func decodeACP(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, nameless := execWords(v)
	return acp.Options{Exec: words}, nameless
}
