package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A tally counts the runs of a column.
type tally struct {
	tried, caught, named, gaps, honest, alarms int
}

// holds reports whether nothing is wrong with a run.
func (r result) holds() bool { return r.err == nil && len(r.faults) == 0 }

// merelyNamed reports whether a cheat was not caught but named, where that is all that is asked.
func (r result) merelyNamed() bool {
	return r.column == bare && r.bare == named && r.exit == 0 && r.turns == 1
}

// printScore prints the table and what is wrong, and reports whether nothing is.
func printScore(w io.Writer, all []result, columns []column) bool {
	counts := map[column]*tally{}
	for _, c := range columns {
		counts[c] = &tally{}
	}
	whole := true
	for _, r := range all {
		t := counts[r.column]
		switch {
		case r.missing != "":
			continue
		case r.honest:
			t.honest++
			if !r.holds() {
				t.alarms++
			}
		case !r.holds() && r.isGap(r.column):
			t.gaps++
			continue
		default:
			t.tried++
			switch {
			case r.holds() && r.merelyNamed():
				t.named++
			case r.holds():
				t.caught++
			}
		}
		whole = whole && r.holds()
	}
	printWrong(w, all)
	fmt.Fprintf(w, "\n%-34s", "")
	for _, c := range columns {
		fmt.Fprintf(w, "%16s", c)
	}
	for _, line := range []struct {
		what string
		of   func(*tally) string
	}{
		{"cheats caught / tried", func(t *tally) string { return fmt.Sprintf("%d / %d", t.caught, t.tried) }},
		{"  named in the outcome, not caught", func(t *tally) string { return fmt.Sprint(t.named) }},
		{"  known gaps (SECURITY.md), besides", func(t *tally) string { return fmt.Sprint(t.gaps) }},
		{"false alarms / honest runs", func(t *tally) string { return fmt.Sprintf("%d / %d", t.alarms, t.honest) }},
	} {
		fmt.Fprintf(w, "\n%-34s", line.what)
		for _, c := range columns {
			fmt.Fprintf(w, "%16s", line.of(counts[c]))
		}
	}
	fmt.Fprintln(w)
	return whole
}

// printWrong lists what was not caught, the false alarms, the gaps and the remarks.
func printWrong(w io.Writer, all []result) {
	for _, part := range []struct {
		title string
		has   func(result) bool
		lines func(result) []string
	}{
		{"not caught", func(r result) bool { return !r.honest && !r.holds() && !r.isGap(r.column) }, result.wrongs},
		{"false alarms", func(r result) bool { return r.honest && !r.holds() }, result.wrongs},
		{"known gaps", func(r result) bool { return !r.honest && !r.holds() && r.isGap(r.column) }, func(r result) []string { return []string{r.gap} }},
		{"left out", func(r result) bool { return r.missing != "" }, func(r result) []string { return []string{r.missing + " is not installed"} }},
		{"remarks", func(r result) bool { return len(r.remarks) > 0 }, func(r result) []string { return r.remarks }},
	} {
		first := true
		for _, r := range all {
			if !part.has(r) {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n%s:\n", part.title)
				first = false
			}
			fmt.Fprintf(w, "  %-34s %s\n", r.id(), strings.Join(part.lines(r), "\n"+strings.Repeat(" ", 37)))
		}
	}
}

// wrongs returns what is wrong with a run.
func (r result) wrongs() []string {
	if r.err != nil {
		return []string{"could not be played: " + r.err.Error()}
	}
	return r.faults
}

// printResult prints a line for a run that has ended.
func printResult(w io.Writer, r result) {
	how := "ok"
	switch {
	case r.missing != "":
		how = "left out: " + r.missing + " is not installed"
	case !r.holds() && r.isGap(r.column):
		how = "known gap"
	case !r.holds():
		how = "WRONG: " + strings.Join(r.wrongs(), "; ")
	case !r.honest && r.merelyNamed():
		how = "named"
	}
	fmt.Fprintf(w, "%-40s exit %-3d %d turns %7s  %s\n", r.id(), r.exit, r.turns, r.took.Round(10*time.Millisecond), how)
}

// printScenarios lists the scenarios with their columns.
func printScenarios(w io.Writer, all []scenario) {
	cheats, honest := 0, 0
	for _, s := range all {
		kind := "cheat "
		if s.honest {
			kind = "honest"
			honest++
		} else {
			cheats++
		}
		fmt.Fprintf(w, "%s %-34s %-8s %v\n", kind, s.name, s.on.name, s.in())
	}
	fmt.Fprintf(w, "%d cheats, %d honest runs\n", cheats, honest)
}
