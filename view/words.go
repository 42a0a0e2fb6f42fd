package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

const namedTests = 4 // failing tests that a summary names

// Summary returns a verdict in a few words: "2 of 14 tests failed: TestAdd, TestSub".
func Summary(v mulligan.Verdict) string {
	said := Line(v.Summary)
	f := v.Finding
	if f == nil {
		return said
	}
	ran := f.Counts.Ran()
	switch {
	case v.Status == mulligan.Fail && f.Counts.Failed > 0 && f.Counts.Passed == 0: // what a runner does not count is not counted
		return fmt.Sprintf("%s failed%s", text.Count(f.Counts.Failed, "test"), nameFailing(f.Failing))
	case v.Status == mulligan.Fail && f.Counts.Failed > 0:
		return fmt.Sprintf("%d of %s failed%s", f.Counts.Failed, text.Count(ran, "test"), nameFailing(f.Failing))
	case said != "" && said != "exit status 0":
		return said
	case v.Status == mulligan.Pass && ran > 0 && f.Counts.Skipped > 0:
		return fmt.Sprintf("%s, %d skipped", text.Count(ran, "test"), f.Counts.Skipped)
	case v.Status == mulligan.Pass && ran > 0:
		return text.Count(ran, "test")
	case v.Status != mulligan.Pass:
		return Line(f.Exit)
	}
	return ""
}

// nameFailing returns the names of the first failing tests, after a colon; "" if they have none.
func nameFailing(list []mulligan.Item) string {
	var names []string
	for _, item := range list[:min(namedTests, len(list))] {
		if name := Line(item.Name); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(list) > namedTests {
		names = append(names, "…")
	}
	return ": " + strings.Join(names, ", ")
}

// Join joins texts, without the empty ones.
func Join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" }), separator)
}

// listItems returns failing items as lines.
func listItems(list []mulligan.Item) string {
	var lines []string
	for _, item := range list {
		lines = append(lines, Join(": ", Line(item.Place), Line(item.Name), Line(item.Message)))
	}
	return strings.Join(lines, "\n")
}

// Duration returns a duration as people say it: 12ms, 1.2s, 42s, 3m12s, 1h02m.
func Duration(d time.Duration) string {
	d = max(0, d)
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	if d < 9950*time.Millisecond {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Clock returns a duration as a clock shows it: 0:07, 12:34, 1:02:03.
func Clock(d time.Duration) string {
	s := int(max(0, d).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Commit returns a commit's id as people write it.
func Commit(id string) string { return id[:min(7, len(id))] }

// formatThousands returns a number as 999, 1.2k or 3.4M.
func formatThousands(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Excerpt returns at most n lines of the evidence, from the first failing item on where its place is known, or the last
// ones where nothing is known of the output; and how many more there are.
func Excerpt(v mulligan.Verdict, n int) (lines []string, more int) {
	if v.Finding == nil {
		return nil, 0
	}
	text := strings.Trim(Text(v.Finding.Text), "\n")
	if text == "" {
		text = listItems(v.Finding.Failing)
	}
	if first, rest, _ := strings.Cut(text, "\n"); Line(first) == Summary(v) { // the summary is shown beside it
		text = strings.TrimLeft(rest, "\n")
	}
	if text == "" {
		return nil, 0
	}
	all := strings.Split(text, "\n")
	lines = all[findFailure(all, *v.Finding, n):]
	lines = lines[:min(n, len(lines))]
	return lines, len(all) - len(lines)
}

// QuoteForShell returns a word as a shell reads it.
func QuoteForShell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:@+,=%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
