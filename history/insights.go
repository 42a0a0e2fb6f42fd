package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// Insights are what past sessions have in common.
type Insights struct {
	Steps       []StepFigures     `json:"steps"`
	Bottlenecks []Bottleneck      `json:"bottlenecks"`
	Trends      []Week            `json:"trends"`
	Anomalies   []Anomaly         `json:"anomalies"`
	Strategies  []StrategyFigures `json:"strategies"`
	Hooks       []Hook            `json:"hooks"`
	Checks      []Check           `json:"checks"`
	Cost        Cost              `json:"cost"`
	Agents      []AgentFigures    `json:"agents"`
}

// A Place is the repository and the pipeline or loop that a figure is about.
type Place struct {
	Root     string `json:"root"`
	Pipeline string `json:"pipeline"` // or the loop's name
}

// comparePlaces orders places by their names.
func comparePlaces(a, b Place) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Pipeline, b.Pipeline))
}

// StepFigures are how a step went. Only sessions that Counts lets count are in Sessions, Reached and
// Failed.
type StepFigures struct {
	Place
	Step     string `json:"step"`
	Sessions int    `json:"sessions"` // whose plan has the step
	Reached  int    `json:"reached"`
	Failed   int    `json:"failed"` // of those: it ended unverified
	// FailureRate is Failed over Reached, FailureRateAll over Sessions.
	FailureRate    float64        `json:"failure_rate"`
	FailureRateAll float64        `json:"failure_rate_all"`
	Attempts       int            `json:"attempts"`
	Retries        int            `json:"retries"`
	Worked         time.Duration  `json:"worked"`
	Usage          mulligan.Usage `json:"usage"`
}

// StrategyFigures are how often attempts with a strategy have passed at a step.
type StrategyFigures struct {
	Place
	Step     string  `json:"step"`
	Strategy string  `json:"strategy"`
	Tried    int     `json:"tried"`
	Worked   int     `json:"worked"`
	Rate     float64 `json:"success_rate"`
}

// A Bottleneck is where time or money goes: a step, or a check or hook over all steps.
type Bottleneck struct {
	Kind string `json:"kind"` // step, check, hook
	Place
	Name      string        `json:"name"`
	Took      time.Duration `json:"took"`
	TimeShare float64       `json:"time_share"` // of the time that the sessions worked
	CostUSD   float64       `json:"cost_usd"`
	CostShare float64       `json:"cost_share"`
}

// Cost is what the sessions have cost.
type Cost struct {
	CostUSD      float64       `json:"cost_usd"`
	BilledUSD    float64       `json:"billed_usd"`
	EstimatedUSD float64       `json:"estimated_usd"`
	InputTokens  int64         `json:"input_tokens"`
	OutputTokens int64         `json:"output_tokens"`
	CachedTokens int64         `json:"cached_tokens"`
	Turns        int           `json:"turns"`
	Judged       int           `json:"judged"`
	Worked       time.Duration `json:"worked"`
	// Good counts the sessions that were verified or accepted. UnverifiedUSD is the cost of the others that
	// have ended.
	Good          int     `json:"good"`
	PerGoodUSD    float64 `json:"per_good_usd"` // all that was spent, over Good
	UnverifiedUSD float64 `json:"unverified_usd"`
}

// maxBottlenecks is how many are listed.
const maxBottlenecks = 10

// Examine returns what sessions have in common.
func Examine(sessions []Session) Insights {
	in := Insights{Trends: weeksOf(sessions), Anomalies: findAnomalies(sessions), Cost: costOf(sessions), Agents: agentsOf(sessions)}
	var checks Checks
	var hooks Hooks
	for _, s := range sessions {
		checks.Add(s)
		hooks.Add(s)
	}
	in.Checks, in.Hooks = checks.List(), hooks.List()
	in.Steps, in.Strategies = stepsOf(sessions)
	in.Bottlenecks = findBottlenecks(in.Steps, sessions)
	return in
}

type stepKey struct {
	Place
	step, strategy string
}

// stepsOf returns the figures of steps, in the order of their failure rates, and of strategies.
func stepsOf(sessions []Session) ([]StepFigures, []StrategyFigures) {
	steps, strategies := map[stepKey]*StepFigures{}, map[stepKey]*StrategyFigures{}
	for _, s := range sessions {
		place := Place{s.Root, s.Line()}
		for _, step := range s.Steps {
			key := stepKey{Place: place, step: step.Name}
			if steps[key] == nil {
				steps[key] = &StepFigures{Place: place, Step: step.Name}
			}
			steps[key].add(step, Counts(s.Ended))
			for _, r := range step.Retries {
				key.strategy = r.Strategy
				if r.Decided() && strategies[key] == nil {
					strategies[key] = &StrategyFigures{Place: place, Step: step.Name, Strategy: r.Strategy}
				}
				if r.Decided() {
					strategies[key].add(r)
				}
			}
		}
	}
	return sortSteps(steps), sortStrategies(strategies)
}

