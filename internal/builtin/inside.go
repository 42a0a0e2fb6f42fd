package builtin

import (
	"encoding/json"
	"slices"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/hook/claudecode"
)

// answerTime is what asking mulligan takes besides the hooks themselves.
const answerTime = 10 * time.Second

// insideHooks returns the hooks by which an agent asks mulligan, one for each event that the
// agent has: mulligan itself chooses the hooks whose matcher fits. The plan has noted which agent
// does not have which. has is nil if the agent has none; off is set where the program's own hooks are
// off, and those of the guard with them.
func (d Deps) insideHooks(has func(event string) bool, off bool) []agent.Hook {
	var list []agent.Hook
	for _, h := range d.Inside {
		if has == nil || !has(h.Event) || off && h.Type == claudecode.TypeGuard {
			continue
		}
		i := slices.IndexFunc(list, func(known agent.Hook) bool { return known.Event == h.Event })
		if i < 0 {
			list = append(list, agent.Hook{Event: h.Event, Matcher: h.Matcher, Timeout: h.Timeout + answerTime})
			continue
		}
		if list[i].Matcher != h.Matcher {
			list[i].Matcher = ""
		}
		list[i].Timeout = max(list[i].Timeout, h.Timeout+answerTime)
	}
	return list
}

// addInsideHooks returns a spec whose options have the inside hooks of its agent.
func (d Deps) addInsideHooks(spec mulligan.AgentSpec, has func(event string) bool) (mulligan.AgentSpec, error) {
	options := map[string]json.RawMessage{}
	if len(spec.Options) > 0 {
		if err := json.Unmarshal(spec.Options, &options); err != nil {
			return spec, err
		}
	}
	hooks := d.insideHooks(has, string(options["own_hooks_off"]) == "true")
	if len(hooks) == 0 {
		return spec, nil
	}
	data, err := json.Marshal(hooks)
	if err != nil {
		return spec, err
	}
	options["hooks"] = data
	spec.Options, err = json.Marshal(options)
	return spec, err
}
