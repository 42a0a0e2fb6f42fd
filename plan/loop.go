package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/feedback"
)

// A LoopRequest is what the plan of an open-ended session is made of.
type LoopRequest struct {
	Config     *config.Config
	Catalog    config.Catalog
	Root       string        // the repository's root, absolute
	Spec       mulligan.Task // as ReadSpec returned it
	Front      Front
	Name       string // the session's name from a flag; "": the spec's file name
	Iterations *int   // the number from a flag; nil: the config's
	Ask        bool
	NoWait     bool
	Merge      bool
	Secrets    func(string) (clean string, names []string) // as Request has it
	Environ    []string                                    // as Request has it
	ConfigFile string                                      // path of the project's config file
	// YesRollback is a person's yes, given beforehand, to every rollback that is recommended.
	YesRollback bool
}

// loopSameFailure is how often the same failure may come in a row in a loop, where the config says nothing.
const loopSameFailure = 5

// LoopPipeline stands for the name of the pipeline in the plan of an open-ended session.
const LoopPipeline = "loop"

// MakeLoop returns the plan of an open-ended session. Its errors are those of Make.
func MakeLoop(r LoopRequest) (*mulligan.Plan, error) {
	b := newBuilder(Request{
		Config: r.Config, Catalog: r.Catalog, Root: r.Root, Task: r.Spec, Front: r.Front,
		Ask: r.Ask, NoWait: r.NoWait, Merge: r.Merge, Secrets: r.Secrets, Environ: r.Environ, ConfigFile: r.ConfigFile,
		YesRollback: r.YesRollback,
	})
	b.resolvePipelines(false)
	loop, step := b.resolveLoop(r.Iterations)
	if b.Front.Pipeline.OK() {
		b.addMistake(b.Front.Pipeline.Wrong("a loop has no pipeline: take the line out, or give the file to mulligan run"))
	}
	if err := b.mistakes.Err(); err != nil {
		return nil, err
	}
	name, err := b.chooseLoopName(r)
	if err != nil {
		return nil, err
	}
	if err := r.checkUsage(loop); err != nil {
		return nil, err
	}
	step.Name = name
	return b.makeLoopPlan(loop, step), nil
}

// checkUsage returns what is wrong with the flags and the spec.
func (r LoopRequest) checkUsage(loop mulligan.Loop) error {
	switch {
	case strings.TrimSpace(r.Spec.Text) == "":
		return usageError(fmt.Sprintf("the spec %s is empty", r.Spec.Path), "write in it what the session is to come to")
	case loop.Iterations < 0:
		return usageError(fmt.Sprintf("%d iterations are less than none", loop.Iterations), "give a number from 1 on, or 0 for no such limit")
	case r.Iterations != nil && loop.Iterations == 0 && isUnbounded(r.Config):
		return usageError("a loop of 0 iterations has no limit at all", "set limits.duration or limits.turns in mulligan.yaml, or give a number of iterations"+explainUncounted(r.Config))
	}
	return nil
}

// resolveLoop returns the loop of the config. iterations is the number from a flag, or nil.
func (b *builder) resolveLoop(iterations *int) (mulligan.Loop, mulligan.Step) {
	v := b.Config.Get("loop")
	loop := mulligan.Loop{Iterations: v.Get("iterations").Int(), Prompt: b.readTemplate(v.Get("prompt_file"))}
	if iterations != nil {
		loop.Iterations = *iterations
	} else if given := v.Get("iterations"); given.OK() && given.Int() == 0 && isUnbounded(b.Config) {
		b.addMistake(given.Wrong("0 is no limit, and nothing else limits the loop").
			WithHint("set limits.duration or limits.turns, or a number of iterations" + explainUncounted(b.Config)))
	}
	step := mulligan.Step{Agent: b.resolveStepAgent(config.Value{}), Checks: b.resolveChecks(v.Get("check")), Baseline: resolveBaseline(v.Get("baseline"))}
	for _, c := range b.resolveChecks(v.Get("final_check")) {
		c.Final = true
		step.Checks = append(step.Checks, c)
	}
	step.Checks = mulligan.JudgesLast(step.Checks)
	step.WriteRules = b.resolveWriteRules(v.Get("file_access"))
	b.checkGolden(v.Get("check"), step)
	b.checkGolden(v.Get("final_check"), step)
	return loop, step
}

// isUnbounded reports whether neither time nor turns end a session.
func isUnbounded(c *config.Config) bool {
	return c.Get("limits", "duration").Duration() == 0 && c.Get("limits", "turns").Int() == 0
}

// explainUncounted returns why other limits are not enough, or "" if there are none.
func explainUncounted(c *config.Config) string {
	if c.Get("limits", "tokens").Int() == 0 && c.Get("limits", "cost_usd").Float() == 0 {
		return ""
	}
	return "; limits.tokens and limits.cost_usd count what agents tell, and that may be nothing"
}

// readTemplate returns the text of the user's own prompt, or "" if there is none.
func (b *builder) readTemplate(v config.Value) string {
	text := b.readText(v)
	if err := feedback.CheckTemplate(text); text != "" && err != nil {
		b.addMistake(v.Wrong("the file %s is not a template of a prompt: %v", v.String(), err))
	}
	return text
}

func (b *builder) makeLoopPlan(loop mulligan.Loop, step mulligan.Step) *mulligan.Plan {
	p := b.makePlan(LoopPipeline, []mulligan.Step{step})
	p.Loop = &loop
	if !b.Config.Get("limits", "same_failure").Given() {
		p.Limits.SameFailure = loopSameFailure
	}
	if len(step.Checks) == 0 {
		p.Notes = append(p.Notes, "the loop has no check: its completion will be accepted, not verified")
	}
	b.concealText(p, "the loop's prompt_file", &loop.Prompt)
	b.noteMissingPrograms(p)
	return p
}

// chooseLoopName returns the name of the session and its commits.
func (b *builder) chooseLoopName(r LoopRequest) (string, error) {
	if r.Name == "" {
		return makeSlug(b.removeSecrets(r.Spec.Path)), nil
	}
	if !stepName().MatchString(r.Name) {
		return "", usageError(fmt.Sprintf("%q is not a session's name", r.Name), "use letters, digits, _ and -")
	}
	if b.removeSecrets(r.Name) != r.Name {
		return "", usageError("the session's name holds a secret, and a plan is stored", "give it another with --name")
	}
	return r.Name, nil
}

// longestSlug keeps the subject of a commit readable.
const longestSlug = 40

// makeSlug returns a name made of a file's: its letters and digits, with one - for what is between.
func makeSlug(path string) string {
	base := filepath.Base(filepath.FromSlash(path))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	words := strings.FieldsFunc(base, func(r rune) bool { return !stepName().MatchString(string(r)) })
	name := strings.Join(words, "-")
	if len(name) > longestSlug {
		name = name[:longestSlug]
	}
	if name = strings.Trim(name, "-"); name == "" {
		return LoopPipeline
	}
	return name
}
