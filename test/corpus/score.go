package corpus

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Text is a text in which the items of a case are looked for.
type Text struct {
	readings []reading
}

// NewText returns a Text of what a distiller made of the case's output.
func (c Case) NewText(text string) *Text {
	var paths []string
	for _, item := range c.Items {
		if path, line := splitPlace(item.Place); line != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	t := &Text{}
	for _, form := range listReadings(text) {
		t.readings = append(t.readings, reading{text: form, paths: findPaths(form, paths)})
	}
	return t
}

// FindMissing returns the parts of an item that the text does not have: none if it has the
// item whole.
func (t *Text) FindMissing(item Item) (missing []string) {
	for _, s := range append([]string{item.Name}, item.Message...) {
		if s = collapseSpace(s); s != "" && !t.hasWords(s) {
			missing = append(missing, s)
		}
	}
	if item.Place != "" && !t.hasPlace(item) {
		missing = append(missing, item.Place)
	}
	return missing
}

func (t *Text) hasWords(s string) bool {
	return slices.ContainsFunc(t.readings, func(r reading) bool { return findWords(r.text, s, 0) >= 0 })
}

// hasPlace reports whether the text has the item's place in one of the usual forms: path and
// line side by side, or the line beside what the item says and the path before or after it, as
// in a list under the name of a file.
func (t *Text) hasPlace(item Item) bool {
	path, line := splitPlace(item.Place)
	if line == "" {
		return t.hasWords(path)
	}
	together := regexp.MustCompile(regexp.QuoteMeta(path) + "[\"'`]?" + `(?:,? (?:on |at )?line |:line |: line |:\[|\(|\[|#L?|:| )` + line + `\b`)
	if slices.ContainsFunc(t.readings, func(r reading) bool { return together.MatchString(r.text) }) {
		return true
	}
	apart := regexp.MustCompile(`(?i)(?:\bline\W{1,4}|:|\[|\()` + line + `\b|(?:^|[^\w.])` + line + `(?::\d|\s*[|│]|,\d)`)
	return slices.ContainsFunc(t.readings, func(r reading) bool { return r.hasNear(item, path, apart) })
}

// splitPlace splits "path:12" into its parts. A place without a line is a path.
func splitPlace(place string) (path, line string) {
	at := strings.LastIndexByte(place, ':')
	if at < 0 || at+1 == len(place) || strings.Trim(place[at+1:], "0123456789") != "" {
		return place, ""
	}
	return place[:at], place[at+1:]
}

// CheckItems returns an error for each part of an item that the output itself does not have: an
// expectation that no distiller can meet is a fault of the case.
func (c Case) CheckItems() (faults []error) {
	text := c.NewText(CleanText(c.Output))
	for n, item := range c.Items {
		if item.Name == "" && len(item.Message) == 0 {
			faults = append(faults, fmt.Errorf("%s/%s: item %d has neither a name nor a message", c.Folder, c.Name, n+1))
		}
		for _, s := range text.FindMissing(item) {
			faults = append(faults, fmt.Errorf("%s/%s: item %d: the output does not have %q", c.Folder, c.Name, n+1, s))
		}
	}
	return faults
}

// CountFitting returns how many of the items fit limit characters together, each in its
// shortest whole form, the shortest first.
func (c Case) CountFitting(limit int) int {
	sizes := make([]int, 0, len(c.Items))
	for _, item := range c.Items {
		sizes = append(sizes, item.Size())
	}
	slices.Sort(sizes)
	for n, size := range sizes {
		if limit -= size; limit < 0 {
			return n
		}
	}
	return len(sizes)
}

// CountWhole returns how many of the items a text has whole.
func (c Case) CountWhole(text string) int {
	whole := 0
	for t, i := c.NewText(text), 0; i < len(c.Items); i++ {
		if len(t.FindMissing(c.Items[i])) == 0 {
			whole++
		}
	}
	return whole
}

// IsLong reports whether the output does not fit limit characters.
func (c Case) IsLong(limit int) bool { return utf8.RuneCountInString(CleanText(c.Output)) > limit }

// A Tally counts the items of several cases.
type Tally struct {
	Cases, Items, Fitting int
	Kept, HeadAndTail     Score
}

// A Score is how many items of several cases one text of each has whole, of those that fit.
type Score struct {
	Whole  int
	shares float64 // of each case
}

// Add counts a case of which a distiller made text.
func (t *Tally) Add(c Case, text string, limit int) {
	fitting := c.CountFitting(limit)
	t.Cases++
	t.Items += len(c.Items)
	t.Fitting += fitting
	t.Kept.addCase(c.CountWhole(text), fitting)
	t.HeadAndTail.addCase(c.CountWhole(HeadAndTail(CleanText(c.Output), limit)), fitting)
}

func (s *Score) addCase(whole, fitting int) {
	whole = min(whole, fitting)
	s.Whole += whole
	s.shares += float64(whole) / float64(max(fitting, 1))
}

// Merge adds the counts of another tally.
func (t *Tally) Merge(other Tally) {
	t.Cases += other.Cases
	t.Items += other.Items
	t.Fitting += other.Fitting
	t.Kept.merge(other.Kept)
	t.HeadAndTail.merge(other.HeadAndTail)
}

func (s *Score) merge(other Score) {
	s.Whole += other.Whole
	s.shares += other.shares
}

// Share returns which part of the items that fit a score has whole, in per cent.
func (t *Tally) Share(s Score) float64 { return 100 * float64(s.Whole) / float64(max(t.Fitting, 1)) }

// Mean returns the mean of the shares of each case, in per cent: a case with many items weighs
// no more than one with a single item.
func (t *Tally) Mean(s Score) float64 { return 100 * s.shares / float64(max(t.Cases, 1)) }
