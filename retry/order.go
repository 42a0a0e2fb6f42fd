package retry

import (
	"cmp"
	"fmt"
	"slices"

	"mulligan"
)

// MinOutcomes is how often a strategy must have been tried at a step before its success counts.
const MinOutcomes = 5

// OrderRule is how strategies are ordered by what has worked, in words for people.
const OrderRule = "strategies that were tried at least 5 times at a step are sorted by the share of their attempts that passed, the best " +
	"first, among the places that they hold; the others keep their places, and equal ones their order. For a step without a " +
	"list the first is plain retry, unless the step's failure rate is above the threshold"

// recommendFromList takes the strategy from the step's list.
func (d *decision) recommendFromList() {
	list := removeNames(d.sortBySuccess(d.list), d.c.Ruled)
	order := d.appendLastResorts(list)
	d.setExhausted(order)
	if d.high {
		d.takeByAttempt(list, order)
		return
	}
	// The failure has to repeat before the list is entered.
	d.Order = append([]string{mulligan.StrategyRetry}, order...)
	d.Entry = min(d.Same-1, len(d.Order)-1)
	switch strategy := d.Order[d.Entry]; {
	case d.Entry == 0:
		d.recommend(mulligan.RulePlain, strategy, d.explainRetry())
	case d.Entry <= len(list):
		d.recommend(mulligan.RuleList, strategy, fmt.Sprintf("%s: strategy %d of its list", d.explainSame(), d.findPlace(d.Entry-1)))
	default:
		d.recommend(mulligan.RuleList, strategy, d.explainSame()+": its list is used up")
	}
}

// findPlace returns the place, from 1 on, that an entry of the step's list has when those that are ruled
// out are counted too.
func (d *decision) findPlace(entry int) int {
	place := 0
	for _, name := range d.sortBySuccess(d.list) {
		place++
		if slices.Contains(d.c.Ruled, name) {
			continue
		}
		if entry == 0 {
			break
		}
		entry--
	}
	return place
}

// takeByAttempt takes the entry of the attempt that failed. Beyond the list its last entry repeats,
// unless the failure repeats too: then what follows the list is taken in turn.
func (d *decision) takeByAttempt(list, order []string) {
	if len(order) == 0 {
		d.recommend(mulligan.RuleList, mulligan.StrategyRetry, d.explainRate()+": no strategy of its list can be taken")
		return
	}
	d.Order = order
	switch beyond := d.Used - 1 - len(list); {
	case beyond < 0:
		d.Entry = d.Used - 1
		d.recommend(mulligan.RuleList, order[d.Entry], fmt.Sprintf("%s: strategy %d of its list", d.explainRate(), d.findPlace(d.Entry)))
	case len(list) == 0 || d.Same > 1 && len(order) > len(list):
		d.Entry = min(len(list)+max(0, min(beyond, d.Same-2)), len(order)-1)
		d.recommend(mulligan.RuleList, order[d.Entry], d.explainRate()+": its list is used up")
	default:
		d.Entry = len(list) - 1
		d.recommend(mulligan.RuleList, order[d.Entry], d.explainRate()+": the last strategy of its list")
	}
}

// climbLadder takes the rung that the failure's repetitions have come to.
func (d *decision) climbLadder() {
	rungs := d.appendLastResorts([]string{mulligan.StrategyRetry, mulligan.StrategyRetry})
	if d.high {
		rungs = d.sortBySuccess(rungs)
	} else {
		rungs = append(rungs[:1:1], d.sortBySuccess(rungs[1:])...)
	}
	rungs = cutLastRetries(rungs)
	d.setExhausted(rungs)
	d.Order, d.Entry = rungs, min(max(d.Same, 1), len(rungs))-1
	strategy := rungs[d.Entry]
	switch {
	case strategy == mulligan.StrategyRetry:
		d.recommend(mulligan.RuleLadder, strategy, d.explainRetry())
	case d.Same > 1:
		d.recommend(mulligan.RuleLadder, strategy, d.explainSame())
	default:
		d.recommend(mulligan.RuleLadder, strategy, d.explainRate()+": first what has worked most often")
	}
}

// cutLastRetries returns the rungs without the plain retries after the last other one: the last rung
// repeats, and a plain retry that stands behind what has worked better must not.
func cutLastRetries(rungs []string) []string {
	last := len(rungs) - 1
	for last >= 0 && rungs[last] == mulligan.StrategyRetry {
		last--
	}
	if last < 0 {
		return rungs // there is nothing else
	}
	return rungs[:last+1]
}

// appendLastResorts returns an order with fresh-start and escalate after it, where they can be taken
// and are not in it yet.
func (d *decision) appendLastResorts(order []string) []string {
	order = slices.Clone(order)
	for _, name := range []string{mulligan.StrategyFreshStart, mulligan.StrategyEscalate} {
		_, defined := d.plan.Define[name]
		usable := defined || name != mulligan.StrategyEscalate
		if usable && !slices.Contains(slices.Concat(order, d.plan.Disabled, d.c.Ruled), name) {
			order = append(order, name)
		}
	}
	return order
}

// setExhausted sets whether every strategy of an order was tried on this same failure.
func (d *decision) setExhausted(order []string) {
	d.Exhausted = !slices.ContainsFunc(order, func(name string) bool { return !slices.Contains(d.Tried, name) })
}

// sortBySuccess returns the strategies with those that were tried MinOutcomes times sorted among the
// places that they hold, the best share of passed attempts first.
func (d *decision) sortBySuccess(order []string) []string {
	var places []int
	var known []mulligan.StrategyPast
	for i, name := range order {
		if past := findPast(d.c.Past, name); past.Tried >= MinOutcomes {
			places, known = append(places, i), append(known, past)
		}
	}
	slices.SortStableFunc(known, func(a, b mulligan.StrategyPast) int {
		return cmp.Compare(b.Worked*a.Tried, a.Worked*b.Tried)
	})
	sorted := slices.Clone(order)
	for i, place := range places {
		sorted[place] = known[i].Name
	}
	return sorted
}

// findPast returns how a strategy has done at the step.
func findPast(past mulligan.Past, name string) mulligan.StrategyPast {
	for _, s := range past.Strategies {
		if s.Name == name {
			return s
		}
	}
	return mulligan.StrategyPast{Name: name}
}

// removeNames returns the names that are not among those to leave out.
func removeNames(names, leaveOut []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(leaveOut, name) })
}
