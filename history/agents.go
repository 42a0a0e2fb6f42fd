package history

import (
	"cmp"
	"slices"
	"strings"
)

// AgentFigures are what an agent with a model has cost. What it spent on steps that were not verified is in it too.
type AgentFigures struct {
	Agent    string  `json:"agent"`
	Model    string  `json:"model,omitempty"`
	Turns    int     `json:"turns"`
	Verified int     `json:"verified"` // steps that the agent took the last turn at
	CostUSD  float64 `json:"cost_usd"`
	// PerVerifiedUSD is CostUSD over Verified, 0 if no step was verified.
	PerVerifiedUSD float64 `json:"per_verified_usd"`
	Estimated      bool    `json:"estimated,omitempty"` // CostUSD is, or a part of it
}

// agentsOf returns the figures of agents, the one with the most verified steps first.
func agentsOf(sessions []Session) []AgentFigures {
	list := []AgentFigures{}
	for _, s := range sessions {
		for _, step := range s.Steps {
			for i, use := range step.Agents {
				at := slices.IndexFunc(list, func(f AgentFigures) bool { return f.Agent == use.Agent && f.Model == use.Model })
				if at < 0 {
					at = len(list)
					list = append(list, AgentFigures{Agent: use.Agent, Model: use.Model})
				}
				list[at].add(use, step.Status == StepVerified && i == len(step.Agents)-1)
			}
		}
	}
	slices.SortFunc(list, func(a, b AgentFigures) int {
		return cmp.Or(cmp.Compare(b.Verified, a.Verified), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Model, b.Model))
	})
	return list
}

func (f *AgentFigures) add(use AgentUse, verified bool) {
	f.Turns += use.Turns
	f.CostUSD += use.CostUSD
	f.Estimated = f.Estimated || use.Estimated
	if verified {
		f.Verified++
	}
	f.PerVerifiedUSD = divide(f.CostUSD, float64(f.Verified))
}
