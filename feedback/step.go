package feedback

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/state"
)

// StepPrompt returns the first prompt of a step: the task, where the step stands in the
// pipeline, what the step is to do, and what people answered so far. A step without a prompt
// of its own has the task's text as its prompt, and in a pipeline with more steps its place.
func (p Prompter) StepPrompt(st *state.State) string {
	return joinParagraphs(composeStepPrompt(st.Plan, st.Step), describeAnswers(st.Questions))
}

func composeStepPrompt(plan *mulligan.Plan, index int) string {
	step := plan.Steps[index]
	task, prompt := strings.TrimSpace(plan.Task.Text), strings.TrimSpace(step.Prompt)
	place := fmt.Sprintf("Step %d of %d (%s) of the pipeline %s", index+1, len(plan.Steps), step.Name, plan.Pipeline)
	switch {
	case prompt == "" && len(plan.Steps) == 1:
		return task
	case prompt == "":
		return joinParagraphs(task, place+".")
	case task == "" || strings.Contains(prompt, task): // the prompt has it already, where its author wanted it
		return joinParagraphs(place+".", prompt)
	}
	return joinParagraphs("Task:", task, place+":", prompt)
}

// describeAnswers returns the answers to the questions that agents asked in this session.
func describeAnswers(questions []mulligan.Question) string {
	answers, more := listAnswers(questions)
	if len(answers) == 0 {
		return ""
	}
	lines := []string{"What was asked in this session, and answered:"}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("(%s older ones are left out)", groupThousands(more)))
	}
	for _, a := range answers {
		lines = append(lines, "- Question: "+indentLines(2, a.Question), "  "+a.By()+": "+indentLines(2, a.Answer))
	}
	return strings.Join(lines, "\n")
}
