package plot

import (
	"fmt"
	"time"

	"mulligan/history"
	"mulligan/internal/text"
)

// Attempts draws how many attempts steps took until they passed.
func Attempts(sessions []history.Session) Picture {
	all := history.CountAttempts(sessions)
	p := Picture{
		Title: "Attempts to success, by step", Says: "In how many sessions a step passed at its first attempt, later, or not at all.",
		Figures: "share of sessions, " + windowOf(sessions),
		Header:  []string{"step", "1 attempt", "2 attempts", "3 attempts", "more", "never", "sessions"},
	}
	var bars []bar
	for _, a := range all {
		p.Rows = append(p.Rows, []string{a.Step, fmt.Sprint(a.Passed[0]), fmt.Sprint(a.Passed[1]), fmt.Sprint(a.Passed[2]), fmt.Sprint(a.Passed[3]), fmt.Sprint(a.Failed), fmt.Sprint(a.Total())})
		if len(bars) == maxBars {
			continue
		}
		count := func(name, short string, color Color, fade float64, n int) part {
			return part{name: name, sign: formatCount(n) + " " + short, color: color, fade: fade, value: float64(n), words: formatCount(n)}
		}
		bars = append(bars, bar{a.Step, []part{
			count("at the first attempt", "at once", verified, 0, a.Passed[0]), count("at the second", "at 2nd", verified, 0.3, a.Passed[1]),
			count("at the third", "at 3rd", verified, 0.55, a.Passed[2]), count("later", "later", verified, 0.75, a.Passed[3]),
			count("never", "never", failed, 0, a.Failed),
		}, fmt.Sprintf("n = %s", formatCount(a.Total()))})
	}
	if len(bars) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	bottom := drawBars(&c, top, bars, 64, true)
	return c.finish("attempts", bottom, p)
}

// Times draws where the time of steps goes.
func Times(sessions []history.Session) Picture {
	all := history.SumTimes(sessions)
	p := Picture{
		Title: "Where the time goes, by step", Says: "How long agents, checks, hooks and waits took, summed over all sessions.",
		Figures: "time, " + windowOf(sessions),
		Header:  []string{"step", "agent", "checks", "hooks", "waits", "sessions"},
	}
	var bars []bar
	var sum history.Times
	for _, t := range all {
		p.Rows = append(p.Rows, []string{t.Step, formatTook(t.Agent), formatTook(t.Checks), formatTook(t.Hooks), formatTook(t.Waits), fmt.Sprint(t.Sessions)})
		sum.Add(t.Times)
		if len(bars) < maxBars {
			bars = append(bars, bar{t.Step, timeParts(t.Times), formatTook(t.Total())})
		}
	}
	if len(bars) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	writeWords(&c, top+10, timeParts(sum))
	bottom := drawBars(&c, top+24, bars, 68, false)
	return c.finish("times", bottom, p)
}

func timeParts(t history.Times) []part {
	span := func(name string, color Color, d time.Duration) part {
		return part{name: name, color: color, value: d.Seconds(), words: formatTook(d)}
	}
	return []part{span("agent", accent, t.Agent), span("checks", verified, t.Checks), span("hooks", limit, t.Hooks), span("waits", waiting, t.Waits)}
}

// Gates draws how often checks and hooks ran and failed, how long they took, and which are flaky.
func Gates(sessions []history.Session) Picture {
	in := history.Examine(sessions)
	p := Picture{
		Title: "Checks and hooks", Says: "How often each ran and did not pass, its median time, and whether it gave two verdicts on the same files.",
		Figures: "runs, " + windowOf(sessions),
		Header:  []string{"name", "kind", "runs", "failed", "broken", "median", "95 % within", "flaky in sessions"},
	}
	var bars []bar
	add := func(name, kind string, runs, bad, broken, flaky int, p50, p95 time.Duration) {
		p.Rows = append(p.Rows, []string{name, kind, fmt.Sprint(runs), fmt.Sprint(bad), fmt.Sprint(broken), formatTook(p50), formatTook(p95), fmt.Sprint(flaky)})
		if len(bars) == maxBars {
			return
		}
		words := formatTook(p50)
		if flaky > 0 {
			words += ", flaky"
		}
		count := func(name string, color Color, n int) part {
			return part{name: name, color: color, value: float64(n), words: formatCount(n)}
		}
		bars = append(bars, bar{name, []part{count("passed", verified, runs-bad-broken), count("failed", failed, bad), count("broken", waiting, broken)}, words})
	}
	for _, check := range in.Checks {
		add(check.Name, "check", check.Runs, check.Failed, check.Broken, check.Flaky, check.P50, check.P95)
	}
	for _, h := range in.Hooks {
		add(h.Name, h.Moment, h.Runs, h.Blocks+h.Halts+h.Failures, h.Broken, 0, h.P50, h.P95)
	}
	if len(bars) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	writeWords(&c, top+10, []part{{name: "passed", color: verified, value: 1}, {name: "failed", color: failed, value: 1}, {name: "broken", color: waiting, value: 1}})
	c.text(width, top+10, end, muted, "median time")
	bottom := drawBars(&c, top+24, bars, 96, false)
	if more := len(p.Rows) - len(bars); more > 0 {
		c.text(labelRoom, bottom+8, start, muted, "and "+text.Count(more, "other"))
		bottom += 16
	}
	return c.finish("gates", bottom, p)
}
