package config

import "slices"

// A Schema is the table of all keys, with what is built in filled in.
type Schema struct {
	root *Type
}

// NewSchema returns the table, filled with what is built in.
func NewSchema(c Catalog) *Schema { return &Schema{root: rootType(c)} }

// rootType returns the type of mulligan.yaml. Its order is that of `mulligan config` and of the docs.
func rootType(c Catalog) *Type {
	check := checkType(c)
	return Obj(
		Field{Name: "version", Doc: "the version of this format: 1", Required: true, FileOnly: true, Type: Between(1, 1)},
		Field{Name: "agent", Doc: "the agent of steps that name none: a name from agents, or one built in", Type: NamedString("an agent's name")},
		Field{Name: "agents", Doc: "agents by name", Type: MapOf(agentType(c))},
		Field{Name: "sandbox", Doc: "what keeps agents from writing outside the workspace", Default: "auto", Trust: needsTrustIf("none"), Type: Words(
			Choice{Name: "auto", Doc: "Landlock, where the kernel has it"},
			Choice{Name: "landlock"}, Choice{Name: "bwrap", Doc: "bubblewrap"}, Choice{Name: "none"},
		)},
		Field{Name: "pipelines", Doc: "lists of steps by name", Type: MapOf(NonEmptyList(stepType(check)))},
		Field{Name: "default_pipeline", Doc: "the pipeline of tasks that name none; without it the first", Type: NamedString("a pipeline's name")},
		loopField(check),
		hooksField(),
		agentHooksField(),
		Field{Name: "agent_hooks_from", Doc: "other programs whose hooks are read too", FileOnly: true, Type: hookProgramsType()},
		Field{Name: "max_hook_retries", Doc: "how often in a row a Stop hook may send the agent back", Default: "5", Type: From(0)},
		Field{Name: "hook_retry_backoff", Doc: "wait between hook retries, growing", Default: "0s", Type: DurationType()},
		Field{Name: "hook_feedback_file", Doc: "file whose text replaces the feedback of Stop hooks, relative to this file", Trust: TrustOutside, Type: NamedString("a file")},
		Field{Name: "on_limit", Doc: "what follows when a Stop hook still blocks after max_hook_retries", Default: "ask", Type: Word("ask", "fail", "accept")},
		Field{Name: "ask_timeout", Doc: "how long a question waits for an answer where somebody watches", Default: "2m", Type: DurationType()},
		Field{Name: "on_question", Doc: "what follows an agent's question that nobody answered", Default: "proceed", Type: Word("proceed", "stop")},
		guardField(),
		adaptiveField(),
		Field{Name: "limits", Doc: "what ends a session; 0 is no such limit", Type: limitsType()},
		Field{Name: "git", Doc: "what mulligan does with the repository", Type: gitType()},
		Field{Name: "workspace", Doc: "how the clones are made ready in which agents work and checks run", Type: workspaceType()},
		Field{Name: "verify", Doc: "whether checks that passed are run again in a clone made anew, before a session is verified", Default: "auto", Type: Words(
			Choice{Name: "auto", Doc: "where setup and checks took at most verify_within"}, Choice{Name: "fresh", Doc: "always"}, Choice{Name: "warm", Doc: "never"},
		)},
		Field{Name: "verify_within", Doc: "how long setup and checks may take for verify: auto to run them again", Default: "5m", Type: DurationType()},
		notifyField(),
		Field{Name: "engine", Doc: "where the journal is kept", Default: "embedded", Trust: needsTrustUnless("embedded"), Type: engineType()},
	)
}

func agentType(c Catalog) *Type {
	const inherit = "inherit, or a list of names"
	return &Type{Kind: Union, Noun: "an agent", Variants: addTakenKeys(c.Agents), Fields: []Field{
		{Name: "timeout", Doc: "a turn is stopped after this; 0s: never", Default: "0s", Type: DurationType()},
		{Name: "idle_timeout", Doc: "a turn is stopped when the agent is silent for this; 0s: never", Default: "10m", Type: DurationType()},
		{Name: "env", Doc: "environment variables that the agent gets besides the built-in list, or inherit", Trust: needsTrustIf("inherit"), Type: Either(
			inherit, &Type{Kind: Enum, Choices: []Choice{{Name: "inherit"}}, Noun: inherit}, ListOf(NamedString("a variable's name")),
		)},
		{Name: "permissions", Doc: "what the agent may do unasked; full where it is confined, else edits", Type: Word("full", "edits", "ask")},
		{Name: "writable", Doc: "paths that the agent may write besides the built-in list, where it is confined", Trust: trustOutsideWorkspace, Type: ListOf(NamedString("a path"))},
	}}
}

