package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"mulligan/history"
	"mulligan/internal/text"
	"mulligan/view"
)

// An insightsPrinter prints figures as tables. Names stand last in a row: they are of any length, and
// nothing has to be lined up after them.
type insightsPrinter struct {
	to       io.Writer
	withRoot bool
	err      error // the first one
}

// printTable prints a table with a blank line before it.
func (p *insightsPrinter) printTable(head []string, rows [][]string) {
	w := tabwriter.NewWriter(p.to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n"+strings.Join(head, "\t"))
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil && p.err == nil {
		p.err = err
	}
}

// printLine prints a line.
func (p *insightsPrinter) printLine(format string, args ...any) {
	if _, err := fmt.Fprintf(p.to, format+"\n", args...); err != nil && p.err == nil {
		p.err = err
	}
}

// describePlace returns the pipeline or loop that a figure is about.
func (p *insightsPrinter) describePlace(place history.Place) string {
	if p.withRoot {
		return view.Line(place.Root) + ": " + view.Line(place.Pipeline)
	}
	return view.Line(place.Pipeline)
}

// printSteps prints the failure rates of steps that sessions have reached.
func (p *insightsPrinter) printSteps(list []history.StepFigures) {
	var rows [][]string
	for _, f := range list {
		if f.Reached == 0 {
			continue
		}
		rows = append(rows, []string{
			formatPercent(f.FailureRate), drawBar(f.FailureRate), fmt.Sprintf("%d/%d", f.Failed, f.Reached), strconv.Itoa(f.Attempts), formatTimes(f.Retries),
			view.Line(f.Step) + " (" + p.describePlace(f.Place) + ")",
		})
	}
	if len(rows) > 0 {
		p.printTable([]string{"FAILS", "", "OF", "ATTEMPTS", "RETRIES", "STEP"}, rows)
	}
}

// printBottlenecks prints where time and money go.
func (p *insightsPrinter) printBottlenecks(list []history.Bottleneck) {
	var rows [][]string
	for _, b := range list {
		cost, share := "-", "-"
		if b.CostUSD > 0 {
			cost, share = formatUSD(b.CostUSD), formatPercent(b.CostShare)
		}
		rows = append(rows, []string{
			formatPercent(b.TimeShare), drawBar(b.TimeShare), view.Duration(b.Took), share, cost,
			b.Kind + " " + view.Line(b.Name) + " (" + p.describePlace(b.Place) + ")",
		})
	}
	if len(rows) > 0 {
		p.printTable([]string{"TIME", "", "TOOK", "MONEY", "COST", "WHERE"}, rows)
	}
}

// printTrends prints a sparkline of each figure over the weeks, with its last two values.
func (p *insightsPrinter) printTrends(weeks []history.Week) {
	if len(weeks) < 2 {
		return
	}
	trend := func(name string, of func(history.Week) float64, format func(float64) string) []string {
		values := make([]float64, 0, len(weeks))
		for _, w := range weeks {
			if w.Sessions == 0 {
				values = append(values, math.NaN())
			} else {
				values = append(values, of(w))
			}
		}
		last := values[len(values)-1]
		before := "-"
		for _, v := range values[:len(values)-1] {
			if !math.IsNaN(v) {
				before = format(v)
			}
		}
		return []string{name, drawSparkline(values), before, format(last)}
	}
	p.printTable([]string{"WEEKS", weeks[0].Week + "…" + weeks[len(weeks)-1].Week, "BEFORE", "LAST"}, [][]string{
		trend("sessions", func(w history.Week) float64 { return float64(w.Sessions) }, func(v float64) string { return fmt.Sprintf("%.0f", v) }),
		trend("failure rate", func(w history.Week) float64 { return w.FailureRate }, formatPercent),
		trend("time of a session", func(w history.Week) float64 { return w.Worked.Seconds() }, formatSeconds),
		trend("cost", func(w history.Week) float64 { return w.CostUSD }, formatUSD),
	})
}

// printAnomalies prints the sessions that are unusual, and why.
func (p *insightsPrinter) printAnomalies(list []history.Anomaly) {
	if len(list) == 0 {
		return
	}
	p.printLine("\nunusual sessions")
	for _, a := range list {
		format := formatCount
		switch a.Figure {
		case "time":
			format = formatSeconds
		case "cost":
			format = formatUSD
		}
		p.printLine("%s  %s %s: the median of %s is %s, and above %s is unusual (%s)", a.Session, a.Figure, format(a.Value),
			text.Count(a.Of, "session"), format(a.Median), format(a.Above), p.describePlace(a.Place))
	}
}

// printStrategies prints which strategies help at which step.
func (p *insightsPrinter) printStrategies(list []history.StrategyFigures) {
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{
			formatPercent(f.Rate), drawBar(f.Rate), fmt.Sprintf("%d/%d", f.Worked, f.Tried), view.Line(f.Strategy),
			view.Line(f.Step) + " (" + p.describePlace(f.Place) + ")",
		})
	}
	if len(rows) > 0 {
		p.printTable([]string{"WORKED", "", "OF", "STRATEGY", "STEP"}, rows)
	}
}

