package builtin

import (
	"mulligan"
	"mulligan/agent/claude"
	"mulligan/config"
	"mulligan/hook/claudecode"
)

func claudeEntry() AgentEntry {
	return AgentEntry{
		Name: "claude", Doc: "Claude Code",
		Options: []config.Field{
			{Name: "exec", Doc: "the program, where it is not claude on the PATH", Type: config.NonEmptyList(&config.Type{Kind: config.Text, Noun: "a word"})},
			{Name: "own_hooks_off", Doc: "turn off all hooks of the program's own settings, its user's too", Default: "false", Type: config.Flag()},
		},
		Takes: []string{"model", "args", "max_turns"}, Tells: []string{"tokens", "cost_usd"}, Permits: true,
		Env:    func(_, environ []string) []string { return claude.Names(environ) },
		Decode: decodeClaude,
		New: func(spec mulligan.AgentSpec, deps Deps) (mulligan.Agent, error) {
			spec, err := deps.withInside(spec, claudecode.Has)
			if err != nil {
				return nil, err
			}
			return claude.New(spec, deps.agent())
		},
		Inside: claudecode.Has,
	}
}

func decodeClaude(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, mistakes := execWords(v)
	return claude.Options{Exec: words, OwnHooksOff: v.Get("own_hooks_off").Bool()}, append(mistakes, takenArgs(v, claude.Taken)...)
}
