package feedback

import (
	"regexp"
	"slices"
	"strings"

	"mulligan"
	"mulligan/report"
	"mulligan/report/block"
)

// What is added to the items of a report. A verdict with all of them has to fit into one event of
// the journal beside the distilled text.
const (
	maxAdded        = 50
	maxAddedMessage = 160 // characters
)

// addFound adds to the items that known formats gave those that other tools printed in the same
// output: a script may run several of them, and many tools have no format that is known.
func addFound(r *report.Report, found block.Result) {
	added := 0
	for _, b := range found.Blocks {
		if b.Tier != block.Failure || isCounted(b.Kind) {
			continue
		}
		it := makeItem(b)
		title := tapTitle(it.Name)
		known := func(o mulligan.Item) bool {
			return o.Place != "" && o.Place == it.Place || strings.Contains(it.Name, o.Name) || o.Place != "" && strings.HasPrefix(it.Name, o.Place) ||
				title != "" && tapTitle(o.Name) == title
		}
		switch {
		case slices.ContainsFunc(r.Failing, known):
		case added < maxAdded:
			r.Failing = append(r.Failing, it)
			added++
		default:
			r.More++
		}
	}
}

// tapFailure matches both forms in which a test that failed is named: `not ok 3 - title`, and the `# Failed test 'title'`
// that Perl's tests print to the other stream.
var tapFailure = regexp.MustCompile(`^(?:not ok\b *\d*(?: -)? *(.*)|#\s*Failed (?:\(\S+\) )?test '(.*)')$`)

// tapTitle returns the title of a test that failed in TAP, or "" if the name is none of such a test.
func tapTitle(name string) string {
	m := tapFailure.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// isCounted reports whether the known formats name the items of a kind themselves.
func isCounted(kind string) bool {
	return slices.Contains([]string{"go test", "pytest", "jest", "vitest", "mark", "panic", "traceback", "test", "AssertionError"}, kind) ||
		strings.HasPrefix(kind, "traceback ")
}

// makeItem returns a block as an item.
func makeItem(b *block.Block) mulligan.Item {
	own, shared, placed := b.Split()
	it := mulligan.Item{Name: clipItem(own)}
	if placed {
		it.Place = it.Name
	}
	message := []string{strings.TrimLeft(shared, " :-")}
	for _, l := range b.Lines {
		if l.Rank == block.Core && !strings.Contains(l.Text, own) && len(message) < 4 {
			message = append(message, strings.TrimSpace(l.Text))
		}
	}
	it.Message = clipItem(strings.TrimSpace(strings.Join(message, "\n")))
	return it
}

func clipItem(s string) string { return clipAround(strings.TrimSpace(s), maxAddedMessage) }
