package codex

import (
	"cmp"
	"encoding/json"
	"time"

	"mulligan"
)

// tokens are counted as Codex does. The input includes what was cached, the output what was
// thought.
type tokens struct {
	Input  int64 `json:"inputTokens"`
	Cached int64 `json:"cachedInputTokens"`
	Output int64 `json:"outputTokens"`
}

func (t tokens) minus(o tokens) tokens {
	return tokens{Input: t.Input - o.Input, Cached: t.Cached - o.Cached, Output: t.Output - o.Output}
}

// A spending is what a turn used. Codex reports the sum over the whole thread, earlier turns and
// processes included; the difference is the turn's.
type spending struct {
	before  tokens
	total   tokens
	known   bool // before is known
	answers int  // of the model
}

func (s *spending) addUpdate(params json.RawMessage, turn string) {
	var p struct {
		TurnID string
		Usage  struct{ Total, Last tokens } `json:"tokenUsage"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if turn == "" || p.TurnID != turn { // of an earlier turn, when the thread is opened
		s.before, s.total, s.known = p.Usage.Total, p.Usage.Total, true
		return
	}
	if !s.known {
		s.before, s.known = p.Usage.Total.minus(p.Usage.Last), true
	}
	if p.Usage.Total != s.total {
		s.answers++
	}
	s.total = p.Usage.Total
}

// turnUsage returns what the turn used. It has no cost: Codex reports none.
func (s *spending) turnUsage() mulligan.Usage {
	t := s.total.minus(s.before)
	return mulligan.Usage{InputTokens: max(t.Input, 0), CachedTokens: max(t.Cached, 0), OutputTokens: max(t.Output, 0), Turns: s.answers}
}

// rateLimits are the newest that Codex has reported.
type rateLimits struct {
	Primary   *window `json:"primary"`
	Secondary *window `json:"secondary"`
	Reached   string  `json:"rateLimitReachedType"`
}

type window struct {
	Used   float64 `json:"usedPercent"`
	Resets int64   `json:"resetsAt"`
}

// update takes the limits that are there; one that is left out has not changed.
func (l *rateLimits) update(params json.RawMessage) {
	var p struct {
		Limits rateLimits `json:"rateLimits"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	l.Primary = cmp.Or(p.Limits.Primary, l.Primary)
	l.Secondary = cmp.Or(p.Limits.Secondary, l.Secondary)
	l.Reached = cmp.Or(p.Limits.Reached, l.Reached)
}

// resetTime returns when the last of the windows that are used up begins anew, or the zero time if
// none tells.
func (l rateLimits) resetTime() time.Time {
	var latest time.Time
	for _, w := range []*window{l.Primary, l.Secondary} {
		if w == nil || w.Used < 100 || w.Resets == 0 {
			continue
		}
		if at := time.Unix(w.Resets, 0).UTC(); at.After(latest) {
			latest = at
		}
	}
	return latest
}

// isDepleted reports whether the limit is one of money, which no waiting brings back.
func (l rateLimits) isDepleted() bool {
	return l.Reached == "workspace_owner_credits_depleted" || l.Reached == "workspace_member_credits_depleted"
}
