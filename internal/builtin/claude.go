package builtin

import (
	"strings"

	"mulligan"
	"mulligan/agent/claude"
	"mulligan/config"
)

func claudeEntry() AgentEntry {
	return AgentEntry{
		Name: "claude", Doc: "Claude Code",
		Options: []config.Field{
			{Name: "exec", Doc: "the program, where it is not claude on the PATH", Type: config.Some(&config.Type{Kind: config.Text, Noun: "a word"})},
			{Name: "own_hooks_off", Doc: "turn off all hooks of the program's own settings, its user's too", Default: "false", Type: config.Flag()},
		},
		Takes: []string{"model", "args", "max_turns"}, Tells: []string{"tokens", "cost_usd"}, Permits: true,
		Env:    claude.Names,
		Decode: decodeClaude,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			spec, err := deps.withInside(spec)
			if err != nil {
				return nil, err
			}
			return claude.New(spec, deps.agent())
		},
		Inside: true,
	}
}

func decodeClaude(v config.Value, _ config.Reader) (any, config.Mistakes) {
	var mistakes config.Mistakes
	for _, arg := range v.Get("args").List() {
		if why := claude.Taken(arg.String()); arg.OK() && why != "" {
			mistakes = append(mistakes, arg.Wrong("%s", why))
		}
	}
	exec := v.Get("exec")
	words := exec.Strings()
	if len(words) > 0 && strings.TrimSpace(words[0]) == "" && exec.List()[0].OK() {
		mistakes = append(mistakes, exec.List()[0].Wrong("the program has no name"))
	}
	return claude.Options{Exec: words, OwnHooksOff: v.Get("own_hooks_off").Bool()}, mistakes
}
