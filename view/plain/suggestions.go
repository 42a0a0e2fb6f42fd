package plain

import (
	"cmp"
	"io"

	"mulligan"
	"mulligan/view"
)

// A suggestion is a command that a person may want next.
type suggestion struct{ command, why string }

// writeSuggestions writes commands, one to a line.
func (o Options) writeSuggestions(w io.Writer, list []suggestion) {
	width := columnWidth(list, func(n suggestion) string { return n.command })
	label := "next"
	for _, n := range list {
		command := n.command
		if n.why != "" {
			command = pad(command, width)
		}
		o.writeField(w, label, bold.say("%s", command), dim.say("%s", n.why))
		label = ""
	}
}

// suggestNext returns what a person may do after an outcome.
func suggestNext(s view.Snapshot, out mulligan.Outcome) []suggestion {
	resume := "mulligan resume " + view.QuoteForShell(s.Session)
	restore := suggestion{"mulligan restore " + view.QuoteForShell(s.Session), "the tree of any attempt"}
	switch out.Ended {
	case mulligan.Verified, mulligan.Accepted:
		return suggestMerge(s, out)
	case mulligan.GaveUp:
		return []suggestion{{rerunCommand(s), "tries again from here"}, restore}
	case mulligan.LimitReached:
		return []suggestion{{rerunCommand(s), "goes on, the limits counted anew"}, restore}
	case mulligan.GateBroken:
		return []suggestion{{resume, "once it can run; a corrected config is taken"}, restore}
	case mulligan.Waiting:
		return suggestAnswers(s, resume)
	case mulligan.AgentUnavailable:
		return []suggestion{{resume, "once the agent is there"}, restore}
	default:
		return []suggestion{{resume, "goes on where it was"}, restore}
	}
}

// suggestAnswers returns the commands for a session that waits for a person: first the answers to its
// questions, if it has any, and the words about what was claimed too often.
func suggestAnswers(s view.Snapshot, resume string) []suggestion {
	var list []suggestion
	for _, q := range s.Questions {
		list = append(list, suggestion{answerCommand(q.Question), view.Line(q.Text)})
	}
	list = append(list, suggestDecisions(s)...)
	if len(list) == 0 {
		return []suggestion{{resume, "goes on where it was"}}
	}
	return append(list, suggestion{resume, "goes on then"})
}

// suggestMerge returns the command that brings the work to the branch that the user was on.
func suggestMerge(s view.Snapshot, out mulligan.Outcome) []suggestion {
	p := s.Place
	if out.Commit == "" || p.Branch == "" || p.Origin == "" || p.Origin == p.Branch {
		return nil
	}
	command := "git merge " + view.QuoteForShell(p.Branch)
	if returned := out.Standing != nil && out.Standing.Returned && out.Standing.Branch == p.Origin; !p.Worktree && !returned {
		command = "git switch " + view.QuoteForShell(p.Origin) + " && " + command
	}
	return []suggestion{{command, ""}}
}

// rerunCommand returns the command that was given. It names the pipeline unless that is the default.
func rerunCommand(s view.Snapshot) string {
	what := cmp.Or(s.Folder, s.Task)
	if s.Loop != nil {
		return "mulligan loop " + view.QuoteForShell(what)
	}
	command := "mulligan run " + view.QuoteForShell(what)
	if s.FromStdin {
		command = "mulligan run -"
	}
	if s.Flags != "" {
		return command + " " + s.Flags
	}
	if s.Pipeline != "" && s.Pipeline != "default" {
		command += " --pipeline " + view.QuoteForShell(s.Pipeline)
	}
	return command
}
