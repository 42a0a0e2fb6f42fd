package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// authRequired is the protocol's own code for an agent that is not logged in.
const authRequired = -32000

// An outcome is how far the conversation came.
type outcome struct {
	session string // to resume; "" if the program cannot
	request string // what was requested last, in words
	opening bool   // the last request was to open the conversation
	answer  *promptAnswer
	err     error // of the last request
	// why the agent cannot work at all
	cannot   string
	answered bool // the last request, by the program and not by its end
	denied   bool // something that the agent wanted to do was denied
}

// A promptAnswer is read with more tolerance than the kit has.
type promptAnswer struct {
	StopReason string `json:"stopReason"`
	Usage      struct {
		Input   int64 `json:"inputTokens"`
		Output  int64 `json:"outputTokens"`
		Cached  int64 `json:"cachedReadTokens"`
		Thought int64 `json:"thoughtTokens"`
		Total   int64 `json:"totalTokens"`
	} `json:"usage"`
	// Meta is where Gemini CLI has the usage.
	Meta struct {
		Quota struct {
			Tokens struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	} `json:"_meta"`
}

// turnResult returns the result of the turn. An answer to the prompt counts, however the process
// ended after it by itself.
func (o outcome) turnResult(ctx context.Context, exit process.Exit, complaint string) mulligan.Result {
	r := o.turnEnding(ctx, exit, complaint)
	if lost := o.opening && o.answered && o.err != nil && r.Ending == mulligan.Crashed; !lost {
		r.Conversation = o.session
	}
	return r
}

// turnEnding returns how the turn ended, and why.
func (o outcome) turnEnding(ctx context.Context, exit process.Exit, complaint string) mulligan.Result {
	var refused *protocol.RequestError
	ending, reason := agent.EndingOf(exit, complaint)
	switch {
	case ctx.Err() != nil:
		return mulligan.Result{Ending: mulligan.Cancelled}
	case ending == mulligan.TimedOut: // what it answered while it was being ended is no end of its own
		return mulligan.Result{Ending: ending, Reason: reason}
	case o.answer != nil && o.denied && o.answer.StopReason == string(protocol.StopReasonCancelled):
		r := o.answer.turnResult() // for some, to be denied something is the end of the turn
		r.Ending, r.Reason = mulligan.Finished, ""
		return r
	case o.answer != nil:
		return o.answer.turnResult()
	case o.cannot != "":
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Missing, Reason: o.cannot}
	case o.answered && errors.As(o.err, &refused):
		r := classifyError(refused)
		r.Reason = fmt.Sprintf("it would not %s: %s (%d)", o.request, errorWords(refused), refused.Code)
		return r
	case ending == mulligan.Crashed:
		return mulligan.Result{Ending: ending, Reason: reason}
	}
	return mulligan.Result{Ending: mulligan.Crashed, Reason: "the agent ended before the turn did"}
}

// turnResult returns the result of a turn that the program answered.
func (a *promptAnswer) turnResult() mulligan.Result {
	more := a.Meta.Quota.Tokens
	r := mulligan.Result{Usage: mulligan.Usage{
		InputTokens: cmp.Or(a.inputTokens(), more.Input), OutputTokens: cmp.Or(a.Usage.Output, more.Output), CachedTokens: a.Usage.Cached,
	}}
	r.Usage.Estimated = r.Usage != mulligan.Usage{} // whether it is of the turn, the call or the conversation is not said
	switch protocol.StopReason(a.StopReason) {
	case protocol.StopReasonEndTurn:
		r.Ending = mulligan.Finished
	case protocol.StopReasonMaxTokens, protocol.StopReasonMaxTurnRequests:
		r.Ending, r.Reason = mulligan.AtLimit, "the agent stopped at a limit of its own: "+a.StopReason
	case protocol.StopReasonRefusal:
		r.Ending, r.Reason = mulligan.Refused, "the model refused"
	default:
		r.Ending, r.Reason = mulligan.Crashed, "the agent stopped the turn: "+a.StopReason
	}
	return r
}

// inputTokens returns the input with what was cached, which limits count too. Some programs leave
// that out of the input, and include it in the total alone.
func (a *promptAnswer) inputTokens() int64 {
	return max(a.Usage.Input, a.Usage.Total-a.Usage.Output-a.Usage.Thought)
}

// classifyError returns what an error of the agent means. Its code is the protocol's, or the HTTP
// status of the model's side; its words decide nothing.
func classifyError(e *protocol.RequestError) mulligan.Result {
	switch {
	case e.Code == authRequired:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}
	case e.Code < 600:
		return agent.ByStatus(e.Code)
	}
	return mulligan.Result{Ending: mulligan.Crashed}
}

// errorWords returns an error's own words, for people: often the message alone tells only that
// there was one.
func errorWords(e *protocol.RequestError) string {
	data, _ := e.Data.(map[string]any)
	for _, key := range []string{"details", "error", "message"} {
		if more, ok := data[key].(string); ok && more != "" {
			return e.Message + ": " + more
		}
	}
	return e.Message
}
