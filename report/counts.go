package report

import (
	"strconv"
	"strings"

	"mulligan"
)

// A tally is what every format gathers.
type tally struct {
	runner string
	list   failureList
	counts mulligan.Counts
	known  bool // the format was recognised

	counted   bool // totals were read
	uncounted bool // tests ran that no total counts
}

func (t *tally) makeReport() (Report, bool) {
	r := Report{Runner: t.runner, Counts: t.counts, Counted: t.counted, uncounted: t.uncounted}
	r.Failing, r.More = t.list.makeItems()
	return r, t.known
}

// addTotals adds the totals of a JavaScript runner.
func (t *tally) addTotals(n map[string]int) {
	t.known, t.counted = true, true
	t.counts = addCounts(t.counts, mulligan.Counts{Passed: n["passed"], Failed: n["failed"], Skipped: n["skipped"] + n["todo"]})
}

// readCounts reads a runner's totals, `1 failed, 2 passed`, and returns the number of each word.
// It reports whether every part begins with a number.
func readCounts(s, separator string) (counts map[string]int, ok bool) {
	counts = map[string]int{}
	for part := range strings.SplitSeq(s, separator) {
		number, word, _ := strings.Cut(strings.TrimSpace(part), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, false
		}
		counts[word] += n
	}
	return counts, true
}

func addCounts(a, b mulligan.Counts) mulligan.Counts {
	return mulligan.Counts{Passed: a.Passed + b.Passed, Failed: a.Failed + b.Failed, Skipped: a.Skipped + b.Skipped}
}
