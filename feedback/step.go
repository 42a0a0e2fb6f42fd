package feedback

import (
	"fmt"
	"strings"

	"mulligan"
)

// StepPrompt is the first prompt of a step: the task, where the step stands in the
// pipeline, and what the step is to do. A step without a prompt of its own has the
// task's text as its prompt; of a pipeline with more steps it is still told its place.
func (p Prompter) StepPrompt(plan *mulligan.Plan, index int) string {
	step := plan.Steps[index]
	task, prompt := strings.TrimSpace(plan.Task.Text), strings.TrimSpace(step.Prompt)
	place := fmt.Sprintf("Step %d of %d (%s) of the pipeline %s", index+1, len(plan.Steps), step.Name, plan.Pipeline)
	switch {
	case prompt == "" && len(plan.Steps) == 1:
		return task
	case prompt == "":
		return join(task, place+".")
	case task == "" || strings.Contains(prompt, task): // the prompt has it already, where its author wanted it
		return join(place+".", prompt)
	}
	return join("Task:", task, place+":", prompt)
}
