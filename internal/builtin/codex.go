package builtin

import (
	"strings"

	"mulligan"
	"mulligan/agent/codex"
	"mulligan/config"
)

func codexEntry() AgentEntry {
	return AgentEntry{
		Name: "codex", Doc: "Codex",
		Options: []config.Field{
			{Name: "exec", Doc: "the program, where it is not codex on the PATH", Type: config.Some(&config.Type{Kind: config.Text, Noun: "a word"})},
		},
		Takes: []string{"model", "args"}, Tells: []string{"tokens"}, Permits: true,
		Env:    func([]string) []string { return codex.Env() },
		Decode: decodeCodex,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			spec, err := deps.withInside(spec)
			if err != nil {
				return nil, err
			}
			return codex.New(spec, deps.agent())
		},
		Inside: true,
	}
}

func decodeCodex(v config.Value, _ config.Reader) (any, config.Mistakes) {
	var mistakes config.Mistakes
	for _, arg := range v.Get("args").List() {
		if why := codex.Taken(arg.String()); arg.OK() && why != "" {
			mistakes = append(mistakes, arg.Wrong("%s", why))
		}
	}
	exec := v.Get("exec")
	words := exec.Strings()
	if len(words) > 0 && strings.TrimSpace(words[0]) == "" && exec.List()[0].OK() {
		mistakes = append(mistakes, exec.List()[0].Wrong("the program has no name"))
	}
	return codex.Options{Exec: words}, mistakes
}
