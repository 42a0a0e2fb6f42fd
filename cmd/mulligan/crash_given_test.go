package main

import (
	"fmt"
	"io"
	"iter"

	"mulligan"
)

// tellGiven writes what hooks printed for the agent, each after the turn that delivered it, and
// the results of the steps. It is for sessions that may take another way after a kill: a person
// who interrupts a session that is then killed has interrupted nothing.
func tellGiven(w io.Writer, events iter.Seq2[mulligan.Event, error]) error {
	pieces := map[int64]string{}
	var turn mulligan.TurnStarted
	for e, err := range events {
		if err != nil {
			return err
		}
		switch b := e.Body.(type) {
		case mulligan.HookEnded:
			pieces[e.Number] = fmt.Sprintf("%s %d, iteration %d: %s", b.Moment, b.Index, b.Iteration, b.Result.Text)
		case mulligan.TurnStarted:
			turn = b
		case mulligan.TurnEnded:
			for _, number := range turn.Drains {
				fmt.Fprintln(w, "given", pieces[number])
			}
			if turn.Purpose != mulligan.ForDelivery {
				fmt.Fprintln(w, "turn", b.Result.Ending, b.Result.Reason)
			}
		case mulligan.AttemptStarted, mulligan.StepVerified, mulligan.StepFailed, mulligan.StepSkipped:
			fmt.Fprintln(w, story(e.Body))
		case mulligan.SessionEnded:
			b.Outcome.Turns = 0
			if line := ended(b.Kind(), b.Outcome); line != "" {
				fmt.Fprintln(w, line)
			}
		}
	}
	return nil
}
