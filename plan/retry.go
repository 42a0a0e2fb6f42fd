package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/shellword"
)

// resolveRetry returns how steps are retried.
func (b *builder) resolveRetry() *mulligan.RetryPlan {
	c := b.Config.Get("adaptive_retry")
	p := &mulligan.RetryPlan{
		Window:      c.Get("window").Int(),
		Reached:     c.Get("over").String() == "reached",
		Threshold:   c.Get("high_failure_threshold").Float(),
		Wait:        !c.Get("auto").Bool(),
		Never:       c.Get("never_retry").Strings(),
		Disabled:    c.Get("disabled").Strings(),
		YesRollback: b.YesRollback,
	}
	if c.Given() {
		p.MaxRetries = c.Get("max_retries").Int()
	}
	p.Define = b.resolveStrategies(c.Get("define"))
	b.checkStepNames(c)
	names := b.strategyNames()
	for _, v := range c.Get("disabled").List() {
		if v.OK() && v.String() == mulligan.StrategyRetry {
			b.addMistake(v.Wrong("the plain retry cannot be disabled").WithHint("never_retry: [STEP] or retry: 0 has a step not tried again"))
		} else {
			b.checkStrategyName(v, names)
		}
	}
	lists := c.Get("strategies")
	for _, step := range lists.Keys() {
		for _, v := range lists.Get(step).List() {
			b.checkStrategyName(v, names)
		}
		if p.Strategies == nil {
			p.Strategies = map[string][]string{}
		}
		p.Strategies[step] = lists.Get(step).Strings()
	}
	return p
}

// resolveStepRetry returns how often a step is tried again: its own number, or that of adaptive_retry if
// the config has that mapping.
func (b *builder) resolveStepRetry(own config.Value) int {
	if !own.Given() && b.Config.Get("adaptive_retry").Given() {
		return b.Config.Get("adaptive_retry", "max_retries").Int()
	}
	return own.Int()
}

// maxRetries returns how often a step of the plan is tried again at most.
func maxRetries(s mulligan.Step, p *mulligan.Plan) int {
	if p.Retry != nil && slices.Contains(p.Retry.Never, s.Name) {
		return 0
	}
	return s.Retry
}

// BuiltinStrategies returns the strategies that need no definition.
func BuiltinStrategies() []string {
	return []string{
		mulligan.StrategyRetry, mulligan.StrategySimplifyPrompt, mulligan.StrategyReduceStories, mulligan.StrategySimplifyTests,
		mulligan.StrategyIncremental, mulligan.StrategyAddContext, mulligan.StrategyRollback, mulligan.StrategyFreshStart,
	}
}

// strategyNames returns the strategies that the config may name.
func (b *builder) strategyNames() []string {
	names := BuiltinStrategies()
	for _, name := range b.Config.Get("adaptive_retry", "define").Keys() {
		names = appendOnce(names, name)
	}
	return names
}

// checkStrategyName refuses a name that is no strategy's.
func (b *builder) checkStrategyName(v config.Value, names []string) {
	switch {
	case !v.OK() || slices.Contains(names, v.String()):
	case v.String() == mulligan.StrategyEscalate:
		b.addMistake(v.Wrong("escalate is not defined: it is another agent or model").
			WithHint("define it: adaptive_retry: {define: {escalate: {agent: NAME}}}"))
	default:
		b.addMistake(v.WrongName("strategy", names))
	}
}

// checkStepNames refuses the names of steps that no pipeline has.
func (b *builder) checkStepNames(c config.Value) {
	if b.hasUnreadFile() {
		return
	}
	steps := listStepNames(b.Config)
	check := func(v config.Value, name string) {
		if name == "" || slices.Contains(steps, name) {
			return
		}
		m := v.Wrong("no pipeline has a step %q", name)
		if near := config.Nearest(name, steps); near != "" {
			m.Hint = fmt.Sprintf("did you mean %q?", near)
		} else if len(steps) > 0 {
			m.Hint = "there is " + strings.Join(steps, ", ")
		}
		b.addMistake(m)
	}
	for _, v := range c.Get("never_retry").List() {
		check(v, v.String())
	}
	for _, name := range c.Get("strategies").Keys() {
		check(c.Get("strategies").Get(name), name)
	}
}

// listStepNames returns the names of the steps of all pipelines, each once.
func listStepNames(c *config.Config) []string {
	var names []string
	pipelines := c.Get("pipelines")
	for _, name := range pipelines.Keys() {
		for _, step := range pipelines.Get(name).List() {
			names = appendOnce(names, step.Get("name").String())
		}
	}
	return names
}

// resolveStrategies returns the strategies of the user's own.
func (b *builder) resolveStrategies(all config.Value) map[string]mulligan.StrategySpec {
	var specs map[string]mulligan.StrategySpec
	for _, name := range all.Keys() {
		v := all.Get(name)
		if !v.OK() {
			continue
		}
		b.checkStrategy(name, v)
		if specs == nil {
			specs = map[string]mulligan.StrategySpec{}
		}
		specs[name] = mulligan.StrategySpec{
			Prepend: v.Get("prepend").String(),
			Append:  v.Get("append").String(),
			Agent:   v.Get("agent").String(),
			Model:   v.Get("model").String(),
			Fresh:   v.Get("fresh").Bool(),
			Run:     v.Get("run").String(),
		}
	}
	return specs
}

