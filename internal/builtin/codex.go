package builtin

import (
	"encoding/json"

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
			Nests:  func(permissions string, _ json.RawMessage) bool { return nestsUnlessFull(permissions) },
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

// nestsUnlessFull reports whether Codex puts what it runs into a sandbox of its own: it does unless it may
// do everything, which is also what it may do if the user has set nothing and it is confined.
func nestsUnlessFull(permissions string) bool { return permissions != "" && permissions != "full" }
