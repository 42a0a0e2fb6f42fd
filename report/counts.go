package report

import (
	"strconv"
	"strings"

	"mulligan"
)

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
