package builtin

import (
	"cmp"
	"strings"
	"sync"

	"mulligan"
	"mulligan/config"
	"mulligan/gate/judge"
)

// NewJudge returns a judge that asks agents of the given specs. root is the folder that relative paths
// of their programs are looked up in. steady is put around each agent that is built; nil: nothing is.
func NewJudge(specs map[string]mulligan.AgentSpec, deps Deps, root string, steady func(mulligan.Agent) mulligan.Agent) mulligan.Judge {
	deps.Inside, deps.Tools = nil, nil // a judge is told nothing of the session's
	var mu sync.Mutex
	built := map[string]mulligan.Agent{}
	return &judge.Bench{Root: root, Filter: deps.Filter, Agent: func(name string) (mulligan.Agent, error) {
		mu.Lock()
		defer mu.Unlock()
		if built[name] == nil {
			spec := specs[name]
			spec.Name = cmp.Or(spec.Name, name)
			a, err := NewAgent(spec, deps)
			if err != nil {
				return nil, err
			}
			if steady != nil {
				a = steady(a)
			}
			built[name] = a
		}
		return built[name], nil
	}}
}

func judgeEntry() CheckEntry {
	return CheckEntry{
		Variant: config.Variant{
			Name: "judge",
			Doc:  "a second agent looks at the work, after all other checks",
			Fields: []config.Field{
				{Name: "agent", Doc: "its name", Required: true, Type: config.NamedString("an agent's name")},
				{Name: "prompt_file", Doc: "file with what it is asked", Required: true, Trust: config.TrustOutside, Type: config.NamedString("a file")},
				{Name: "timeout", Doc: "the agent is stopped after this", Default: judge.DefaultTimeout.String(), Type: config.DurationType()},
			},
			Decode: decodeJudge,
			Title:  func(v config.Value) string { return "judge " + v.Get("agent").String() },
			Judge:  func(v config.Value) config.Value { return v.Get("agent") },
		},
		New: func(spec mulligan.CheckSpec, deps Deps) (mulligan.Gate, error) {
			return judge.New(spec, deps.Judge, deps.Filter)
		},
	}
}

// decodeJudge reads the prompt now, so that a resumed session asks what was planned.
func decodeJudge(v config.Value, read config.Reader) (any, config.Mistakes) {
	agent, file := v.Get("agent"), v.Get("prompt_file")
	var mistakes config.Mistakes
	if limit := v.Get("timeout"); limit.OK() && limit.Duration() == 0 {
		mistakes = append(mistakes, limit.Wrong("a check needs a time to end in: leave the key out for %s", judge.DefaultTimeout))
	}
	if !agent.OK() || !file.OK() {
		return nil, mistakes
	}
	data, mistake := read(file)
	switch {
	case mistake != nil:
		mistakes = append(mistakes, *mistake)
	case strings.TrimSpace(string(data)) == "":
		mistakes = append(mistakes, file.Wrong("the file %s is empty", file.String()))
	}
	return judge.Options{Agent: agent.String(), PromptFile: file.String(), Prompt: strings.TrimSpace(string(data))}, mistakes
}
