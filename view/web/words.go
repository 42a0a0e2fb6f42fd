package web

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
)

// A Sign is how something stands: a character, a word and a colour that mean the same.
type Sign struct {
	Mark string
	Word string
	Tone string // a class of the style: verified, accepted, failed, waiting, limit, running, open
}

// functions returns what templates call. assets are the addresses of files.
func functions(assets map[string]string) template.FuncMap {
	return template.FuncMap{
		"asset":  func(name string) string { return assets[name] },
		"dict":   makeDict,
		"ago":    writeAgo,
		"took":   Duration,
		"exact":  func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"count":  text.Count,
		"group":  groupDigits,
		"bytes":  sizeWords,
		"line":   view.Line,
		"commit": view.Commit,
		"base":   filepath.Base,
	}
}

// makeDict returns what a template hands to another: names and values by turns.
func makeDict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

// Duration returns a duration as pages have it: 12ms, 1.2s, 42s, 1m 20s, 2h 05m.
func Duration(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
	case d.Round(time.Second) >= time.Minute:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return view.Duration(d)
}

// writeAgo returns a moment as people say it.
func writeAgo(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < 45*time.Second:
		return "just now"
	case d < time.Hour:
		return text.Count(max(1, int(d.Round(time.Minute).Minutes())), "minute") + " ago"
	case d < 24*time.Hour:
		return text.Count(int(d.Round(time.Hour).Hours()), "hour") + " ago"
	case d < 14*24*time.Hour:
		return text.Count(int(d.Hours()/24), "day") + " ago"
	}
	return t.Local().Format("2 Jan 2006")
}

// groupDigits returns a number with its digits in groups of three: 12,345.
func groupDigits(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// sizeWords returns a size of a file.
func sizeWords(n int64) string {
	switch {
	case n < 1<<10:
		return text.Count(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// Money returns a cost, marked if it is an estimate; "" if there is none.
func Money(u mulligan.Usage) string {
	forms := view.SpentForms(mulligan.Usage{CostUSD: u.CostUSD, Estimated: u.Estimated})
	return forms[len(forms)-1]
}

// EndingSign returns how a session ended.
func EndingSign(e mulligan.Ended, paused bool) Sign {
	word, _, _ := view.EndingWords(e, paused)
	switch e {
	case mulligan.Verified:
		return Sign{"✓", word, "verified"}
	case mulligan.Accepted:
		return Sign{"✓", word, "accepted"}
	case mulligan.GaveUp:
		return Sign{"✗", word, "failed"}
	case mulligan.LimitReached:
		return Sign{"!", "limit reached", "limit"}
	case mulligan.Waiting:
		if paused {
			return Sign{"‖", word, "waiting"}
		}
		return Sign{"?", word, "waiting"}
	case mulligan.GateBroken:
		return Sign{"!", "gate broken", "failed"}
	case mulligan.AgentUnavailable:
		return Sign{"!", word, "failed"}
	case mulligan.Interrupted:
		return Sign{"‖", word, "limit"}
	}
	return Sign{"?", view.Line(strings.ReplaceAll(string(e), "_", " ")), "open"}
}

// statusSign returns a verdict of a gate.
func statusSign(s mulligan.Status) Sign {
	switch s {
	case mulligan.Pass:
		return Sign{"✓", "passed", "verified"}
	case mulligan.Fail:
		return Sign{"✗", "failed", "failed"}
	case mulligan.Broken:
		return Sign{"!", "broken", "failed"}
	}
	return Sign{"…", "under way", "running"}
}

// stepSign returns how far a step is.
func stepSign(s view.StepStatus) Sign {
	switch s {
	case view.Verified:
		return Sign{"✓", "verified", "verified"}
	case view.Accepted:
		return Sign{"✓", "accepted", "accepted"}
	case view.Failed:
		return Sign{"✗", "failed", "failed"}
	case view.Skipped:
		return Sign{"–", "skipped", "limit"}
	case view.Running:
		return Sign{"●", "under way", "running"}
	default:
		return Sign{"○", "to do", "open"}
	}
}
