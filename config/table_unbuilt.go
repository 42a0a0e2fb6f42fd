package config

// The fields whose features are not built yet. They have their types and ranges
// already, so that turning one on is taking NotYet out of one line.

func adaptiveField() Field {
	return Field{Name: "adaptive_retry", Doc: "choose the next attempt's strategy by history", NotYet: true, Type: Obj(
		Field{Name: "max_retries", Doc: "budget of steps without retry", Default: "3", Type: From(0)},
		Field{Name: "window", Doc: "how many past sessions count", Default: "10", Type: From(1)},
		Field{Name: "over", Doc: "which of them a step's rate is taken over", Default: "all", Type: Word("all", "reached")},
		Field{Name: "high_failure_threshold", Doc: "rate above which a strategy is recommended", Default: "0.2", Type: Fraction()},
		Field{Name: "auto", Doc: "take the recommendation where nobody is asked", Default: "true", Type: Flag()},
		Field{Name: "never_retry", Doc: "steps that are never tried again", Type: ListOf(NamedString("a step's name"))},
		Field{Name: "disabled", Doc: "strategies that are not used", Type: ListOf(NamedString("a strategy's name"))},
		Field{Name: "strategies", Doc: "strategies by step, in order", Type: MapOf(NonEmptyList(NamedString("a strategy's name")))},
		Field{Name: "define", Doc: "strategies of the user's own", Type: MapOf(Obj(
			Field{Name: "prepend", Doc: "text before the prompt", Type: Str()},
			Field{Name: "append", Doc: "text after the prompt", Type: Str()},
			Field{Name: "agent", Doc: "another agent", Type: NamedString("an agent's name")},
			Field{Name: "model", Doc: "another model", Type: Str()},
			Field{Name: "fresh", Doc: "begin a new conversation", Default: "false", Type: Flag()},
			Field{Name: "run", Doc: "shell command before the attempt", Type: NamedString("a command")},
		))},
	)}
}

func notifyField() Field {
	return Field{Name: "notify", Doc: "who is told when a session ends or waits", NotYet: true, Type: Obj(
		Field{Name: "webhook", Doc: "address that is sent the outcome", Type: NamedString("an address")},
		Field{Name: "bell", Doc: "ring the terminal's bell", Default: "false", Type: Flag()},
	)}
}