func (b *builder) checkStrategy(name string, v config.Value) {
	agent, model := v.Get("agent"), v.Get("model")
	isEmpty := v.Get("prepend").String() == "" && v.Get("append").String() == "" && !agent.IsSet() && !model.IsSet() &&
		!v.Get("fresh").Bool() && !v.Get("run").IsSet()
	switch {
	case slices.Contains(BuiltinStrategies(), name) || name == mulligan.AbortRecommended:
		b.addMistake(v.Wrong("%q is built in, and cannot be defined", name).WithHint("give yours another name; only escalate is built in and defined here"))
	case !stepName().MatchString(name):
		b.addMistake(v.Wrong("%q is not a strategy's name: use letters, digits, _ and -", name))
	case name == mulligan.StrategyEscalate && !agent.IsSet() && !model.IsSet():
		b.addMistake(v.Wrong("escalate needs another agent or model: agent: NAME, or model: NAME"))
	case isEmpty && b.isWhole(v):
		b.addMistake(v.Wrong("the strategy changes nothing").WithHint("give it one of prepend, append, agent, model, fresh: true, run"))
	}
	if agent.OK() {
		b.resolveAgent(agent)
		b.resolveStepModel(model, agent.String())
	}
	b.refuseSecrets(model, model.String())
	if run := v.Get("run"); run.OK() {
		b.checkStrategyCommand(run)
	}
}

// checkStrategyCommand refuses a command that the shell cannot read, or that does nothing.
func (b *builder) checkStrategyCommand(command config.Value) {
	if wrong, ok := errors.AsType[*shellword.SyntaxError](shellword.Check(command.String())); ok {
		b.addMistake(command.WrongAt(wrong.Line, wrong.Col, "the shell cannot read the command: %s", wrong.Message))
	}
	if shellword.IsBlank(command.String()) {
		b.addMistake(command.Wrong("the command has only comments: say what to run, or take the key out"))
	}
	b.refuseSecrets(command, command.String())
}

// isWhole reports whether no mistake was found in the keys of an object.
func (b *builder) isWhole(v config.Value) bool {
	return !slices.ContainsFunc(b.mistakes, func(m config.Mistake) bool { return strings.HasPrefix(m.Path, v.Path()+".") })
}

// checkStrategyModels refuses strategies with another model, and no agent of their own, in the lists of
// steps whose agent has no choice of models.
func (b *builder) checkStrategyModels(pipelines map[string][]mulligan.Step) {
	lists, define := b.Config.Get("adaptive_retry", "strategies"), b.Config.Get("adaptive_retry", "define")
	for _, pipeline := range b.Config.Get("pipelines").Keys() {
		for _, step := range pipelines[pipeline] {
			spec, known := b.agents[step.Agent]
			kind, _ := b.Catalog.Agent(spec.Type)
			if !known || slices.Contains(kind.Takes, "model") {
				continue
			}
			for _, v := range lists.Get(step.Name).List() {
				if d := define.Get(v.String()); v.OK() && d.Get("model").IsSet() && !d.Get("agent").IsSet() {
					b.addMistake(v.Wrong("strategy %s is another model, and agent %s (type %s) has no choice of models", v.String(), step.Agent, spec.Type).
						WithHint("give the strategy an agent too"))
				}
			}
		}
	}
}

// addRetry adds to a plan how its steps are retried, with the agents of the strategies.
func (b *builder) addRetry(p *mulligan.Plan) {
	retry := *b.retry
	retry.Define = maps.Clone(retry.Define)
	p.Retry = &retry
	for _, name := range strategyAgents(p) {
		p.Agents[name] = b.agents[name]
	}
	for _, s := range p.Steps {
		if maxRetries(s, p) < s.Retry && b.hasOwnRetry(p.Pipeline, s.Name) {
			p.Notes = append(p.Notes, fmt.Sprintf("step %s is never tried again: never_retry goes before its retry: %d", s.Name, s.Retry))
		}
	}
}

// hasOwnRetry reports whether the config gives a step its own number of retries.
func (b *builder) hasOwnRetry(pipeline, name string) bool {
	return slices.ContainsFunc(b.Config.Get("pipelines").Get(pipeline).List(), func(step config.Value) bool {
		return step.Get("name").String() == name && step.Get("retry").Given()
	})
}

// strategyAgents returns the agents of a plan's strategies, each once, in the order of the strategies' names.
func strategyAgents(p *mulligan.Plan) []string {
	if p.Retry == nil {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p.Retry.Define)) {
		if agent := p.Retry.Define[name].Agent; agent != "" {
			names = appendOnce(names, agent)
		}
	}
	return names
}

// concealStrategies takes secrets out of the texts of a plan's strategies.
func (b *builder) concealStrategies(p *mulligan.Plan) {
	for _, name := range slices.Sorted(maps.Keys(p.Retry.Define)) {
		spec := p.Retry.Define[name]
		b.concealText(p, fmt.Sprintf("the text of strategy %q", name), &spec.Prepend)
		b.concealText(p, fmt.Sprintf("the text of strategy %q", name), &spec.Append)
		p.Retry.Define[name] = spec
	}
}
