// Package plan makes a checked plan of a config, the flags and the files that they
// name: every name is resolved and every file read before anything runs.
package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/notify"
)

// A Request is what a plan is made of.
type Request struct {
	Config   *config.Config
	Catalog  config.Catalog
	Root     string        // the repository's root, absolute
	Pipeline string        // the one that a flag names; "": the one of the task or the config
	Task     mulligan.Task // as ReadTask returned it
	Front    Front
	Merge    bool // a person wants their branch forwarded, whatever the config says
	Ask      bool // questions wait for a person for ever
	NoWait   bool // a rate limit ends the session
	// ConfigFile is the path of the project's config file.
	ConfigFile string
	// YesRollback is a person's yes, given beforehand, to every rollback that is recommended.
	YesRollback bool
	// PauseAfter is the step after which, and before each retry of which, the session pauses.
	PauseAfter string
	// Secrets returns a text without its secrets, and their names; nil if there are no secrets to
	// look for. A plan is journaled: none may be in it.
	Secrets func(string) (clean string, names []string)
	// Confines is what agents can be confined with; nil: that is not known, and nothing is said of it.
	Confines *Confines
	// Environ is what hooks will have: their programs are looked for in it before they run. If it is
	// nil they are not looked for.
	Environ []string
}

// Make returns the plan of one task. Its error is config.Mistakes, all mistakes of the user at once,
// those of the config included; or a *usererror.Error.
func Make(r Request) (*mulligan.Plan, error) {
	b := newBuilder(r)
	pipelines := b.resolvePipelines(true)
	name, err := b.choosePipeline()
	if r.Config.Get("loop").Given() {
		b.resolveLoop(nil)
	}
	if mistakes := b.mistakes.Err(); mistakes != nil {
		return nil, mistakes
	}
	if err != nil {
		return nil, err
	}
	p := b.makePlan(name, pipelines[name])
	b.noteMissingPrograms(p)
	if err := checkStepExists(p, r.PauseAfter); err != nil {
		return nil, err
	}
	p.PauseAfter = r.PauseAfter
	return p, nil
}

// checkStepExists returns an error if the plan has no step of the name that a flag has.
func checkStepExists(p *mulligan.Plan, name string) error {
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return newMissingNameError(fmt.Sprintf("there is no step %q in pipeline %s", name, p.Pipeline), name, names)
}

// All returns a plan of every pipeline, in the config's order, and then that of the loop if the
// config has one, for a look at what the config has; there need be no task. A config that has a guard
// and neither of them comes to one plan without steps.
func All(r Request) ([]*mulligan.Plan, error) {
	b := newBuilder(r)
	hasLoop := r.Config.Get("loop").Given()
	forGuard := !hasLoop && !r.Config.Get("pipelines").IsSet() && r.Config.Get("guard").Given()
	pipelines := b.resolvePipelines(!hasLoop && !forGuard)
	var loop mulligan.Loop
	var step mulligan.Step
	if hasLoop {
		loop, step = b.resolveLoop(nil)
	}
	if err := b.mistakes.Err(); err != nil {
		return nil, err
	}
	var plans []*mulligan.Plan
	for _, name := range r.Config.Get("pipelines").Keys() {
		p := b.makePlan(name, pipelines[name])
		b.noteMissingPrograms(p)
		plans = append(plans, p)
	}
	if hasLoop {
		step.Name = LoopPipeline
		plans = append(plans, b.makeLoopPlan(loop, step))
	}
	if forGuard {
		plans = append(plans, b.makeGuardPlan())
	}
	return plans, nil
}

// A builder resolves what a request names, and gathers mistakes.
type builder struct {
	Request
	mistakes config.Mistakes
	agents   map[string]mulligan.AgentSpec
	hooks    map[mulligan.Moment][]mulligan.HookSpec
	// agentHooks are those at moments of the agent, notes the hints about them for a person.
	agentHooks mulligan.AgentHooks
	notes      []string
	guard      *mulligan.Guard // nil if it is off
	retry      *mulligan.RetryPlan
	files      []string // of the repository, that the plan is made of
	prompts    []string // those of them that are prompts, absolute
}

func newBuilder(r Request) *builder {
	b := &builder{Request: r, mistakes: slices.Clone(r.Config.Mistakes)}
	if b.Secrets == nil {
		b.Secrets = func(text string) (string, []string) { return text, nil }
	}
	b.checkSandbox()
	b.agents = b.resolveAgents()
	if usual := b.Config.Get("agent"); usual.OK() {
		b.resolveAgent(usual) // here, so that it is reported once and not for every step
	}
	b.checkGit()
	b.checkReady()
	b.checkSecrets()
	b.checkNotify()
	b.hooks = b.resolveHooks()
	b.agentHooks = b.resolveAgentHooks()
	b.guard = b.resolveGuard()
	b.addGuardHooks()
	b.retry = b.resolveRetry()
	return b
}

