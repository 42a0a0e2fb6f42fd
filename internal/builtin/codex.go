package builtin

import (
	"mulligan"
	"mulligan/agent/codex"
	"mulligan/config"
)

func codexEntry() AgentEntry {
	return AgentEntry{
		Name: "codex", Doc: "Codex",
		Options: []config.Field{
			{Name: "exec", Doc: "the program, where it is not codex on the PATH", Type: config.NonEmptyList(&config.Type{Kind: config.Text, Noun: "a word"})},
		},
		Takes: []string{"model", "args"}, Tells: []string{"tokens"}, Permits: true,
		Env:    func(_, _ []string) []string { return codex.Env() },
		Decode: decodeCodex,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			spec, err := deps.withInside(spec, codex.Has)
			if err != nil {
				return nil, err
			}
			return codex.New(spec, deps.agent())
		},
		Inside: codex.Has,
	}
}

func decodeCodex(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, mistakes := execWords(v)
	return codex.Options{Exec: words}, append(mistakes, takenArgs(v, codex.Taken)...)
}
