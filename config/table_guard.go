package config

// guardField returns the field of what a claim of completion has to pass.
func guardField() Field {
	return Field{Name: "guard", Doc: "what an agent's claim that a task is done has to pass", Type: Obj(
		Field{Name: "enabled", Doc: "whether claims are guarded; `mulligan guard on` and `off` go before it", Default: "false", Type: Flag()},
		Field{Name: "max_retry_attempts", Doc: "claims allowed per task; one more waits for a person", Default: "5", Type: Between(1, 10)},
		Field{Name: "first_attempt", Doc: "what happens to the first claim: it is denied with a request for evidence, or validated at once", Default: "deny", Type: Word("deny", "validate")},
		Field{Name: "validate", Doc: "a second agent that looks at claims; without it the session's checks decide", Type: Obj(
			Field{Name: "agent", Doc: "its name", Required: true, Type: NamedString("an agent's name")},
			Field{Name: "timeout", Doc: "it is stopped after this, and the claim denied; at most 9m", Default: "60s", Type: DurationType()},
		)},
		Field{Name: "ignore", Doc: "globs of tasks that are not guarded; * matches a slash too", Type: ListOf(NamedString("a glob"))},
		Field{Name: "on_failure", Doc: "what a fault of the guard's own counts as", Default: "deny", Type: Word("deny", "allow")},
	)}
}
