package builtin

import (
	"strings"

	"mulligan"
	"mulligan/agent/acp"
	"mulligan/config"
)

func acpEntry() AgentEntry {
	return AgentEntry{
		Name: "acp", Doc: "any program that speaks the Agent Client Protocol",
		Options: []config.Field{
			{Name: "exec", Doc: "the program and its arguments", Required: true, Type: config.Some(&config.Type{Kind: config.Text, Noun: "a word"})},
		},
		Takes: []string{"model"}, Permits: true,
		Decode: decodeACP,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			return acp.New(spec, deps.agent())
		},
	}
}

func decodeACP(v config.Value, _ config.Reader) (any, config.Mistakes) {
	exec := v.Get("exec")
	words := exec.Strings()
	if len(words) > 0 && strings.TrimSpace(words[0]) == "" && exec.List()[0].OK() {
		return nil, config.Mistakes{exec.List()[0].Wrong("the program has no name")}
	}
	return acp.Options{Exec: words}, nil
}