// addTakenKeys returns the types of agents, each with the fields that it names in Takes.
func addTakenKeys(agents []Variant) []Variant {
	keys := Obj(
		Field{Name: "model", Doc: "the model that the agent uses; without one the program's own choice", Type: Str()},
		Field{Name: "args", Doc: "more arguments for the agent's program", Type: WordList()},
		Field{Name: "max_turns", Doc: "limit of the agent's own turns in one of mulligan's", Type: From(1)},
	)
	list := slices.Clone(agents)
	for i, a := range list {
		list[i].Fields = slices.Clone(a.Fields)
		for _, name := range a.Takes {
			list[i].Fields = append(list[i].Fields, *keys.findField(name))
		}
	}
	return list
}

func checkType(c Catalog) *Type {
	one := &Type{Kind: Union, Noun: "a check", Variants: c.Checks, Fields: []Field{
		{Name: "name", Doc: "what people call the check", Type: Str()},
	}}
	command := NamedString("a command")
	return Either("a command, a check or a list of them", command, one, NonEmptyList(Either("a command or a check", command, one)))
}

func stepType(check *Type) *Type {
	step := Obj(
		Field{Name: "name", Doc: "the step's name: letters, digits, _ and -", Required: true, Type: Str()},
		Field{Name: "prompt", Doc: "what the agent is told; without any prompt the task's text", Type: Str()},
		Field{Name: "prompt_file", Doc: "file with the prompt, relative to this file", Trust: TrustOutside, Type: NamedString("a file")},
		Field{Name: "slash", Doc: "command of .claude/commands whose text is the prompt", Type: NamedString("a command's name")},
		Field{Name: "agent", Doc: "the step's agent, where it is not the usual one", Type: NamedString("an agent's name")},
		Field{Name: "model", Doc: "the step's model, where it is not the agent's", Type: Str()},
		Field{Name: "check", Doc: "what must pass: a command, a check or a list of them", Type: check},
		fileAccessField("step"),
		baselineField("run the checks before the first attempt, so that only new failures count; strict: all count, and the agent is told which are new"),
		Field{Name: "feedback_file", Doc: "file whose text replaces the feedback, relative to this file", Trust: TrustOutside, Type: NamedString("a file")},
		Field{Name: "timeout", Doc: "of the whole step, all attempts together; 0s: none", Default: "0s", Type: DurationType()},
		Field{Name: "retry", Doc: "how often work that failed its checks is tried again; without it 0, or adaptive_retry.max_retries where the config has adaptive_retry", Default: "0", Type: From(0)},
		Field{Name: "limits", Doc: "what ends the session when the step has spent it, all attempts together; 0 is no such limit", Type: stepLimitsType()},
	)
	step.Noun = "a step"
	step.Elsewhere = map[string]string{"duration": "a step's time is its timeout"}
	for _, f := range stepLimitsType().Fields {
		step.Elsewhere[f.Name] = "it is one of the step's limits: limits: {" + f.Name + ": …}"
	}
	return step
}

// fileAccessField returns what the agent may write in a step, or in a loop.
func fileAccessField(where string) Field {
	return Field{Name: "file_access", Doc: "what the agent may write in the " + where + "; anything else is put back and fails the attempt", Type: Obj(
		Field{Name: "allow_write", Doc: "globs that it may write, and nothing else; without it everything that is not protected", Type: ListOf(NamedString("a glob"))},
		Field{Name: "protect", Doc: "globs that it may not write, also where allow_write has them", Type: ListOf(NamedString("a glob"))},
	)}
}

func baselineField(doc string) Field {
	return Field{Name: "baseline", Doc: doc, Default: "false", Type: Either("true, false or strict", Flag(), Word("strict"))}
}

