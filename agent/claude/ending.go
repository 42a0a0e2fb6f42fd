package claude

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
	"mulligan/internal/text"
)

// turnResult returns how the turn ended. It decides by fields that the program has for that, never
// by words. Only a result without an error and exit 0 make a turn that finished: the program exits
// with 0 when it is interrupted, and calls errors of the model's side a success.
func (t *transcript) turnResult(exit process.Exit, complaint string) mulligan.Result {
	ending, reason := agent.EndingOf(exit, "")
	r := mulligan.Result{Ending: ending, Reason: reason}
	if ending == mulligan.Cancelled || ending == mulligan.TimedOut {
		return r
	}
	if t.result == nil {
		r.Ending = mulligan.Crashed
		r.Reason = cmp.Or(reason, "exit status 0") + " without a result"
		if complaint != "" {
			r.Reason += ": " + complaint
		}
		return r
	}
	if exit.OK() && !t.result.IsError && t.result.StopReason != "refusal" && !t.wasAborted() {
		return r
	}
	return t.classifyError(r)
}

// classifyError returns the result with the ending of the error that the program reported.
func (t *transcript) classifyError(r mulligan.Result) mulligan.Result {
	r.Ending, r.Reason = mulligan.Crashed, t.failureReason(r.Reason)
	switch {
	case t.subtype == "error_max_turns", t.subtype == "error_max_budget_usd", t.subtype == "error_max_structured_output_retries",
		t.failure == "max_output_tokens", t.isTooLong():
		r.Ending = mulligan.AtLimit
	case t.result.StopReason == "refusal":
		r.Ending = mulligan.Refused
	case t.result.Terminal == "api_error" || t.result.Status != 0 || t.failure != "":
		t.classifyModelError(&r)
	}
	return r
}

// classifyModelError sets the ending of an error of the model's side. Billing comes first: only the
// class tells it, under several HTTP statuses.
func (t *transcript) classifyModelError(r *mulligan.Result) {
	status := t.result.Status
	switch {
	case t.failure == "billing_error", cmp.Or(t.result.ErrorType, t.failureKind) == "billing_error", status == 402:
		r.Ending, r.Cause = mulligan.Unavailable, mulligan.Billing
	case t.failure == "authentication_failed", t.failure == "oauth_org_not_allowed", status == 401, status == 403:
		r.Ending, r.Cause = mulligan.Unavailable, mulligan.Auth
	case t.failure == "rate_limit", status == 429:
		r.Ending, r.Until = mulligan.RateLimited, t.limitEnds()
	case status >= 500, status == 408, t.failure == "server_error", t.failure == "overloaded", t.result.APIError == "connection_failed",
		status == 0 && t.failure == "unknown":
		r.Ending, r.Cause = mulligan.Unavailable, mulligan.Network
	}
}

// isTooLong reports whether the conversation is longer than the model takes.
func (t *transcript) isTooLong() bool {
	return t.result != nil && t.result.Terminal == "prompt_too_long"
}

// wasAborted reports whether the program was interrupted, other than by mulligan.
func (t *transcript) wasAborted() bool { return strings.HasPrefix(t.result.Terminal, "aborted") }

// hasLost reports whether a conversation cannot be resumed: it is too long, it is gone, or it never
// began.
func (t *transcript) hasLost(c conversation) bool {
	if !t.began && t.result == nil {
		return !c.resumes
	}
	gone := c.resumes && !t.began && t.result.IsError && t.result.Turns == 0
	return gone || t.isTooLong()
}

// limitEnds returns when a rate limit ends, or the zero time if that is not known: a subscription's
// limit has a time, the API's a duration that counts from its answer.
func (t *transcript) limitEnds() time.Time {
	if t.limit.ResetsAt > 0 {
		seconds, part := math.Modf(t.limit.ResetsAt)
		return time.Unix(int64(seconds), int64(part*1e9)).UTC()
	}
	if t.wait > 0 && !t.failedAt.IsZero() {
		return t.failedAt.Add(t.wait).UTC()
	}
	return time.Time{}
}

// failureReason returns the program's own words on what went wrong, in one line. exit describes how
// the process ended.
func (t *transcript) failureReason(exit string) string {
	words := t.result.Text
	if len(t.result.Errors) > 0 {
		words = t.result.Errors[0]
	}
	if t.wasAborted() {
		words = "interrupted: " + t.result.Terminal // what the program adds is for its makers
	}
	words = cmp.Or(firstLine(words, reasonShown), t.failure, t.subtype)
	if exit == "" || t.result.IsError {
		return words
	}
	return fmt.Sprintf("%s: %s", exit, words)
}

const reasonShown = 300 // characters of a reason

// firstLine returns the first line of a text that has something in it, without control
// characters, clipped to most characters.
func firstLine(s string, most int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(line))
	return text.Clip(line, most)
}
