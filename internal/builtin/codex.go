package builtin

import (
	"mulligan/agent/codex"
	"mulligan/config"
)

func codexEntry() AgentEntry {
	return AgentEntry{
		Variant: config.Variant{
			Name: "codex", Doc: "Codex",
			Fields: []config.Field{
				{Name: "exec", Doc: "the program, where it is not codex on the PATH", Type: execType()},
			},
			Takes: []string{"model", "args"}, Tells: []string{"tokens"}, Permits: true,
			Inside: codex.Has,
			Decode: decodeCodex,
		},
		Env: func(_, _ []string) []string { return codex.Env() },
		New: buildWith(codex.New),
	}
}

func decodeCodex(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, mistakes := decodeExec(v)
	return codex.Options{Exec: words}, append(mistakes, refuseTakenArgs(v, codex.Taken)...)
}
