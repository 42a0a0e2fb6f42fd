package history

import (
	"cmp"
	"time"

	"mulligan"
)

// addTime counts what an event tells of where the step's time and money go.
func (s *stepFold) addTime(body mulligan.Body, plan *mulligan.Plan) {
	switch b := body.(type) {
	case mulligan.AttemptStarted:
		s.strategy = b.Strategy
	case mulligan.TurnStarted:
		s.agent, s.model = b.Agent, ""
		if plan != nil {
			s.model = plan.Agents[b.Agent].Model
		}
		if plan != nil && plan.Retry != nil {
			s.model = cmp.Or(plan.Retry.Define[s.strategy].Model, s.model)
		}
	case mulligan.TurnEnded:
		s.time.Agent += b.Duration
		s.addUse(b.Result.Usage)
	case mulligan.GateEnded:
		s.time.Checks += b.Verdict.Duration
	case mulligan.BaselineChecked:
		s.time.Checks += b.Verdict.Duration
	case mulligan.HookEnded:
		s.time.Hooks += b.Duration
	case mulligan.AgentHookEnded:
		s.time.Hooks += longestRun(b)
	case mulligan.Waited:
		s.time.Waits += b.For
	case mulligan.Answered:
		s.time.Waits += b.Waited
	}
}

// longestRun returns how long the hooks of a moment took, which run side by side. Those inside an agent are part of
// its turn.
func longestRun(b mulligan.AgentHookEnded) time.Duration {
	longest := time.Duration(0)
	for _, run := range b.Reply.Runs {
		longest = max(longest, run.Duration)
	}
	if b.Inside {
		return 0
	}
	return longest
}

// addUse counts a turn for the agent that took it.
func (s *stepFold) addUse(u mulligan.Usage) {
	if s.agent == "" {
		return
	}
	at := -1
	for i, use := range s.agents {
		if use.Agent == s.agent && use.Model == s.model {
			at = i
		}
	}
	if at < 0 {
		at = len(s.agents)
		s.agents = append(s.agents, AgentUse{Agent: s.agent, Model: s.model})
	}
	use := &s.agents[at]
	use.Turns++
	use.CostUSD += u.CostUSD
	use.Estimated = use.Estimated || u.Estimated && u.CostUSD > 0
}
