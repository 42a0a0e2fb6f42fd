package config

import "slices"

// adaptiveField returns the field of how steps are retried.
func adaptiveField() Field {
	strategy := NamedString("a strategy's name")
	return Field{Name: "adaptive_retry", Doc: "how the next attempt at a step differs from the one that failed", Type: Obj(
		Field{Name: "max_retries", Doc: "how often a step without a retry of its own is tried again, where this mapping is given", Default: "3", Type: From(0)},
		Field{Name: "window", Doc: "how many past sessions count", Default: "10", Type: From(1)},
		Field{Name: "over", Doc: "which of them a step's failure rate is taken over: all, or those that reached the step", Default: "all", Type: Word("all", "reached")},
		Field{Name: "high_failure_threshold", Doc: "a step whose failure rate is above it takes the strategies of its list from the first failure on", Default: "0.2", Type: Fraction()},
		Field{Name: "auto", Doc: "take the recommendation where nobody is there to ask; false waits for a person", Default: "true", Type: Flag()},
		Field{Name: "never_retry", Doc: "steps that are never tried again", Type: ListOf(NamedString("a step's name"))},
		Field{Name: "disabled", Doc: "strategies that are not used", Type: ListOf(strategy)},
		Field{Name: "strategies", Doc: "strategies by step, in order", Type: MapOf(NonEmptyList(strategy))},
		Field{Name: "define", Doc: "strategies of your own, by name; escalate is another agent or model for failures that stay the same", Type: MapOf(strategyType())},
	)}
}

// dropStepRetries takes the default of a step's retry out of a config that has adaptive_retry: there
// max_retries stands for it.
func dropStepRetries(root *node) {
	adaptive, pipelines := root.child("adaptive_retry"), root.child("pipelines")
	if adaptive == nil || adaptive.at.src == nil || pipelines == nil {
		return
	}
	for _, pipeline := range pipelines.fields {
		for _, step := range pipeline.items {
			if retry := step.child("retry"); retry != nil && retry.at.src == nil {
				delete(step.fields, "retry")
				step.keys = slices.DeleteFunc(step.keys, func(key string) bool { return key == "retry" })
			}
		}
	}
}

func strategyType() *Type {
	t := Obj(
		Field{Name: "prepend", Doc: "text before the prompt", Type: Str()},
		Field{Name: "append", Doc: "text after the prompt", Type: Str()},
		Field{Name: "agent", Doc: "another agent", Type: NamedString("an agent's name")},
		Field{Name: "model", Doc: "another model", Type: Str()},
		Field{Name: "fresh", Doc: "begin a new conversation", Default: "false", Type: Flag()},
		Field{Name: "run", Doc: "shell command before the attempt, whose output the agent gets", Type: NamedString("a command")},
	)
	t.Noun = "a strategy"
	return t
}
