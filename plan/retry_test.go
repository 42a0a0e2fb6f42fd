package plan

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/config"
)

const retryFrame = `version: 1
agent: a
agents: {a: {type: program, exec: [x]}, m: {type: modelled, exec: [x]}}
pipelines:
  p: [{name: plan}, {name: tests, retry: 0}, {name: code, retry: 7}, {name: big, agent: m}]
`

// R2: a step without a number of its own has none, unless the config has adaptive_retry.
func TestStepRetry(t *testing.T) {
	for text, want := range map[string][]int{
		"":                                   {0, 0, 7, 0},
		"limits: {turns: 9}\n":               {0, 0, 7, 0},
		"adaptive_retry: {}\n":               {3, 0, 7, 3},
		"adaptive_retry: {window: 5}\n":      {3, 0, 7, 3},
		"adaptive_retry: {max_retries: 1}\n": {1, 0, 7, 1},
		"adaptive_retry: {never_retry: [code, big]}\n": {3, 0, 7, 3},
	} {
		p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": retryFrame + text})))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []int
		for _, s := range p.Steps {
			got = append(got, s.Retry)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the retries are %v, want %v", text, got, want)
		}
	}
}

// R2: a variable is a layer as any other.
func TestStepRetryFromAVariable(t *testing.T) {
	dir := workplace(t, map[string]string{"mulligan.yaml": retryFrame})
	p, err := Make(request(dir, config.Setting{Name: "env MULLIGAN_ADAPTIVE_RETRY_MAX_RETRIES", Path: []string{"adaptive_retry", "max_retries"}, Text: "2"}))
	if err != nil || p.Steps[0].Retry != 2 || p.Retry.MaxRetries != 2 {
		t.Errorf("got %+v, %v", p, err)
	}
}

// C5: what the mapping leaves out has its default.
func TestRetryPlan(t *testing.T) {
	whole := `adaptive_retry:
  max_retries: 2
  over: reached
  high_failure_threshold: 0
  auto: false
  never_retry: [plan]
  disabled: [rollback, mine]
  strategies: {tests: [incremental, mine, escalate]}
  define:
    mine: {prepend: before, append: after, fresh: true, run: "true", model: large, agent: m}
    escalate: {agent: m}
`
	for text, want := range map[string]mulligan.RetryPlan{
		"":                              {Window: 10, Threshold: 0.2},
		"adaptive_retry: {window: 3}\n": {MaxRetries: 3, Window: 3, Threshold: 0.2},
		whole: {
			MaxRetries: 2, Window: 10, Reached: true, Wait: true, Never: []string{"plan"}, Disabled: []string{"rollback", "mine"},
			Strategies: map[string][]string{"tests": {"incremental", "mine", "escalate"}},
			Define: map[string]mulligan.StrategySpec{
				"mine":     {Prepend: "before", Append: "after", Fresh: true, Run: "true", Model: "large", Agent: "m"},
				"escalate": {Agent: "m"},
			},
		},
	} {
		p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": strings.ReplaceAll(retryFrame, ", {name: big, agent: m}", "") + text})))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if !reflect.DeepEqual(*p.Retry, want) {
			t.Errorf("%s: got %+v, want %+v", text, *p.Retry, want)
		}
		if _, named := p.Agents["m"]; named != (text == whole) {
			t.Errorf("%s: the agents are %v", text, p.Agents)
		}
	}
}

func TestYesRollback(t *testing.T) {
	r := request(workplace(t, map[string]string{"mulligan.yaml": retryFrame}))
	r.YesRollback = true
	if p, err := Make(r); err != nil || !p.Retry.YesRollback {
		t.Errorf("got %+v, %v", p, err)
	}
}

