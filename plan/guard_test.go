package plan

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/hook/claudecode"
)

func TestGuard(t *testing.T) {
	_, err := loopOf(t, `loop: {check: "true"}
guard: {enabled: true, max_retry_attempts: 3, validate: {agent: judge}, ignore: ["*.md"], on_failure: allow}
`, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "judge") {
		t.Errorf("an agent that is not there: %v", err)
	}
	p, err := loopOf(t, `loop: {check: "true"}
guard: {enabled: true, max_retry_attempts: 3, validate: {agent: a, timeout: 30}, ignore: ["*.md"], on_failure: allow}
`, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &mulligan.Guard{
		MaxAttempts: 3, DenyFirst: true, Ignore: []string{"*.md"}, FailOpen: true,
		Validate: &mulligan.GuardValidate{Agent: "a", Timeout: 30 * time.Second},
	}
	if !reflect.DeepEqual(p.Guard, want) || p.Agents["a"].Type != "program" {
		t.Errorf("the guard is %+v", p.Guard)
	}
	// A call with many items takes longer than one judge, and a hook that is late counts as one that allows.
	for _, h := range p.AgentHooks.Hooks {
		if h.Type == claudecode.TypeGuard && h.Timeout != MaxValidation {
			t.Errorf("the hook of %s has %v", h.Event, h.Timeout)
		}
	}
	if p, err = loopOf(t, "loop: {check: \"true\"}\n", nil, nil); err != nil || p.Guard != nil {
		t.Errorf("without the key: %+v, %v", p.Guard, err)
	}
}

// C2, G6.
func TestGuardMistakes(t *testing.T) {
	for yaml, want := range map[string]string{
		"guard: {max_retry_attempts: 1}":                                   "no claim can ever pass",
		"guard: {max_retry_attempts: 1, first_attempt: validate}":          "",
		"guard: {max_retry_attempts: 0}":                                   "max_retry_attempts",
		"guard: {max_retry_attempts: 11}":                                  "max_retry_attempts",
		"guard: {max_retry_attempts: five}":                                "max_retry_attempts",
		"guard: {max_retry_attempts: 10}":                                  "",
		"guard: {first_attempt: allow}":                                    "first_attempt",
		"guard: {ignore: [\"[\"]}":                                         "is not a glob",
		"guard: {validate: {agent: a, timeout: 10m}}":                      "at most 9m",
		"guard: {validate: {agent: a, timeout: 0s}}":                       "at most 9m",
		"guard: {validate: {timeout: 10s}}":                                "agent",
		"guard: {enabled: false, validate: {agent: nobody}}":               "nobody",
		"guard: {enabled: true, validate: {agent: a}, on_failure: broken}": "on_failure",
	} {
		_, err := loopOf(t, "loop: {check: \"true\"}\n"+yaml+"\n", nil, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", yaml, err)
		}
	}
}
