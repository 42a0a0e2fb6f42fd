package past

import (
	"context"
	"slices"
	"strings"

	"mulligan"
	"mulligan/history"
)

// Past returns what past sessions tell of a step. A file that cannot be read is the answer's Problem; the next catch-up,
// or the next session that ends, mends it.
func (b *Book) Past(_ context.Context, q mulligan.PastQuestion) mulligan.Past {
	records, err := readRecords(b.pathOf(q.Root))
	if err != nil {
		return mulligan.Past{Problem: err.Error()}
	}
	return answer(q, records)
}

// answer counts the newest sessions, and what strategies have come to at the step in all of them.
func answer(q mulligan.PastQuestion, records []history.Session) mulligan.Past {
	var past mulligan.Past
	for _, r := range slices.Backward(records) {
		if r.Line() != q.Pipeline || r.ID == q.Session {
			continue
		}
		var step history.Step
		if at := slices.IndexFunc(r.Steps, func(s history.Step) bool { return s.Name == q.Step }); at >= 0 {
			step = r.Steps[at]
		}
		if past.Sessions < q.Window && history.Counts(r.Ended) {
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
