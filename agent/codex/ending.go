package codex

import (
	"encoding/json"
	"regexp"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// A turnError is what Codex reports as wrong with a turn.
type turnError struct {
	Message string          `json:"message"`
	Info    json.RawMessage `json:"codexErrorInfo"` // a word, or an object with one key
	Details string          `json:"additionalDetails"`
}

// kindAndStatus returns Codex's own word for the error, and the HTTP status or 0 if there is none.
func (e turnError) kindAndStatus() (word string, status int) {
	if json.Unmarshal(e.Info, &word) == nil {
		return word, 0
	}
	var object map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	json.Unmarshal(e.Info, &object) // neither is an error without a kind
	for word, detail := range object {
		return word, detail.Status
	}
	return "", 0
}

// endingsByKind is how a turn ended for each kind of error, where the kind alone decides.
var endingsByKind = map[string]mulligan.Result{
	"contextWindowExceeded":       {Ending: mulligan.AtLimit},
	"sessionBudgetExceeded":       {Ending: mulligan.AtLimit},
	"tooManyDenials":              {Ending: mulligan.AtLimit},
	"usageLimitExceeded":          {Ending: mulligan.RateLimited},
	"rateLimitExceeded":           {Ending: mulligan.RateLimited},
	"cyberPolicy":                 {Ending: mulligan.Refused},
	"misalignmentPolicyViolation": {Ending: mulligan.Refused},
	"unauthorized":                {Ending: mulligan.Unavailable, Cause: mulligan.Auth},
	"modelNotFound":               {Ending: mulligan.Unavailable, Cause: mulligan.Missing},
	"serverOverloaded":            {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"flexUnavailable":             {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"policyCapacityUnavailable":   {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"internalServerError":         {Ending: mulligan.Unavailable, Cause: mulligan.Network},

	// with the status of the answer, if there was one
	"httpConnectionFailed":           {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"responseStreamConnectionFailed": {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"responseStreamDisconnected":     {Ending: mulligan.Unavailable, Cause: mulligan.Network},
	"responseTooManyFailedAttempts":  {Ending: mulligan.Unavailable, Cause: mulligan.Network},
}

// endingsByMessage is for kinds that tell too little, and for which Codex has no other field: the
// error's own message, whole or from its beginning, as version 0.166.0 words it.
var endingsByMessage = []struct {
	kind string
	text string // a regular expression; it is compiled when there is an error to compare, not at every start
	is   mulligan.Result
}{
	{"usageLimitExceeded", `^Quota exceeded\. Check your plan and billing details\.$`, mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing}},
	{"other", `^Missing environment variable: `, mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}},
	{"other", `^(stream disconnected before completion: )?Incomplete response returned, reason: content_filter$`, mulligan.Result{Ending: mulligan.Refused}},
	{"other", `^Incomplete response returned, reason: max_output_tokens$`, mulligan.Result{Ending: mulligan.AtLimit}},
	{"other", `^stream disconnected before completion: `, mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network}},
}

// retryAfter finds in the message of a rate limit how long it lasts; Codex has no field for that.
const retryAfter = `^rate limit exceeded: .* try again in ((?:[0-9.]+(?:ms|s|m|h))+)\.?( |$)`

// classifyError returns how a turn ended that Codex reports an error of.
func classifyError(e turnError, limits rateLimits, now time.Time) mulligan.Result {
	kind, status := e.kindAndStatus()
	for _, t := range endingsByMessage {
		if t.kind == kind && regexp.MustCompile(t.text).MatchString(e.Message) {
			return t.is
		}
	}
	if status != 0 {
		return agent.ByStatus(status)
	}
	r, known := endingsByKind[kind]
	switch {
	case !known:
		return mulligan.Result{Ending: mulligan.Crashed}
	case r.Ending == mulligan.RateLimited && limits.isDepleted():
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing}
	case r.Ending == mulligan.RateLimited:
		r.Until = limits.resetTime()
		if m := regexp.MustCompile(retryAfter).FindStringSubmatch(e.Message); m != nil {
			if wait, err := time.ParseDuration(m[1]); err == nil {
				r.Until = now.Add(wait)
			}
		}
	}
	return r
}

// turnResult returns the result of the turn. The turn finished if Codex reported that it completed,
// and the process ended well too.
func (x *exchange) turnResult(exit process.Exit, complaint string) mulligan.Result {
	r := x.turnEnding(exit, complaint)
	r.Conversation, r.Usage = x.thread, x.spent.turnUsage()
	if x.thread == "" && !x.lost {
		r.Conversation = x.turn.Conversation // the turn did not come far enough to open it
	}
	r.Reason = x.agent.deps.Clean(r.Reason)
	r.AddDenials(x.denied, x.agent.deps.Clean)
	return r
}

// turnEnding returns how the turn ended, and why.
func (x *exchange) turnEnding(exit process.Exit, complaint string) mulligan.Result {
	ending, reason := agent.EndingOf(exit, complaint)
	switch {
	case ending == mulligan.Cancelled:
		return mulligan.Result{Ending: ending}
	case x.gaveUp != nil:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "codex: " + x.gaveUp.Details}
	case ending == mulligan.TimedOut:
		return mulligan.Result{Ending: ending, Reason: reason}
	case x.failed != "" && x.code == codeOverloaded:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "codex: " + x.failed}
	case x.failed != "":
		return mulligan.Result{Ending: mulligan.Crashed, Reason: "codex: " + x.failed}
	case x.ended != nil && x.ended.Error != nil && x.ended.Status != "completed":
		r := classifyError(*x.ended.Error, x.limits, x.agent.now())
		r.Reason = "codex: " + x.ended.Error.Message
		return r
	case ending == mulligan.Crashed:
		return mulligan.Result{Ending: ending, Reason: reason}
	case x.ended == nil:
		return mulligan.Result{Ending: mulligan.Crashed, Reason: "codex ended before the turn did"}
	case x.ended.Status != "completed":
		return mulligan.Result{Ending: mulligan.Crashed, Reason: "codex: the turn was " + x.ended.Status}
	}
	return mulligan.Result{Ending: mulligan.Finished}
}
