package feedback

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// maxPiped is how many characters of pieces a prompt has, all of them together.
const maxPiped = 60_000

// Piped returns what hooks printed and people said, in the order in which it came, each under
// a line that names its origin.
func (p Prompter) Piped(pieces []mulligan.Piece) string {
	texts := make([]string, len(pieces))
	for i, piece := range pieces {
		texts[i] = p.formatPiece(piece)
	}
	keep, left := choosePieces(pieces, texts)
	var parts []string
	if left > 0 {
		verb := "were"
		if left == 1 {
			verb = "was"
		}
		parts = append(parts, fmt.Sprintf("(%s %s left out here, the oldest: there is more than fits in a prompt. `mulligan log` has all of it.)",
			countNoun(left, "text"), verb))
	}
	for i, text := range texts {
		if keep[i] {
			parts = append(parts, text)
		}
	}
	return joinParagraphs(parts...)
}

// choosePieces returns which pieces a prompt has room for, and the number of the rest. The
// newest come first, and what people said before what hooks printed.
func choosePieces(pieces []mulligan.Piece, texts []string) (keep []bool, left int) {
	keep, left = make([]bool, len(pieces)), len(pieces)
	room := maxPiped
	for _, ofPeople := range []bool{true, false} {
		for i, piece := range slices.Backward(pieces) {
			if (piece.Moment == "") != ofPeople {
				continue
			}
			if room -= utf8.RuneCountInString(texts[i]); room < 0 {
				break
			}
			keep[i] = true
			left--
		}
	}
	return keep, left
}

// formatPiece returns a piece with its heading. The text of a gate or a hook was bounded when it
// was made; other text is bounded here, so that one piece alone never fills a prompt.
func (p Prompter) formatPiece(piece mulligan.Piece) string {
	before := ""
	if piece.Given {
		before = " (given before, in a turn that did not come to its end)"
	}
	body := fence(clipPiece(piece.Text, maxPiped/2))
	switch {
	case piece.Question > 0:
		return fmt.Sprintf("You asked (question %d):\n%s\nThe person's answer%s:\n%s", piece.Question, fence(clipPiece(piece.Asked, maxPiped/10)), before, body)
	case piece.Moment == "":
		return "Message from the person" + before + ":\n" + body
	}
	return "Output of the " + piece.Label() + before + ":\n" + body
}

// clipPiece returns at most n characters of a text, and says so where it has more.
func clipPiece(s string, n int) string {
	s = strings.TrimRight(s, "\n")
	if cut := text.Clip(s, n); cut != s {
		return cut + "\n(cut here; `mulligan log` has all of it)"
	}
	return s
}

// fence puts a text between two lines of dashes that are longer than any such line in it, so
// that it cannot seem to end before it does.
func fence(text string) string {
	dashes := 3
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= dashes && strings.Trim(line, "-") == "" {
			dashes = len(line) + 1
		}
	}
	bar := strings.Repeat("-", dashes)
	return bar + "\n" + text + "\n" + bar
}

// Now returns the prompt that hands over pieces in the middle of an iteration.
func (p Prompter) Now(pieces []mulligan.Piece) string {
	return joinParagraphs(
		"This came in after your work on this iteration was examined:",
		p.Piped(pieces),
		"Please act on it now, within the task that you were given, where something is to be done. "+
			"The checks run again when you stop. Do not modify the tests or checks.",
	)
}

// Recovery returns the prompt after a turn that failed. It asks for order, not for progress: no
// check looks at what it leaves before the next iteration has worked on it.
func (p Prompter) Recovery(failure mulligan.Result, pieces []mulligan.Piece) string {
	return joinParagraphs(
		"The last turn failed: "+describeFailure(failure)+".",
		"These are the diagnostics:",
		p.Piped(pieces),
		"Please put things right so that the next iteration can go on: look at what was left half done, and repair it "+
			"or take it back. Do not begin anything new, do not report anything as completed, and do not modify the tests or checks. "+
			"Then say in a few words what was wrong and what you did.",
	)
}

func describeFailure(r mulligan.Result) string {
	words := map[mulligan.Ending]string{
		mulligan.Crashed:     "the agent's program broke off",
		mulligan.TimedOut:    "the agent took too long and was stopped",
		mulligan.Unavailable: "the agent could not be reached",
		mulligan.Refused:     "the agent refused",
		mulligan.Cancelled:   "the agent was stopped",
	}[r.Ending]
	return cmp.Or(words, "it did not come to its end") + parenthesize(r.Reason)
}

// Delivery returns the last prompt of a session that ended with the outcome.
func (p Prompter) Delivery(st *state.State, o mulligan.Outcome, pieces []mulligan.Piece) string {
	return joinParagraphs(
		"The session is over: "+describeOutcome(o)+". This is one last turn, because something came in that you have not seen yet:",
		p.Piped(pieces),
		"Please act on it where something is to be done, and change nothing else: begin no new work. "+
			"If nothing is to be done, say so and stop.",
		describeDeliveryChecks(st, o),
	)
}

func describeOutcome(o mulligan.Outcome) string {
	if o.Ended == mulligan.Verified {
		return "the work is complete, and the checks have verified it"
	}
	words := map[mulligan.Ended]string{
		mulligan.Accepted:     "the work is complete, and was accepted",
		mulligan.LimitReached: "a limit was reached",
		mulligan.Interrupted:  "it was interrupted",
		mulligan.Waiting:      "it waits for a person",
		mulligan.GateBroken:   "a check could not be run",
	}[o.Ended]
	return cmp.Or(words, "it failed") + parenthesize(o.Reason)
}

// describeDeliveryChecks returns what becomes of the changes of the last turn.
func describeDeliveryChecks(st *state.State, o mulligan.Outcome) string {
	const untouched = " Do not modify the tests or checks."
	switch {
	case !slices.ContainsFunc(st.Plan.Steps, func(s mulligan.Step) bool { return len(s.Checks) > 0 }):
		return ""
	case o.Good():
		return "The checks run again after this turn. If they fail, everything that you change now is taken back, " +
			"and the work stays as it was verified." + untouched
	}
	return "The checks run again after this turn." + untouched
}
