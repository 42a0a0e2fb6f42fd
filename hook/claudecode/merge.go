package claudecode

import (
	"slices"
	"strings"

	"mulligan"
)

// allHooks is how many hooks' worth of text a reply holds at most.
const allHooks = 2

// strictness orders the decisions: the strictest of several hooks counts.
var strictness = []string{mulligan.Allow, mulligan.HookBroken, mulligan.Block, mulligan.Halt}

// mergeResults makes one reply of the hooks' results, in their order.
func mergeResults(event string, all []result, limit int) mulligan.AgentHookReply {
	reply := mulligan.AgentHookReply{Decision: strictestDecision(event, all)}
	var reasons, feedback, context []string
	for _, s := range all {
		reply.Runs = append(reply.Runs, s.run)
		reply.Messages = append(reply.Messages, s.messages...)
		context = append(context, s.context)
		if s.permission == "ask" || reply.Permission == "" {
			reply.Permission = s.permission
		}
		switch {
		case s.run.Decision == mulligan.Allow:
		case s.run.Decision == reply.Decision:
			reasons = append(reasons, s.run.Reason)
			feedback = append(feedback, s.feedback)
		default: // it is outdone by another, and the person is to know of it all the same
			reply.Messages = append(reply.Messages, s.run.Reason)
		}
		reply.Retry = mergeRetries(reply.Retry, s.retry)
	}
	reply.Reason = joinReasons(reasons)
	reply.Context = joinTexts(context, limit)
	if reply.Decision == mulligan.Block {
		reply.Feedback = joinTexts(feedback, limit)
	} else {
		reply.Retry = mulligan.HookSteer{}
	}
	return reply
}

// strictestDecision returns the strictest. The end of a session cannot be blocked.
func strictestDecision(event string, all []result) string {
	strictest := mulligan.Allow
	if event == mulligan.EventSessionEnd {
		return strictest
	}
	for _, s := range all {
		if slices.Index(strictness, s.run.Decision) > slices.Index(strictness, strictest) {
			strictest = s.run.Decision
		}
	}
	return strictest
}

// joinReasons joins reasons in one line if each is one line.
func joinReasons(reasons []string) string {
	between := "; "
	if slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(r, "\n") }) {
		between = "\n"
	}
	return strings.Join(slices.Compact(reasons), between)
}

// joinTexts joins the texts of several hooks. Each was bounded by itself; where many are long each
// gets less room, so that none pushes out another.
func joinTexts(texts []string, limit int) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	size := 0
	for _, text := range texts {
		size += len([]rune(text))
	}
	if size > allHooks*limit {
		for i, text := range texts {
			texts[i] = distilText(text, allHooks*limit/len(texts), "")
		}
	}
	return joinParagraphs(texts...)
}
