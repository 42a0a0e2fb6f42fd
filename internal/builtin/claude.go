package builtin

import (
	"mulligan/agent/claude"
	"mulligan/config"
	"mulligan/hook/claudecode"
)

func claudeEntry() AgentEntry {
	return AgentEntry{
		Variant: config.Variant{
			Name: "claude", Doc: "Claude Code",
			Fields: []config.Field{
				{Name: "exec", Doc: "the program, where it is not claude on the PATH", Type: execType()},
				{Name: "own_hooks_off", Doc: "turn off all hooks of the program's own settings, its user's too", Default: "false", Type: config.Flag()},
			},
			Takes: []string{"model", "args", "max_turns"}, Tells: []string{"tokens", "cost_usd"}, Permits: true,
			Inside: claudecode.Has,
			Decode: decodeClaude,
		},
		Env: func(_, environ []string) []string { return claude.Names(environ) },
		New: buildWith(claude.New),
	}
}

func decodeClaude(v config.Value, _ config.Reader) (any, config.Mistakes) {
	words, mistakes := decodeExec(v)
	return claude.Options{Exec: words, OwnHooksOff: v.Get("own_hooks_off").Bool()}, append(mistakes, refuseTakenArgs(v, claude.Taken)...)
}
