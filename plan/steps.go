package plan

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mulligan"
	"mulligan/config"
)

// commandCheck is the type of a check that is given as a bare command.
const commandCheck = "shell"

// resolvePipelines returns the steps of every pipeline, so that the mistakes of all are found. If needed
// is true, having none is a mistake.
func (b *builder) resolvePipelines(needed bool) map[string][]mulligan.Step {
	all := b.Config.Get("pipelines")
	switch {
	case len(all.Keys()) > 0 || b.hasUnreadFile():
	case all.OK():
		b.addMistake(all.Wrong("there are no pipelines in it: a pipeline is a named list of steps"))
	case needed && !all.IsSet():
		b.addMistake(all.Wrong("there are no pipelines: a pipeline is a named list of steps"))
	}
	steps := map[string][]mulligan.Step{}
	for _, name := range all.Keys() {
		steps[name] = b.resolveSteps(all.Get(name))
	}
	b.checkStrategyModels(steps)
	if usual := b.Config.Get("default_pipeline"); usual.OK() && !all.Get(usual.String()).IsSet() {
		b.addMistake(usual.WrongName("pipeline", all.Keys()))
	}
	return steps
}

// hasUnreadFile reports whether a file of the config could not be read as a whole: what it lacks is not
// known.
func (b *builder) hasUnreadFile() bool {
	return slices.ContainsFunc(b.Config.Mistakes, func(m config.Mistake) bool { return m.Path == "" })
}

func (b *builder) resolveSteps(pipeline config.Value) []mulligan.Step {
	var steps []mulligan.Step
	first := map[string]config.Value{}
	for _, v := range pipeline.List() {
		if !v.OK() {
			continue
		}
		name := v.Get("name")
		b.checkStepName(name, first)
		agent := b.resolveStepAgent(v)
		step := mulligan.Step{
			Name:       name.String(),
			Prompt:     b.resolvePrompt(v),
			Agent:      agent,
			Model:      b.resolveStepModel(v.Get("model"), agent),
			Checks:     mulligan.JudgesLast(b.resolveChecks(v.Get("check"))),
			Retry:      b.resolveStepRetry(v.Get("retry")),
			Timeout:    v.Get("timeout").Duration(),
			Feedback:   b.readText(v.Get("feedback_file")),
			Limits:     resolveBudget(v.Get("limits")),
			WriteRules: b.resolveWriteRules(v.Get("file_access")),
			Baseline:   resolveBaseline(v.Get("baseline")),
		}
		b.checkGolden(v.Get("check"), step)
		steps = append(steps, step)
	}
	return steps
}

// resolveBaseline returns what is made of the failures that were there before the first attempt.
func resolveBaseline(v config.Value) string {
	if v.String() == mulligan.BaselineStrict {
		return mulligan.BaselineStrict
	}
	if v.Bool() {
		return mulligan.BaselineNew
	}
	return mulligan.BaselineOff
}

// resolveBudget returns what limits let a session, or a step, spend.
func resolveBudget(limits config.Value) mulligan.Budget {
	return mulligan.Budget{
		Turns:   limits.Get("turns").Int(),
		Tokens:  int64(limits.Get("tokens").Int()),
		CostUSD: limits.Get("cost_usd").Float(),
	}
}

// checkStepName refuses a name that is no step's, or that another step of the pipeline has.
func (b *builder) checkStepName(name config.Value, first map[string]config.Value) {
	s := name.String()
	switch other, twice := first[s]; {
	case !name.OK():
	case !stepName().MatchString(s):
		b.addMistake(name.Wrong("%q is not a step's name: use letters, digits, _ and -", s))
	case twice:
		_, line, _ := other.Pos()
		b.addMistake(name.Wrong("two steps are called %q, the first in line %d", s, line))
	default:
		first[s] = name
	}
}

// The names that a person may choose.
var (
	stepName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]+$`) }) // it can stand in a branch, a path and a commit's subject
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*$`) })
	headerName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[\\w!#$%&'*+.^`|~-]*$") })
)

// resolveChecks returns the checks of a step, in order.
func (b *builder) resolveChecks(v config.Value) []mulligan.CheckSpec {
	if !v.OK() {
		return nil
	}
	list := []config.Value{v}
	if v.IsList() {
		list = v.List()
	}
	var specs []mulligan.CheckSpec
	for _, one := range list {
		if spec, ok := b.resolveCheck(one); ok {
			specs = append(specs, spec)
		}
	}
	return specs
}

func (b *builder) resolveCheck(v config.Value) (mulligan.CheckSpec, bool) {
	name := commandCheck
	if v.IsMap() {
		name = v.Get("type").String()
	}
	kind, found := b.Catalog.Check(name)
	if !found || !v.OK() {
		return mulligan.CheckSpec{}, false
	}
	options := b.decodeOptions(kind, v)
	b.refuseSecrets(v.Get("name"), v.Get("name").String())
	title := v.Get("name").String()
	if title == "" && kind.Title != nil {
		title = kind.Title(v)
	}
	spec := mulligan.CheckSpec{Name: title, Type: kind.Name, Timeout: v.Get("timeout").Duration(), Options: options}
	spec.Inverted = kind.Inverted != nil && kind.Inverted(v)
	spec.Keep = kind.Keep != nil && kind.Keep(v)
	spec.Golden = kind.Golden != nil && kind.Golden(v)
	if kind.Flaky != nil {
		spec.Flaky = kind.Flaky(v)
	}
	if kind.Judge != nil {
		judge := kind.Judge(v)
		if judge.OK() {
			b.resolveAgent(judge)
		}
		spec.Agent = judge.String()
	}
	return spec, options != nil
}

// checkGit refuses variables of the commit message that do not exist: config alone cannot check them.
func (b *builder) checkGit() {
	message := b.Config.Get("git", "message")
	for _, variable := range strings.Split(message.String(), "{{")[1:] {
		if !strings.HasPrefix(variable, "step}}") && !strings.HasPrefix(variable, "summary}}") {
			b.addMistake(message.Wrong("{{ opens what is neither {{step}} nor {{summary}}"))
			return
		}
	}
}

// checkReady refuses paths of workspace: that are not in the repository.
func (b *builder) checkReady() {
	workspace := b.Config.Get("workspace")
	for _, path := range append(workspace.Get("copy").List(), workspace.Get("setup_when").List()...) {
		if path.OK() && !isLocalPath(path.String()) {
			b.addMistake(path.Wrong("%q is not a path inside the repository", path.String()))
		}
	}
}

// resolveReady returns how the clones are made ready.
func (b *builder) resolveReady() mulligan.Ready {
	w := b.Config.Get("workspace")
	r := mulligan.Ready{Setup: w.Get("setup").String(), When: w.Get("setup_when").Strings(), MaxFile: int64(w.Get("max_file").Int()) << 20}
	if w.Get("copy").String() == "auto" {
		r.CopyAuto = true
	} else {
		r.Copy = w.Get("copy").Strings()
	}
	return r
}
