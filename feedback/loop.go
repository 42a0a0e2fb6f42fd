package feedback

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// LoopPrompt returns the prompt of an iteration: the user's template, or else the built-in
// one, applied to the session as its journal has it. An error is the template's.
func (p Prompter) LoopPrompt(st *state.State, changed []string) (string, error) {
	template := LoopTemplate()
	if l := st.Plan.Loop; l != nil && l.Prompt != "" {
		template = l.Prompt
	}
	prompt, err := renderTemplate(template, p.LoopData(st, changed))
	if err != nil {
		return "", fmt.Errorf("the template of the loop's prompt: %w", err)
	}
	return prompt, nil
}

// LoopData returns what the template is applied to.
func (p Prompter) LoopData(st *state.State, changed []string) LoopData {
	step := st.Plan.Steps[st.Step]
	d := LoopData{
		Session: st.ID, Name: step.Name, Iteration: iterationNumber(st), Limit: iterationLimit(st),
		Spec: strings.TrimSpace(st.Plan.Task.Text), Path: st.Plan.Task.Path,
	}
	d.setTasks(st.WorkableBoard())
	d.setNotes(st.Board.Notes)
	d.Summaries, d.SummariesMore = takeNewest(st.Board.Summaries, roomSummaries, func(s mulligan.IterationSummary) LoopSummary {
		return LoopSummary{Iteration: s.Iteration, Text: fitText(s.Text, maxReport)}
	}, func(s LoopSummary) string { return s.Text })
	d.Told, d.ToldMore = takeNewest(st.Told, roomTold, func(t mulligan.Told) string { return fitText(t.Text, maxTold) }, asIs)
	d.Answers, d.AnswersMore = listAnswers(st.Questions)
	d.Changed, d.ChangedMore = takeFirst(changed, roomChanged, func(path string) string { return fitText(path, maxPath) })
	d.setChecks(step)
	p.setVerdict(&d, step, st.Steps[st.Step])
	return d
}

// iterationNumber returns the number of the iteration that the prompt is for: the one that
// opens, else the next.
func iterationNumber(st *state.State) int {
	if st.AttemptProgress().Phase == mulligan.Opening {
		return st.Iteration
	}
	return st.Iteration + 1
}

// iterationLimit returns the number of the last iteration that there may be, or 0 if there is
// no limit. Numbers continue when a session is resumed.
func iterationLimit(st *state.State) int {
	if st.Plan.Loop == nil || st.Plan.Loop.Iterations == 0 {
		return 0
	}
	return st.IterationsBefore + st.Plan.Loop.Iterations
}

func (d *LoopData) setChecks(step mulligan.Step) {
	var names, final []string
	for _, c := range step.Checks {
		if c.Final {
			final = append(final, c.Name)
		} else {
			names = append(names, c.Name)
		}
	}
	clipName := func(name string) string { return text.Clip(name, maxName) }
	d.Checks, _ = takeFirst(names, roomNames, clipName)
	d.FinalChecks, _ = takeFirst(final, roomNames, clipName)
}

// setVerdict fills in the verdict on the last iteration that the gates examined.
func (p Prompter) setVerdict(d *LoopData, step mulligan.Step, state mulligan.StepState) {
	now, before := state.Examined()
	switch {
	case now == nil:
	case now.Status == mulligan.Pass:
		d.Passed = true
	default:
		d.Feedback = p.Feedback(step, *now, before)
		d.Refused = now.Claimed
	}
}
