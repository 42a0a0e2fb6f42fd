package claudecode

import (
	"encoding/json"
	"math"
	"time"

	"mulligan"
)

// steered reads how a hook wants its retries: "never", or {max: N, after: DURATION}.
func (a *answer) steered(raw json.RawMessage) {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if a.steer.Never = word == "never"; !a.steer.Never {
			a.remarkOnRetry("retry is %s: want \"never\", or an object with max or after", shown(raw))
		}
		return
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		a.remarkOnRetry("retry is %s: want \"never\", or an object with max or after", shown(raw))
		return
	}
	if limit, given := fields["max"]; given && !isNull(limit) {
		if n, ok := wholeNumber(limit); ok {
			a.steer.Max = &n
		} else {
			a.remarkOnRetry("retry.max is %s: want a whole number, 0 or more", shown(limit))
		}
	}
	if after, given := fields["after"]; given && !isNull(after) {
		if d, ok := span(after); ok {
			a.steer.After = d
		} else {
			a.remarkOnRetry("retry.after is %s: want seconds or a duration such as \"30s\"", shown(after))
		}
	}
}

// wholeNumber also takes 3.0, as some languages write it.
func wholeNumber(raw json.RawMessage) (int, bool) {
	var f float64
	if json.Unmarshal(raw, &f) != nil || f < 0 || f != math.Trunc(f) || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// span is a number of seconds, or a duration as Go writes it.
func span(raw json.RawMessage) (time.Duration, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if d, err := time.ParseDuration(text); err == nil {
			return d, d >= 0
		}
		raw = json.RawMessage(text)
	}
	var seconds float64
	if json.Unmarshal(raw, &seconds) != nil {
		return 0, false
	}
	return scaled(seconds, time.Second)
}

// scaled is so many of a unit, where that is a duration at all.
func scaled(n float64, unit time.Duration) (time.Duration, bool) {
	d := n * float64(unit)
	if !(d >= 0) || d >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(d), true
}

// joined is what several blocking hooks ask for together: the fewest retries, the longest wait.
func joined(a, b mulligan.HookSteer) mulligan.HookSteer {
	if b.Max != nil && (a.Max == nil || *b.Max < *a.Max) {
		a.Max = b.Max
	}
	a.After = max(a.After, b.After)
	a.Never = a.Never || b.Never
	return a
}
