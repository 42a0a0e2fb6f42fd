package claude

import "mulligan"

// turnUsage returns what the turn used. The program's totals are of the whole conversation, so only
// what it reports as used since the last result is the turn's. For a program that does not report
// that, the tokens are the turn's, and the cost is the turn's share of the total.
func (t *transcript) turnUsage(billed, goesOn bool) mulligan.Usage {
	if t.result == nil { // what the messages say of themselves; the last of them is not complete
		u := toUsage(t.countedUsage())
		u.Estimated = u != (mulligan.Usage{})
		return u
	}
	sum, cost := t.result.Usage, t.result.CostUSD
	if t.result.Since != nil {
		sum, cost = sumModels(t.result.Since)
	}
	u := toUsage(sum)
	u.Turns, u.CostUSD, u.Estimated = t.result.Turns, cost, !billed
	total, _ := sumModels(t.result.ModelUsage)
	if all := toUsage(total); t.result.Since == nil && goesOn && all.InputTokens+all.OutputTokens > 0 {
		u.CostUSD *= min(1, float64(u.InputTokens+u.OutputTokens)/float64(all.InputTokens+all.OutputTokens))
		u.Estimated = true
	}
	return u
}

// toUsage returns a usage in mulligan's words: the input is all of it, cached tokens included.
func toUsage(u usage) mulligan.Usage {
	return mulligan.Usage{InputTokens: u.Input + u.Created + u.Cached, CachedTokens: u.Cached, OutputTokens: u.Output}
}

// sumModels adds the usage of all models up.
func sumModels(models map[string]modelUsage) (sum usage, cost float64) {
	for _, m := range models {
		sum.add(usage{Input: m.Input, Created: m.Created, Cached: m.Cached, Output: m.Output})
		cost += m.CostUSD
	}
	return sum, cost
}

func (u *usage) add(more usage) {
	u.Input += more.Input
	u.Created += more.Created
	u.Cached += more.Cached
	u.Output += more.Output
}