// checkNotify finds mistakes in how a person is notified. A plan has nothing of that: it is journaled, and an address may
// be a secret.
func (b *builder) checkNotify() {
	_, mistakes := notify.Decode(b.Config.Get("notify"))
	b.mistakes = append(b.mistakes, mistakes...)
}

func (b *builder) addMistake(m config.Mistake) { b.mistakes = append(b.mistakes, m) }

// choosePipeline returns which pipeline is run: the flag's, the task's, the config's, the first.
func (b *builder) choosePipeline() (string, error) {
	names := b.Config.Get("pipelines").Keys()
	if b.Pipeline != "" {
		if !slices.Contains(names, b.Pipeline) {
			return "", newMissingNameError(fmt.Sprintf("there is no pipeline %q", b.Pipeline), b.Pipeline, names)
		}
		return b.Pipeline, nil
	}
	if given := b.Front.Pipeline; given.OK() {
		if !slices.Contains(names, given.String()) {
			b.addMistake(given.WrongName("pipeline", names))
		}
		return given.String(), nil
	}
	if usual := b.Config.Get("default_pipeline"); usual.OK() || len(names) == 0 {
		return usual.String(), nil
	}
	return names[0], nil
}

// newMissingNameError returns the error for a name of a flag that is none of the names.
func newMissingNameError(what, name string, names []string) error {
	hint := "there is " + strings.Join(names, ", ")
	if near := config.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return usageError(what, hint)
}

func (b *builder) makePlan(pipeline string, steps []mulligan.Step) *mulligan.Plan {
	c := b.Config
	p := &mulligan.Plan{
		Pipeline: pipeline,
		Task:     b.Task,
		Steps:    steps,
		Agents:   map[string]mulligan.AgentSpec{},
		Git: mulligan.Git{
			Commit:  c.Get("git", "commit").Bool(),
			Merge:   b.Merge || c.Get("git", "merge").String() == "ff",
			Sign:    c.Get("git", "sign").Bool(),
			Message: c.Get("git", "message").String(),
		},
		Ready:        b.resolveReady(),
		Verify:       c.Get("verify").String(),
		VerifyWithin: c.Get("verify_within").Duration(),
		Limits:       b.resolveLimits(),
		Sandbox:      c.Get("sandbox").String(),
		Notes:        slices.Concat(hookNotes(b.hooks), b.notes),
		Hooks:        b.hooks,
		People: mulligan.People{
			Ask:        b.Ask,
			AskTimeout: c.Get("ask_timeout").Duration(),
			OnQuestion: c.Get("on_question").String(),
		},
	}
	if b.Task.Path != "" {
		p.Task.Path = relativeTo(b.Root, b.Task.Path)
	}
	for _, s := range steps {
		p.Agents[s.Agent] = b.agents[s.Agent]
		for _, name := range checkJudges(s) {
			p.Agents[name] = b.agents[name]
		}
	}
	b.addRetry(p)
	b.addAgentHooks(p)
	b.addGuard(p)
	p.Files = b.listFiles(p)
	p.Protected = b.listProtected(p)
	b.noteUncountedLimits(p)
	b.concealPlan(p)
	return p
}

func (b *builder) resolveLimits() mulligan.Limits {
	c := b.Config.Get("limits")
	may := resolveBudget(c)
	return mulligan.Limits{
		Duration:         c.Get("duration").Duration(),
		Turns:            may.Turns,
		FailedIterations: c.Get("failed_iterations").Int(),
		SameFailure:      c.Get("same_failure").Int(),
		FinalTimeout:     c.Get("final_timeout").Duration(),
		Tokens:           may.Tokens,
		CostUSD:          may.CostUSD,
		Wait:             c.Get("wait").Duration(),
		NoWait:           b.NoWait,
		OutputMiB:        resolveOutputLimit(c.Get("output_mib")),
	}
}

// usualOutputMiB is the default of limits.output_mib. A plan that has it is written without it, as plans
// before the key are.
const usualOutputMiB = 1024

func resolveOutputLimit(v config.Value) int64 {
	if n := v.Int(); n != usualOutputMiB {
		return int64(n)
	}
	return 0
}

// relativeTo returns a path relative to root if it lies in it, else the absolute path.
func relativeTo(root, path string) string {
	if path == "" || root == "" {
		return path
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(root, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return full
}
