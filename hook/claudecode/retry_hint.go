package claudecode

import (
	"encoding/json"
	"math"
	"time"

	"mulligan"
)

// readRetry reads how a hook wants its retries: "never", or {max: N, after: DURATION}.
func (a *answer) readRetry(raw json.RawMessage) {
	var word string
	var fields map[string]json.RawMessage
	switch {
	case json.Unmarshal(raw, &word) == nil && word == "never":
		a.retry.Never = true
	case json.Unmarshal(raw, &fields) != nil:
		a.addRetryRemark("retry is %s: want \"never\", or an object with max or after", showValue(raw))
	}
	if limit := fields["max"]; !isAbsent(limit) {
		if n, ok := wholeNumber(limit); ok {
			a.retry.Max = &n
		} else {
			a.addRetryRemark("retry.max is %s: want a whole number, 0 or more", showValue(limit))
		}
	}
	if after := fields["after"]; !isAbsent(after) {
		if d, ok := readDuration(after); ok {
			a.retry.After = d
		} else {
			a.addRetryRemark("retry.after is %s: want seconds or a duration such as \"30s\"", showValue(after))
		}
	}
}

// wholeNumber reads a whole number of 0 or more; 3.0 is one, as some languages write it.
func wholeNumber(raw json.RawMessage) (int, bool) {
	var f float64
	if json.Unmarshal(raw, &f) != nil || f < 0 || f != math.Trunc(f) || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// readDuration reads a number of seconds, or a duration as Go writes it.
func readDuration(raw json.RawMessage) (time.Duration, bool) {
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
	return scaleDuration(seconds, time.Second)
}

// scaleDuration returns n units, and reports whether that is a duration at all.
func scaleDuration(n float64, unit time.Duration) (time.Duration, bool) {
	d := n * float64(unit)
	if !(d >= 0) || d >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(d), true
}

// mergeRetries returns what several blocking hooks ask for together: the fewest retries, the
// longest wait.
func mergeRetries(a, b mulligan.HookSteer) mulligan.HookSteer {
	if b.Max != nil && (a.Max == nil || *b.Max < *a.Max) {
		a.Max = b.Max
	}
	a.After = max(a.After, b.After)
	a.Never = a.Never || b.Never
	return a
}
