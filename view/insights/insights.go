// Package insights describes what past sessions have in common, for the terminal and for the page.
package insights

import (
	"fmt"
	"strconv"

	"mulligan/history"
	"mulligan/internal/text"
	"mulligan/view"
)

// A Table is figures in rows. Names stand last in a row: they are of any length, and nothing has to be lined up after
// them.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Tables returns the tables that have something to tell. withRoot names the repository of each figure.
func Tables(in history.Insights, withRoot bool) []Table {
	d := describer{withRoot: withRoot}
	var filled []Table
	for _, t := range []Table{
		d.describeSteps(in.Steps), d.describeStrategies(in.Strategies), d.describeBottlenecks(in.Bottlenecks), describeAgents(in.Agents),
		describeHooks(in.Hooks), describeChecks(in.Checks),
	} {
		if len(t.Rows) > 0 {
			filled = append(filled, t)
		}
	}
	return filled
}

type describer struct{ withRoot bool }

// describePlace returns a name with the pipeline or loop that a figure is about.
func (d describer) describePlace(name string, place history.Place) string {
	if d.withRoot {
		return fmt.Sprintf("%s (%s: %s)", view.Line(name), view.Line(place.Root), view.Line(place.Pipeline))
	}
	return fmt.Sprintf("%s (%s)", view.Line(name), view.Line(place.Pipeline))
}

// describeSteps describes the failure rates of steps that sessions have reached.
func (d describer) describeSteps(list []history.StepFigures) Table {
	t := Table{Title: "Which steps fail", Head: []string{"FAILS", "OF", "ATTEMPTS", "RETRIES", "STEP"}}
	for _, f := range list {
		if f.Reached > 0 {
			t.Rows = append(t.Rows, []string{
				formatPercent(f.FailureRate), fmt.Sprintf("%d/%d", f.Failed, f.Reached), strconv.Itoa(f.Attempts), formatTimes(f.Retries), d.describePlace(f.Step, f.Place),
			})
		}
	}
	return t
}

// describeStrategies describes which strategies help at which step.
func (d describer) describeStrategies(list []history.StrategyFigures) Table {
	t := Table{Title: "What helped", Head: []string{"WORKED", "OF", "STRATEGY", "STEP"}}
	for _, f := range list {
		t.Rows = append(t.Rows, []string{formatPercent(f.Rate), fmt.Sprintf("%d/%d", f.Worked, f.Tried), view.Line(f.Strategy), d.describePlace(f.Step, f.Place)})
	}
	return t
}

// describeBottlenecks describes where time and money go.
func (d describer) describeBottlenecks(list []history.Bottleneck) Table {
	t := Table{Title: "Where time and money go", Head: []string{"TIME", "TOOK", "MONEY", "COST", "WHERE"}}
	for _, b := range list {
		cost, share := "-", "-"
		if b.CostUSD > 0 {
			cost, share = formatUSD(b.CostUSD), formatPercent(b.CostShare)
		}
		t.Rows = append(t.Rows, []string{formatPercent(b.TimeShare), view.Duration(b.Took), share, cost, b.Kind + " " + d.describePlace(b.Name, b.Place)})
	}
	return t
}

// describeAgents describes what agents cost that told a cost.
func describeAgents(list []history.AgentFigures) Table {
	t := Table{Title: "What agents cost", Head: []string{"COST", "VERIFIED", "EACH", "TURNS", "AGENT"}}
	for _, f := range list {
		if f.CostUSD == 0 {
			continue
		}
		each, sign := "-", ""
		if f.Estimated {
			sign = "≈"
		}
		if f.Verified > 0 {
			each = sign + formatUSD(f.PerVerifiedUSD)
		}
		t.Rows = append(t.Rows, []string{sign + formatUSD(f.CostUSD), formatTimes(f.Verified), each, strconv.Itoa(f.Turns), view.Join(" ", view.Line(f.Agent), view.Line(f.Model))})
	}
	return t
}

func describeHooks(list []history.Hook) Table {
	t := Table{Title: "What hooks did", Head: []string{"MOMENT", "RUNS", "BLOCKS", "HELPED", "HALTS", "BROKEN", "FAILED", "P50", "P95", "MAX", "HOOK"}}
	for _, h := range list {
		helped := "-"
		if h.Blocks > 0 {
			helped = formatPercent(float64(h.Helped) / float64(h.Blocks))
		}
		t.Rows = append(t.Rows, []string{
			view.Line(h.Moment), strconv.Itoa(h.Runs), formatTimes(h.Blocks), helped, formatTimes(h.Halts), formatTimes(h.Broken), formatTimes(h.Failures),
			formatBriefly(h.P50), formatBriefly(h.P95), formatBriefly(h.Max), view.Line(h.Name),
		})
	}
	return t
}

func describeChecks(list []history.Check) Table {
	t := Table{Title: "What checks did", Head: []string{"RUNS", "FAILED", "BROKEN", "FLAKY", "P50", "P95", "MAX", "CHECK"}}
	for _, c := range list {
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(c.Runs), formatTimes(c.Failed), formatTimes(c.Broken), formatTimes(c.Flips),
			formatBriefly(c.P50), formatBriefly(c.P95), formatBriefly(c.Max), view.Line(c.Name),
		})
	}
	return t
}

// Lines returns the costs, the trend of the last week and the unusual session, each as a line.
func Lines(in history.Insights) []string {
	lines := describeCost(in.Cost)
	for _, line := range []string{describeTrend(in.Trends), describeAnomalies(in.Anomalies)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func describeCost(c history.Cost) []string {
	if c.Turns == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%s, %s of turns and checks", text.Count(c.Turns, "turn"), view.Duration(c.Worked))}
	if c.InputTokens+c.OutputTokens > 0 {
		lines = append(lines, fmt.Sprintf("%s tokens in (%s cached), %s out", formatCount(float64(c.InputTokens)), formatCount(float64(c.CachedTokens)), formatCount(float64(c.OutputTokens))))
	}
	if c.CostUSD == 0 {
		return lines
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
	return append(lines, words)
}

// describeTrend describes the last week beside the one before it that had sessions, or returns "".
func describeTrend(weeks []history.Week) string {
	var described []string
	for i := len(weeks) - 1; i >= 0 && len(described) < 2; i-- {
		w := weeks[i]
		if w.Sessions == 0 {
			continue
		}
		words := fmt.Sprintf("week of %s: %s, %s failed, %s each", w.Week, text.Count(w.Sessions, "session"), formatPercent(w.FailureRate), view.Duration(w.Worked))
		if w.CostUSD > 0 {
			words += ", " + formatUSD(w.CostUSD)
		}
		described = append(described, words)
	}
	if len(described) < 2 {
		return ""
	}
	return described[0] + "; " + described[1]
}

// describeAnomalies describes the newest session that is unusual, or returns "".
func describeAnomalies(list []history.Anomaly) string {
	if len(list) == 0 {
		return ""
	}
	words := "unusual: " + list[0].Session
	others := map[string]bool{}
	for _, a := range list {
		if a.Session != list[0].Session {
			others[a.Session] = true
			continue
		}
		format := formatCount
		switch a.Figure {
		case "time":
			format = formatSeconds
		case "cost":
			format = formatUSD
		}
		words += fmt.Sprintf(", %s %s (median %s)", a.Figure, format(a.Value), format(a.Median))
	}
	if len(others) > 0 {
		words += fmt.Sprintf("; `mulligan insights --json` has %s more", text.Count(len(others), "session"))
	}
	return words
}