func (f *StepFigures) add(step Step, counts bool) {
	f.Attempts += step.Attempts
	f.Retries += len(step.Retries)
	f.Worked += step.Worked
	f.Usage.Add(step.Usage)
	if !counts {
		return
	}
	f.Sessions++
	if step.Status.Reached() {
		f.Reached++
	}
	if step.Status.Failed() {
		f.Failed++
	}
}

func (f *StrategyFigures) add(r Retry) {
	f.Tried++
	if r.Outcome == mulligan.Pass {
		f.Worked++
	}
}

// divide returns a share, 0 of nothing.
func divide(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

func sortSteps(all map[stepKey]*StepFigures) []StepFigures {
	list := make([]StepFigures, 0, len(all))
	for _, f := range all {
		f.FailureRate, f.FailureRateAll = divide(float64(f.Failed), float64(f.Reached)), divide(float64(f.Failed), float64(f.Sessions))
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b StepFigures) int {
		return cmp.Or(cmp.Compare(b.FailureRate, a.FailureRate), cmp.Compare(b.Reached, a.Reached), comparePlaces(a.Place, b.Place), strings.Compare(a.Step, b.Step))
	})
	return list
}

func sortStrategies(all map[stepKey]*StrategyFigures) []StrategyFigures {
	list := make([]StrategyFigures, 0, len(all))
	for _, f := range all {
		f.Rate = divide(float64(f.Worked), float64(f.Tried))
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b StrategyFigures) int {
		return cmp.Or(comparePlaces(a.Place, b.Place), strings.Compare(a.Step, b.Step), cmp.Compare(b.Rate, a.Rate), cmp.Compare(b.Tried, a.Tried), strings.Compare(a.Strategy, b.Strategy))
	})
	return list
}

// costOf returns what sessions have cost.
func costOf(sessions []Session) Cost {
	var c Cost
	for _, s := range sessions {
		c.CostUSD += s.Usage.CostUSD
		c.BilledUSD += s.BilledUSD
		c.InputTokens += s.Usage.InputTokens
		c.OutputTokens += s.Usage.OutputTokens
		c.CachedTokens += s.Usage.CachedTokens
		c.Turns += s.Turns
		c.Judged += s.Judged
		c.Worked += s.Worked
		switch {
		case mulligan.Outcome{Ended: s.Ended}.Good():
			c.Good++
		case s.Ended != "":
			c.UnverifiedUSD += s.Usage.CostUSD
		}
	}
	c.EstimatedUSD = max(0, c.CostUSD-c.BilledUSD)
	c.PerGoodUSD = divide(c.CostUSD, float64(c.Good))
	return c
}

// findBottlenecks returns where most of the time goes, and most of the money.
func findBottlenecks(steps []StepFigures, sessions []Session) []Bottleneck {
	list := []Bottleneck{}
	for _, f := range steps {
		list = append(list, Bottleneck{Kind: "step", Place: f.Place, Name: f.Step, Took: f.Worked, CostUSD: f.Usage.CostUSD})
	}
	checks, hooks := map[stepKey]time.Duration{}, map[stepKey]time.Duration{}
	cost := costOf(sessions)
	for _, s := range sessions {
		place := Place{s.Root, s.Line()}
		for _, c := range s.Checks {
			checks[stepKey{Place: place, step: c.Name}] += c.Took.Total()
		}
		for _, h := range s.Hooks {
			hooks[stepKey{Place: place, step: h.Moment + " " + h.Name}] += h.Took.Total()
		}
	}
	for kind, all := range map[string]map[stepKey]time.Duration{"check": checks, "hook": hooks} {
		for key, took := range all {
			list = append(list, Bottleneck{Kind: kind, Place: key.Place, Name: key.step, Took: took})
		}
	}
	list = slices.DeleteFunc(list, func(b Bottleneck) bool { return b.Took == 0 && b.CostUSD == 0 })
	for i := range list {
		list[i].TimeShare = divide(float64(list[i].Took), float64(cost.Worked))
		list[i].CostShare = divide(list[i].CostUSD, cost.CostUSD)
	}
	slices.SortFunc(list, func(a, b Bottleneck) int {
		return cmp.Or(cmp.Compare(max(b.TimeShare, b.CostShare), max(a.TimeShare, a.CostShare)), cmp.Compare(b.Took, a.Took), strings.Compare(b.Kind, a.Kind), comparePlaces(a.Place, b.Place), strings.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxBottlenecks)]
}