// printHooks prints what hooks did, and then which of them help.
func (p *insightsPrinter) printHooks(list []history.Hook) {
	if len(list) == 0 {
		p.printLine("\nno hook has run")
		return
	}
	var rows, helping [][]string
	for _, h := range list {
		rows = append(rows, []string{
			view.Line(h.Moment), strconv.Itoa(h.Runs), formatTimes(h.Blocks), formatTimes(h.Halts), formatTimes(h.Broken), formatTimes(h.Failures),
			formatBriefly(h.P50), formatBriefly(h.P95), formatBriefly(h.Max), view.Line(h.Name),
		})
		if h.Blocks > 0 {
			rate := float64(h.Helped) / float64(h.Blocks)
			helping = append(helping, []string{formatPercent(rate), drawBar(rate), fmt.Sprintf("%d/%d", h.Helped, h.Blocks), view.Line(h.Name)})
		}
	}
	p.printTable([]string{"MOMENT", "RUNS", "BLOCKS", "HALTS", "BROKEN", "FAILED", "P50", "P95", "MAX", "HOOK"}, rows)
	if len(helping) > 0 {
		p.printTable([]string{"HELPED", "", "BLOCKS", "HOOK"}, helping)
	}
}

// printChecks prints what checks did, and then which of them are flaky.
func (p *insightsPrinter) printChecks(list []history.Check) {
	if len(list) == 0 {
		p.printLine("\nno check has run")
		return
	}
	var rows [][]string
	flaky := false
	for _, c := range list {
		flaky = flaky || c.Flips > 0
		rows = append(rows, []string{
			strconv.Itoa(c.Runs), formatTimes(c.Failed), formatTimes(c.Broken), formatBriefly(c.P50), formatBriefly(c.P95), formatBriefly(c.Max), view.Line(c.Name),
		})
	}
	p.printTable([]string{"RUNS", "FAILED", "BROKEN", "P50", "P95", "MAX", "CHECK"}, rows)
	if !flaky {
		return
	}
	p.printLine("\nflaky checks, which have passed and failed on the same files")
	for _, c := range list {
		if c.Flips > 0 {
			p.printLine("%s: %s, in %d of %s", view.Line(c.Name), text.Times(c.Flips), c.Flaky, text.Count(c.Sessions, "session"))
		}
	}
}

// printCost prints what all of it has cost.
func (p *insightsPrinter) printCost(c history.Cost) {
	if c.Turns == 0 {
		return
	}
	p.printLine("\n%s, %s of turns and checks", text.Count(c.Turns, "turn"), view.Duration(c.Worked))
	if c.InputTokens+c.OutputTokens > 0 {
		p.printLine("%s tokens in (%s cached), %s out", formatCount(float64(c.InputTokens)), formatCount(float64(c.CachedTokens)), formatCount(float64(c.OutputTokens)))
	}
	if c.CostUSD == 0 {
		return
	}
	words := formatUSD(c.CostUSD)
	if c.EstimatedUSD > 0 {
		words += fmt.Sprintf(" (%s of it estimated)", formatUSD(c.EstimatedUSD))
	}
	if c.Good > 0 {
		words += fmt.Sprintf(", %s for each of %s that ended well", formatUSD(c.PerGoodUSD), text.Count(c.Good, "session"))
	}
	if c.UnverifiedUSD > 0 {
		words += fmt.Sprintf(", %s in sessions that did not", formatUSD(c.UnverifiedUSD))
	}
	p.printLine("%s", words)
}

// barWidth is how many characters a full bar has.
const barWidth = 10

// drawBar returns a share as a bar.
func drawBar(share float64) string {
	eighths := int(math.Round(min(max(share, 0), 1) * barWidth * 8))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

// drawSparkline returns values as blocks of a height between nothing and their maximum. NaN is no value.
func drawSparkline(values []float64) string {
	most := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			most = max(most, v)
		}
	}
	var line strings.Builder
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			line.WriteRune('·')
		case most == 0:
			line.WriteRune('▁')
		default:
			line.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(math.Round(7*max(v, 0)/most))])
		}
	}
	return line.String()
}

// formatPercent formats a share; a small one is not nothing.
func formatPercent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

func formatSeconds(s float64) string { return view.Duration(time.Duration(s * float64(time.Second))) }

// formatUSD formats a sum of money.
func formatUSD(v float64) string {
	if v > 0 && v < 0.01 {
		return fmt.Sprintf("$%.4f", v)
	}
	return fmt.Sprintf("$%.2f", v)
}

// formatCount formats a count as 999, 1.2k or 3.4M.
func formatCount(v float64) string {
	switch {
	case v < 1000:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case v < 999_950:
		return fmt.Sprintf("%.1fk", v/1e3)
	}
	return fmt.Sprintf("%.1fM", v/1e6)
}

// formatTimes formats a count for a table, in which what never happened does not catch the eye.
func formatTimes(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// formatBriefly formats a duration for a table.
func formatBriefly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