// C1, R2: names that stand for nothing, and definitions that change nothing, are mistakes.
func TestRetryMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"never_retry: [test]":                                        "adaptive_retry.never_retry[0]: no pipeline has a step \"test\"\n    adaptive_retry: {never_retry: [test]}\n                                   ^\n    did you mean \"tests\"?",
		"never_retry: [deploy]":                                      "there is plan, tests, code, big",
		"strategies: {test: [retry]}":                                "adaptive_retry.strategies.test: no pipeline has a step \"test\"",
		"strategies: {tests: []}":                                    "the list is empty",
		"strategies: {tests: [fresh-strat]}":                         "did you mean \"fresh-start\"?",
		"strategies: {tests: [mien]}, define: {mine: {append: x}}":   "did you mean \"mine\"?",
		"strategies: {tests: [escalate]}":                            "escalate is not defined",
		"disabled: [escalate]":                                       "escalate is not defined",
		"disabled: [retry]":                                          "the plain retry cannot be disabled",
		"disabled: [incrementel]":                                    "did you mean \"incremental\"?",
		"define: {rollback: {append: x}}":                            "\"rollback\" is built in",
		"define: {abort-recommended: {append: x}}":                   "\"abort-recommended\" is built in",
		"define: {escalate: {append: x}}":                            "escalate needs another agent or model",
		"define: {mine: {}}":                                         "the strategy changes nothing",
		"define: {mine: {fresh: false}}":                             "the strategy changes nothing",
		"define: {my own: {append: x}}":                              "is not a strategy's name",
		"define: {mine: {agent: nobody}}":                            "there is no agent \"nobody\"",
		"define: {mine: {agent: a, model: large}}":                   "has no choice of models",
		"define: {mine: {model: large}}, strategies: {plan: [mine]}": "strategy mine is another model, and agent a (type program) has no choice of models",
		"define: {mine: {model: large}}, strategies: {big: [mine]}":  "",
		"define: {mine: {run: \"if true\"}}":                         "the shell cannot read the command",
		"define: {mine: {run: \"# later\"}}":                         "only comments",
		"define: {mine: {text: x}}":                                  "adaptive_retry.define.mine.text: unknown key",
		"high_failure_threshold: 1.1":                                "out of range",
		"high_failure_threshold: -0.1":                               "out of range",
		"max_retries: -1":                                            "out of range",
		"window: 0":                                                  "out of range",
		"over: some":                                                 "over",
		"high_failure_threshold: 1, define: {escalate: {agent: m}}, strategies: {tests: [escalate, add-context]}, disabled: [escalate]": "",
	} {
		_, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": retryFrame + "adaptive_retry: {" + text + "}\n"})))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// R7: never_retry goes before retry, and the bounds tell.
func TestRetryBounds(t *testing.T) {
	p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": retryFrame + "adaptive_retry: {never_retry: [code]}\nlimits: {same_failure: 4, failed_iterations: 1}\n"})))
	if err != nil {
		t.Fatal(err)
	}
	bounds := strings.Join(Bounds(p), "\n")
	for _, want := range []string{
		"at most 4 turns in step plan\n", "at most 1 turn in step tests\n", "at most 1 turn in step code\n",
		"stuck when the same failure has come 4 times in a row, and every strategy was tried (limits.same_failure: 4)",
	} {
		if !strings.Contains(bounds, want) {
			t.Errorf("%q is missing in:\n%s", want, bounds)
		}
	}
	if want := "step code is never tried again: never_retry goes before its retry: 7"; !slices.Contains(p.Notes, want) {
		t.Errorf("the notes are %q, want %q", p.Notes, want)
	}
}

// R5: the same failure ends a loop after five times, and a pipeline only where the config says so.
func TestSameFailure(t *testing.T) {
	for text, want := range map[string][2]int{
		"":                            {0, 5},
		"limits: {same_failure: 0}\n": {0, 0},
		"limits: {same_failure: 2}\n": {2, 2},
	} {
		p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": retryFrame + text})))
		if err != nil {
			t.Fatal(err)
		}
		loop, err := loopOf(t, "loop: {check: \"true\"}\n"+text, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{p.Limits.SameFailure, loop.Limits.SameFailure}; got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// What holds for the agents of steps holds for those of strategies: they are bounded, and asked about what
// limits count.
func TestStrategyAgents(t *testing.T) {
	p, err := Make(request(workplace(t, map[string]string{"mulligan.yaml": `version: 1
agent: a
agents: {a: {type: program, exec: [x]}, m: {type: modelled, exec: [x], max_turns: 8}}
pipelines: {p: [{name: s, check: make}]}
adaptive_retry: {define: {escalate: {agent: m}}}
limits: {cost_usd: 1}
`})))
	if err != nil {
		t.Fatal(err)
	}
	if p.Agents["m"].Type != "modelled" {
		t.Errorf("the agents are %+v", p.Agents)
	}
	if want := "agent m: at most 8 turns of its own in each turn"; !slices.Contains(Bounds(p), want) {
		t.Errorf("%q is missing in %q", want, Bounds(p))
	}
	if want := "limits.cost_usd does not stop a (program) and m (modelled): what is not told is not counted"; !slices.Contains(p.Notes, want) {
		t.Errorf("%q is missing in %q", want, p.Notes)
	}
}
