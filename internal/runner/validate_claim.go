package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/guard"
	"mulligan/internal/validation"
	"mulligan/state"
)

// claimEvidence is what is known of a claim besides its items.
type claimEvidence struct {
	transcript string // path of the agent's own; "": the log of the turn
}

// validateClaim decides about the items of a claim that are to be validated: by the agent that the
// config names, or by the checks of the step that the session is at.
func (h *requestHandler) validateClaim(ctx context.Context, claim mulligan.GuardClaim, e claimEvidence) ([]guard.Ruling, []mulligan.Usage) {
	r := validation.Request{Claim: claim, Transcript: e.transcript}
	byAgent, isSettled := false, false
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		known, v := st.Guard.Claim(claim.ID), st.Plan.Guard.Validate
		if isSettled = known == nil || !known.Pending(); isSettled {
			return nil, nil
		}
		if byAgent = v != nil; !byAgent {
			return nil, nil
		}
		r.Dir, r.Items = st.Place.Dir, slices.Clone(st.Guard.Items)
		r.Case = mulligan.Case{Session: st.ID, Iteration: st.Iteration, Agent: v.Agent, Timeout: v.Timeout, BudgetUSD: st.BudgetUSD()}
		if st.Step < len(st.Steps) {
			step := st.Steps[st.Step]
			r.Case.Step, r.Case.Attempt = step.Name, len(step.Attempts)
			if last, _ := step.Examined(); last != nil {
				r.Verdicts = slices.Clone(last.Verdicts)
			}
		}
		if st.InFlight != nil {
			r.Log = st.InFlight.Log
		}
		return nil, nil
	})
	switch {
	case err != nil:
		return guard.RuleAll(claim, guard.Ruling{Reason: err.Error(), By: mulligan.ByGuard, Broken: true}), nil
	case isSettled: // the same call told twice: the other has waited for it
		return nil, nil
	case byAgent:
		return validation.Validate(ctx, h.judge, r)
	}
	return h.checkClaim(ctx, claim)
}

// checkClaim decides by the commands that check the step: they pass on the tree as it is, or all items of
// the claim are denied.
func (h *requestHandler) checkClaim(ctx context.Context, claim mulligan.GuardClaim) ([]guard.Ruling, []mulligan.Usage) {
	var work mulligan.Work
	var step mulligan.Step
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		if st.Step >= len(st.Plan.Steps) {
			return nil, fmt.Errorf("no step is under way")
		}
		step = st.Plan.Steps[st.Step]
		work = mulligan.Work{Session: st.ID, Step: step.Name, Attempt: len(st.Steps[st.Step].Attempts), Iteration: st.Iteration, Dir: st.Place.Dir}
		return nil, nil
	})
	if err != nil {
		return guard.RuleAll(claim, guard.Ruling{Reason: err.Error(), By: mulligan.ByChecks, Broken: true}), nil
	}
	gates, err := h.session.Gates(step)
	if err != nil {
		return guard.RuleAll(claim, guard.Ruling{Reason: err.Error(), By: mulligan.ByChecks, Broken: true}), nil
	}
	by := mulligan.ByNobody
	for i, gate := range gates {
		if step.Checks[i].Final || step.Checks[i].IsJudge() {
			continue // these look at the whole of the work
		}
		by = mulligan.ByChecks
		if work.Output, err = h.claimOutput(claim.ID, i); err != nil {
			return guard.RuleAll(claim, guard.Ruling{Reason: err.Error(), By: by, Broken: true}), nil
		}
		if v := gate.Examine(ctx, work); v.Status != mulligan.Pass {
			return guard.RuleAll(claim, guard.Ruling{Reason: describeVerdict(step.Checks[i], v), By: by, Broken: v.Status == mulligan.Broken}), nil
		}
	}
	return guard.RuleAll(claim, guard.Ruling{OK: true, By: by}), nil
}

// describeVerdict returns what a check found, for the agent.
func describeVerdict(check mulligan.CheckSpec, v mulligan.Verdict) string {
	words := fmt.Sprintf("the check `%s` does not pass: %s", check.Name, v.Summary)
	if v.Finding != nil && strings.TrimSpace(v.Finding.Text) != "" {
		words += "\n" + strings.TrimSpace(v.Finding.Text)
	}
	return words
}

// claimOutput returns where a check of a claim keeps its whole output.
func (h *requestHandler) claimOutput(claim string, gate int) (string, error) {
	dir := h.folders.Session(h.session.State().ID)
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, claim)
	return filepath.Join(dir, fmt.Sprintf("guard-%.60s-check-%d.log", name, gate+1)), os.MkdirAll(dir, 0o700)
}
