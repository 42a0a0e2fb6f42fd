package builtin

import (
	"mulligan/agent/acp"
	"mulligan/config"
)

func acpEntry() AgentEntry {
	return AgentEntry{
		Variant: config.Variant{
			Name: "acp", Doc: "any program that speaks the Agent Client Protocol",
			Fields: []config.Field{requiredExec()},
			Takes:  []string{"model"}, Permits: true,
			Decode: decodeACP,
		},
		Env: func(exec, _ []string) []string { return acp.Env(exec) },
		New: buildWith(acp.New),
	}
}

func decodeACP(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, nameless := decodeExec(v)
	return acp.Options{Exec: words}, nameless
}
