package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/environ"
	"mulligan/internal/workspace"
	"mulligan/retry"
)

// takeCorrections takes over what a person has corrected since the session ended: the config, and the
// prompts and scripts that it names. Their version becomes a commit of its own on the session's branch, and
// holds for the steps that are not verified. It returns the person's work without these files.
func (e *reentry) takeCorrections(ctx context.Context, work workspace.PersonWork) (workspace.PersonWork, error) {
	_, paths, err := e.findCorrected(ctx, work.Now.ID)
	if err != nil || len(paths) == 0 && !e.isOnTheirBranch() {
		return work, err
	}
	if len(paths) == 0 {
		if older, err := e.keepsOlderConfig(ctx); older || err != nil {
			return work, err
		}
	}
	if err := e.remakePlan(); err != nil {
		return work, err
	}
	theirs, paths, err := e.findCorrected(ctx, work.Now.ID)
	if err != nil || len(paths) == 0 {
		return work, err
	}
	if e.tree, err = e.ws.TakePaths(ctx, e.tree, theirs, paths); err != nil {
		return work, err
	}
	committed, err := e.ws.TakePaths(ctx, e.committed, theirs, paths)
	if err != nil {
		return work, err
	}
	if committed != e.committed {
		if err := e.commit(ctx, committed, fmt.Sprintf("Corrected %s, taken over by mulligan session %s", joinPaths(paths), e.state.ID)); err != nil {
			return work, err
		}
		e.say("%s is taken over as you have corrected it, as commit %.7s on %s", joinPaths(paths), e.tip, e.state.Place.Branch)
	}
	return e.setCorrectionsAside(work, paths), nil
}

// isOnTheirBranch reports whether the checkout is the person's: then its config is theirs too, also where git
// ignores it, or where it is none of the repository's files.
func (e *reentry) isOnTheirBranch() bool {
	place := e.state.Place
	return place.Worktree || place.HasOwnBranch() && e.branch != place.Branch
}

// setCorrectionsAside returns the person's work without corrected files. Those that are not committed on
// their own branch are to stay there as they are.
func (e *reentry) setCorrectionsAside(work workspace.PersonWork, paths []string) workspace.PersonWork {
	rest, theirs := workspace.PersonWork{Now: work.Now}, &mulligan.PersonFiles{Tree: work.Now}
	for i, path := range work.Paths {
		if slices.Contains(paths, path) {
			theirs.Paths = append(theirs.Paths, path)
		} else {
			rest.Paths, rest.Lines = append(rest.Paths, path), append(rest.Lines, work.Lines[i])
		}
	}
	if len(theirs.Paths) > 0 && e.branch != e.state.Place.Branch {
		place := e.state.Place
		place.Theirs = theirs
		e.how.Place = &place
	}
	return rest
}

// findCorrected returns the files of the plan that the person has changed since the session ended, and a
// snapshot that has them. For a session in a worktree they are those of the person's own checkout.
func (e *reentry) findCorrected(ctx context.Context, now string) (theirs string, paths []string, err error) {
	files := slices.Clone(e.state.Plan.Files)
	if e.how.Plan != nil {
		files = append(files, e.how.Plan.Files...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	standing := e.state.Outcome.Standing
	left := standing.Tree
	switch {
	case e.state.Place.Worktree:
		if left, err = e.ws.ImportCommit(ctx, e.state.Place.Base, e.committed); err == nil {
			now, err = e.ws.TakeFiles(ctx, left, e.Root, files)
		}
		if err != nil {
			return "", nil, err
		}
	case e.branch == e.state.Place.Branch && standing.Returned:
		left = e.state.Outcome.Left.ID
	}
	if !e.ws.HasSnapshot(ctx, left) {
		return now, nil, nil
	}
	paths, err = e.ws.DifferingPaths(ctx, left, now, files)
	return now, paths, err
}

// remakePlan makes the plan again, of the corrected config, and prints what differs. `run` has made it
// already.
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
		// Where the session works was decided when it began.
		made.Git.Branch, made.Worktree, made.Task = e.state.Plan.Git.Branch, e.state.Plan.Worktree, e.state.Plan.Task
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
