package guard

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// MaxReason is how many characters an answer has at most. A vendor replaces longer ones by a preview.
const MaxReason = 8000

const (
	maxFinding = 3000 // characters of what validation says about one item
	maxContent = 300  // characters of an item's content, where it is quoted
)

// An Answer is the reply to a call, with its reason for the agent.
type Answer struct {
	Allowed bool
	Reason  string // for a model; "" where everything is allowed
}

// AnswerTo returns the answer to a claim that is not pending. The call is denied if one of its items
// is.
func AnswerTo(c mulligan.GuardClaim) Answer {
	var over, passed []string
	var denied []mulligan.ClaimedItem
	for _, item := range c.Items {
		switch item.Status {
		case mulligan.ItemPassed:
			passed = append(passed, quote(item.Content))
		case mulligan.ItemOver:
			over = append(over, quote(item.Content))
		default:
			denied = append(denied, item)
		}
	}
	if len(over)+len(denied) == 0 {
		return Answer{Allowed: true}
	}
	var parts []string
	if len(over) > 0 {
		parts = append(parts, LimitReached(c.Max, over))
	}
	for _, item := range denied {
		parts = append(parts, describeDenied(item, c.Max))
	}
	if len(passed) > 0 {
		parts = append(parts, fmt.Sprintf("Accepted as completed: %s. Keep listing %s as completed.", strings.Join(passed, ", "), itOrThem(len(passed))))
	}
	if len(over) > 0 {
		parts = append(parts, fmt.Sprintf("Do not mark %s as completed again: only a person can decide now. Go on with other work, or end your turn and say what you wait for.", itOrThem(len(over))))
	}
	return Answer{Reason: text.Clip(strings.Join(parts, "\n\n"), MaxReason)}
}

// LimitReached returns the sentence about items that were claimed too often.
func LimitReached(limit int, quoted []string) string {
	return fmt.Sprintf("Maximum retry attempts (%d) exceeded for: %s. Please wait for user guidance or manually mark as completed.", limit, strings.Join(quoted, ", "))
}

// describeDenied returns the words for the agent about an item that was not accepted.
func describeDenied(item mulligan.ClaimedItem, limit int) string {
	at := fmt.Sprintf("(claim %d of %d)", item.Attempt, limit)
	switch {
	case item.Reason == "":
		return fmt.Sprintf("Not accepted yet: %s %s. First show what was done: name the files that you changed, run what proves that it works and show its result, "+
			"and check that nothing of it is left to do. Then mark it as completed again.", quote(item.Content), at)
	case item.Broken:
		return fmt.Sprintf("Not accepted: %s %s. It could not be validated: %s. Check your work yourself and show its result, then mark it as completed again.",
			quote(item.Content), at, trimStop(item.Reason))
	}
	return fmt.Sprintf("Not accepted: %s %s. It was looked at by %s, who found:\n%s\n\nDo what is missing, show that it works, then mark it as completed again.",
		quote(item.Content), at, nameJudge(item.By), item.Reason)
}

func nameJudge(by string) string {
	if by == mulligan.ByChecks {
		return "the checks"
	}
	return "a judge"
}

func trimStop(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".") }

func itOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// quote returns an item's content for a sentence.
func quote(content string) string { return "'" + text.Clip(text.OneLine(content), maxContent) + "'" }

func clipReason(reason string) string { return text.Clip(strings.TrimSpace(reason), maxFinding) }