func limitsType() *Type {
	return Obj(
		Field{Name: "duration", Doc: "time spent in turns and checks", Default: "0s", Type: DurationType()},
		Field{Name: "turns", Doc: "prompts given to agents, those of judges too", Default: "0", Type: From(0)},
		Field{Name: "tokens", Doc: "tokens that agents used, in and out", Default: "0", Type: From(0)},
		Field{Name: "cost_usd", Doc: "billed cost in dollars; an estimate stops nothing", Default: "0", Type: Amount()},
		Field{Name: "same_failure", Doc: "the session is stuck when the same failure has come so often in a row, and every strategy was tried; 0 is off; without it 5 in a loop, off in a pipeline", Type: From(0)},
		Field{Name: "failed_iterations", Doc: "iterations in a row that the agent itself failed", Default: "3", Type: From(1)},
		Field{Name: "wait", Doc: "waiting for rate limits, all together; it counts for no other limit", Default: "12h", Type: DurationType()},
		Field{Name: "output_mib", Doc: "MiB on the disk that the output of one turn, check or hook may have; its start and its end are kept; it is always bounded", Default: "1024", Type: Between(1, 1<<20)},
		Field{Name: "final_timeout", Doc: "of the final delivery, in which the agent gets what is still pending: all its turns together; it is always bounded: 0 is 5m", Default: "5m", Type: DurationType()},
	)
}

// stepLimitsType returns those of a session's limits that a step can have of its own. They have no
// defaults, so that a step that has none shows none.
func stepLimitsType() *Type {
	limits := Obj()
	limits.Elsewhere = map[string]string{"timeout": "it is a key of the step itself, beside its limits"}
	for _, f := range limitsType().Fields {
		switch f.Name {
		case "turns", "tokens", "cost_usd":
			f.Default = ""
			limits.Fields = append(limits.Fields, f)
		case "duration":
			limits.Elsewhere[f.Name] = "a step's time is its timeout: timeout: 1h, beside its limits"
		default:
			limits.Elsewhere[f.Name] = "it is a limit of the session: put it under limits at the top level"
		}
	}
	return limits
}

func gitType() *Type {
	return Obj(
		Field{Name: "merge", Doc: "what becomes of your own branch when a session is verified", Default: "none", Type: Words(
			Choice{Name: "none", Doc: "it stays as it is"}, Choice{Name: "ff", Doc: "it is fast-forwarded, where your checkout is clean and the branch is where it was"},
		)},
		Field{Name: "commit", Doc: "commit each step that passed, on a branch mulligan/TASK-SESSION", Default: "true", Type: Flag()},
		Field{Name: "sign", Doc: "sign the commits", Default: "false", Type: Flag()},
		Field{Name: "message", Doc: "first line of a commit; {{step}} and {{summary}} stand for what they say", Default: "mulligan({{step}}): {{summary}}", Type: Str()},
	)
}

func workspaceType() *Type {
	const copies = "auto, or a list of paths"
	return Obj(
		Field{Name: "setup", Doc: "shell command that is run in them first; auto: by the lock files; none: nothing", Default: "auto", Type: NamedString("auto, none or a command")},
		Field{Name: "copy", Doc: "files that git does not have, relative to the repository's root; auto: .env files and the agents' own local ones", Default: "auto", Trust: trustOutsideRoot, Type: Either(
			copies, &Type{Kind: Enum, Choices: []Choice{{Name: "auto"}}, Noun: copies}, ListOf(NamedString("a path")),
		)},
		Field{Name: "setup_when", Doc: "files that the setup reads, relative to the repository's root: it is run again when one has changed", Type: ListOf(NamedString("a path"))},
		Field{Name: "max_file", Doc: "MiB of the largest file that is committed", Default: "512", Type: Between(1, 1<<20)},
	)
}

func hookProgramsType() *Type {
	name := Word("claude", "codemie")
	one := Obj(
		Field{Name: "from", Doc: "the program: claude or codemie", Required: true, Type: name},
		Field{Name: "on_failure", Doc: "what each of its hooks that could not tell counts as", Default: "broken", Type: Word("broken", "allow")},
	)
	one.Noun = "a program whose hooks are read"
	return Either("claude, codemie, {from, on_failure} or a list of them", name, one, NonEmptyList(Either("claude, codemie or {from, on_failure}", name, one)))
}
