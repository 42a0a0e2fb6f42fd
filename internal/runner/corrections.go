package runner

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/environ"
	"mulligan/retry"
)

// remakePlan makes the plan again, of the corrected config, and notes what differs. Where a failed session is run again,
// that plan is there already.
func (e *reentry) remakePlan() error {
	p := e.how.Plan
	if p == nil {
		if e.remake == nil {
			return nil
		}
		made, err := e.remake(e.state.Plan)
		if err != nil {
			return err
		}
		made.Task = e.state.Plan.Task
		p = made
	}
	changes, err := describePlanChanges(e.state.Plan, p)
	if err != nil || len(changes) == 0 {
		return err
	}
	e.how.Plan = p
	e.notes = append(e.notes, "the plan has changed: "+strings.Join(changes, "; "))
	return nil
}

// takeGuardSwitch takes the guard out of the plan where a person has switched it off since.
func (e *reentry) takeGuardSwitch() error {
	p := cmp.Or(e.how.Plan, e.state.Plan)
	if p.Guard == nil {
		return nil
	}
	now, err := e.Env.GuardSwitch(e.Root)
	if err != nil || now != environ.SwitchedOff {
		return err
	}
	without := *p
	without.Guard = nil
	without.AgentHooks.Hooks = slices.DeleteFunc(slices.Clone(p.AgentHooks.Hooks), func(h mulligan.AgentHook) bool { return h.Type == claudecode.TypeGuard })
	e.how.Plan = &without
	e.notes = append(e.notes, "the guard is off, as `mulligan guard off` has it")
	return nil
}

// takeYesRollback puts a yes to rollbacks that is given with the command into the plan.
func (e *reentry) takeYesRollback() {
	p := cmp.Or(e.how.Plan, e.state.Plan)
	if !e.Options.YesRollback || p.Retry != nil && p.Retry.YesRollback {
		return
	}
	agreed, how := *p, mulligan.RetryPlan{Window: retry.DefaultWindow, Threshold: retry.DefaultThreshold}
	if p.Retry != nil {
		how = *p.Retry
	}
	how.YesRollback = true
	agreed.Retry = &how
	e.how.Plan = &agreed
}

// maxPlanChanges is how many changes of a plan are printed.
const maxPlanChanges = 12

// describePlanChanges returns what differs between two plans, a phrase for each: "steps.fix.retry: 1 → 2".
func describePlanChanges(old, changed *mulligan.Plan) ([]string, error) {
	if old.Retry == nil && isUsualRetry(changed.Retry) {
		plain := *changed
		plain.Retry = nil // an older version made the old plan, and meant the same
		changed = &plain
	}
	a, err := flattenPlan(old)
	if err != nil {
		return nil, err
	}
	b, err := flattenPlan(changed)
	if err != nil {
		return nil, err
	}
	keys := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var changes []string
	for _, key := range keys {
		from, had := a[key]
		to, has := b[key]
		switch {
		case had && has && !reflect.DeepEqual(from, to):
			changes = append(changes, fmt.Sprintf("%s: %s → %s", key, clipValue(from), clipValue(to)))
		case !had:
			changes = append(changes, fmt.Sprintf("%s: %s is new", key, clipValue(to)))
		case !has:
			changes = append(changes, fmt.Sprintf("%s is gone", key))
		}
	}
	if more := len(changes) - maxPlanChanges; more > 0 {
		changes = append(changes[:maxPlanChanges], fmt.Sprintf("and %d more", more))
	}
	return changes, nil
}

// isUsualRetry reports whether a config without a word about retries comes to this.
func isUsualRetry(r *mulligan.RetryPlan) bool {
	return r != nil && reflect.DeepEqual(*r, mulligan.RetryPlan{Window: retry.DefaultWindow, Threshold: retry.DefaultThreshold})
}

// clipValue returns a value of a plan, in a few words.
func clipValue(v any) string {
	s := strings.Join(strings.Fields(fmt.Sprint(v)), " ")
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:60]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// flattenPlan returns the values of a plan by their place in it. Steps and checks are named, not numbered.
func flattenPlan(p *mulligan.Plan) (map[string]any, error) {
	plain := *p
	plain.Notes, plain.Files, plain.Protected, plain.Given = nil, nil, nil, mulligan.Given{}
	data, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	flattenValue(flat, "", tree)
	return flat, nil
}

func flattenValue(flat map[string]any, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			flattenValue(flat, strings.TrimPrefix(at+"."+key, "."), value)
		}
	case []any:
		for i, value := range v {
			name := fmt.Sprint(i + 1)
			if named, ok := value.(map[string]any); ok {
				if s, ok := named["name"].(string); ok && !strings.Contains(at, ".checks") {
					name = s
				}
			}
			flattenValue(flat, at+"."+name, value)
		}
	default:
		flat[at] = v
	}
}
