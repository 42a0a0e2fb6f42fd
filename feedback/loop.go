package feedback

import (
	"fmt"
	"strings"

	"mulligan"
)

// LoopPrompt is the prompt of an iteration: the session as its journal tells it, given to
// the user's template or to the built-in one. An error is the template's.
func (p Prompter) LoopPrompt(st *mulligan.State, changed []string) (string, error) {
	text := LoopTemplate()
	if l := st.Plan.Loop; l != nil && l.Prompt != "" {
		text = l.Prompt
	}
	prompt, err := render(text, p.LoopData(st, changed))
	if err != nil {
		return "", fmt.Errorf("the template of the loop's prompt: %w", err)
	}
	return prompt, nil
}

// LoopData is what the template is given.
func (p Prompter) LoopData(st *mulligan.State, changed []string) LoopData {
	step := st.Plan.Steps[st.Step]
	d := LoopData{
		Session: st.ID, Name: step.Name, Iteration: iteration(st), Limit: limit(st),
		Spec: strings.TrimSpace(st.Plan.Task.Text), Path: st.Plan.Task.Path,
	}
	d.tasks(&st.Board)
	d.summaries(st.Board.Summaries)
	d.notes(st.Board.Notes)
	d.told(st.Told)
	d.Answers, d.AnswersMore = loopAnswers(st.Questions)
	d.Changed, d.ChangedMore = first(each(changed, maxPath), roomChanged, same)
	d.checks(step)
	p.verdict(&d, step, st.Steps[st.Step].Attempts)
	return d
}

// iteration is the one that the prompt is for: the one that opens, else the next.
func iteration(st *mulligan.State) int {
	if st.AttemptProgress().Phase == mulligan.Opening {
		return st.Iteration
	}
	return st.Iteration + 1
}

// limit counts as the iterations do, which go on where the session was run again.
func limit(st *mulligan.State) int {
	if st.Plan.Loop == nil || st.Plan.Loop.Iterations == 0 {
		return 0
	}
	return st.IterationsBefore + st.Plan.Loop.Iterations
}

func (d *LoopData) checks(step mulligan.Step) {
	for _, c := range step.Checks {
		name := clip(c.Name, maxName)
		if c.Final {
			d.FinalChecks = append(d.FinalChecks, name)
		} else {
			d.Checks = append(d.Checks, name)
		}
	}
	d.Checks, _ = first(d.Checks, roomNames, same)
	d.FinalChecks, _ = first(d.FinalChecks, roomNames, same)
}

// verdict is what the gates said of the last iteration that they examined.
func (p Prompter) verdict(d *LoopData, step mulligan.Step, attempts []mulligan.AttemptState) {
	var now, before *mulligan.AttemptState
	for i := range attempts {
		if attempts[i].Status != "" {
			now, before = &attempts[i], now
		}
	}
	switch {
	case now == nil:
	case now.Status == mulligan.Pass:
		d.Passed = true
	default:
		d.Feedback = p.Feedback(step, *now, before)
		d.Refused = now.Claimed
	}
}
