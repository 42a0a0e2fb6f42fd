package past

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mulligan"
	"mulligan/history"
)

// An outcome is what a decision asks of a record. To decode no more takes half of the time.
type outcome struct {
	ID       string         `json:"id"`
	Events   int64          `json:"events"`
	Pipeline string         `json:"pipeline"`
	Name     string         `json:"name"`
	Ended    mulligan.Ended `json:"ended"`
	Steps    []outcomeStep  `json:"steps"`
}

type outcomeStep struct {
	Name    string             `json:"step"`
	Status  history.StepStatus `json:"status"`
	Retries []history.Retry    `json:"retries"`
}

// Past returns what past sessions tell of a step. A file that cannot be read is the answer's Problem; the next catch-up,
// or the next session that ends, mends it.
func (b *Book) Past(_ context.Context, q mulligan.PastQuestion) mulligan.Past {
	list, err := readLines(b.pathOf(q.Root), func(o *outcome) bool { return o.ID != "" && o.Events > 0 })
	if err != nil {
		return mulligan.Past{Problem: err.Error()}
	}
	return answer(q, list)
}

// answer counts the newest sessions, and what strategies have come to at the step in all of them.
func answer(q mulligan.PastQuestion, list []outcome) mulligan.Past {
	var past mulligan.Past
	for _, o := range slices.Backward(list) {
		if cmp.Or(o.Name, o.Pipeline) != q.Pipeline || o.ID == q.Session {
			continue
		}
		var step outcomeStep
		if at := slices.IndexFunc(o.Steps, func(s outcomeStep) bool { return s.Name == q.Step }); at >= 0 {
			step = o.Steps[at]
		}
		if past.Sessions < q.Window && history.Counts(o.Ended) {
			past.Sessions++
			if step.Status.Reached() {
				past.Reached++
			}
			if step.Status.Failed() {
				past.Failed++
			}
		}
		for _, retry := range step.Retries {
			if retry.Decided() {
				past.Strategies = countRetry(past.Strategies, retry)
			}
		}
	}
	slices.SortFunc(past.Strategies, func(a, b mulligan.StrategyPast) int { return strings.Compare(a.Name, b.Name) })
	return past
}

// countRetry returns the list with a retry counted.
func countRetry(list []mulligan.StrategyPast, retry history.Retry) []mulligan.StrategyPast {
	at := slices.IndexFunc(list, func(s mulligan.StrategyPast) bool { return s.Name == retry.Strategy })
	if at < 0 {
		at = len(list)
		list = append(list, mulligan.StrategyPast{Name: retry.Strategy})
	}
	list[at].Tried++
	if retry.Outcome == mulligan.Pass {
		list[at].Worked++
	}
	return list
}
