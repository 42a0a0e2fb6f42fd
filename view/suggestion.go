package view

import (
	"cmp"
	"fmt"
	"strings"

	"mulligan"
)

// A Suggestion is a command that a person may want next.
type Suggestion struct{ Command, Why string }

// SuggestNext returns what a person may do after an outcome.
func SuggestNext(s Snapshot, out mulligan.Outcome) []Suggestion {
	resume := "mulligan resume " + QuoteForShell(s.Session)
	take := Suggestion{"mulligan take " + QuoteForShell(s.Session), "makes a branch of any attempt"}
	switch out.Ended {
	case mulligan.Verified, mulligan.Accepted:
		return suggestMerge(s, out)
	case mulligan.GaveUp:
		return []Suggestion{{rerunCommand(s), "tries again from here"}, take}
	case mulligan.LimitReached:
		return []Suggestion{{rerunCommand(s), "goes on, the limits counted anew"}, take}
	case mulligan.GateBroken:
		return []Suggestion{{resume, "once it can run; a corrected config is taken"}, take}
	case mulligan.Waiting:
		return suggestAnswers(s, resume)
	case mulligan.AgentUnavailable:
		return []Suggestion{{resume, "once the agent is there"}, take}
	default:
		return []Suggestion{{resume, "goes on where it was"}, take}
	}
}

// suggestAnswers returns the commands for a session that waits for a person: first the answers to its
// questions, if it has any, and the words about what was claimed too often.
func suggestAnswers(s Snapshot, resume string) []Suggestion {
	var list []Suggestion
	for _, q := range s.Questions {
		list = append(list, Suggestion{AnswerCommand(q.Question), Line(q.Text)})
	}
	list = append(list, suggestDecisions(s)...)
	if len(list) == 0 {
		return []Suggestion{{resume, "goes on where it was"}}
	}
	return append(list, Suggestion{resume, "goes on then"})
}

// suggestMerge returns the command that brings the work to the branch that the person is on.
func suggestMerge(s Snapshot, out mulligan.Outcome) []Suggestion {
	if out.Commit == "" || s.Place.Branch == "" || out.Handover != nil && out.Handover.Forwarded {
		return nil
	}
	if h := out.Handover; h != nil && h.Fetch != "" {
		return []Suggestion{{h.Fetch, "brings the branch"}, {"git merge " + QuoteForShell(h.Brings), "then"}}
	}
	return []Suggestion{{"git merge " + QuoteForShell(BranchRef(s.Place.Branch)), ""}}
}

// BranchRef returns the full name of a branch: a tag of the same name does not shadow that.
func BranchRef(branch string) string { return "refs/heads/" + branch }

// rerunCommand returns the command that was given. It names the pipeline unless that is the default.
func rerunCommand(s Snapshot) string {
	what := cmp.Or(s.Folder, s.Task)
	if s.Loop != nil {
		return "mulligan loop " + QuoteForShell(what)
	}
	command := "mulligan run " + QuoteForShell(what)
	if s.FromStdin {
		command = "mulligan run -"
	}
	if s.Flags != "" {
		return command + " " + s.Flags
	}
	if s.Pipeline != "" && s.Pipeline != "default" {
		command += " --pipeline " + QuoteForShell(s.Pipeline)
	}
	return command
}

// suggested is how many items commands are suggested for.
const suggested = 3

// suggestDecisions returns the commands for a session that waits for a person's word about items that
// were claimed too often. None are left once the person has given it.
func suggestDecisions(s Snapshot) []Suggestion {
	waiting := s.Guard.Waiting()
	if s.Outcome == nil || len(s.Outcome.Over) == 0 || len(waiting) == 0 {
		return nil
	}
	list := []Suggestion{{"mulligan guard status", "what was claimed, and what was found"}}
	for _, item := range waiting[:min(suggested, len(waiting))] {
		list = append(list, Suggestion{item.ApproveCommand(), "its next claim passes"})
	}
	return list
}

// AnswerCommand returns the command that answers a question.
func AnswerCommand(q mulligan.Question) string {
	var words []string
	for _, o := range q.Options {
		words = append(words, QuoteForShell(Line(o)))
	}
	return fmt.Sprintf("mulligan answer %d %s", q.ID, cmp.Or(strings.Join(words, "|"), "TEXT"))
}
