package builtin

import (
	"mulligan/agent/aider"
	"mulligan/config"
)

func aiderEntry() AgentEntry {
	return AgentEntry{
		Variant: config.Variant{
			Name: "aider", Doc: "aider",
			Fields: []config.Field{
				{Name: "exec", Doc: "the program, where it is not aider on the PATH", Type: execType()},
			},
			Takes: []string{"model", "args"}, Tells: []string{"tokens", "cost_usd"},
			Decode: decodeAider,
		},
		Env: func(_, _ []string) []string { return aider.Env() },
		New: buildWith(aider.New),
	}
}

func decodeAider(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, mistakes := decodeExec(v)
	return aider.Options{Exec: words}, append(mistakes, refuseTakenArgs(v, aider.Taken)...)
}
