package builtin

import (
	"encoding/json"
	"path/filepath"

	"mulligan/agent/acp"
	"mulligan/config"
)

func acpEntry() AgentEntry {
	return AgentEntry{
		Variant: config.Variant{
			Name: "acp", Doc: "any program that speaks the Agent Client Protocol",
			Fields: []config.Field{requiredExec()},
			Takes:  []string{"model"}, Permits: true,
			Nests: func(permissions string, options json.RawMessage) bool {
				argv := decodeExecOption(options)
				return len(argv) > 0 && filepath.Base(argv[0]) == "codex-acp" && nestsUnlessFull(permissions)
			},
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
