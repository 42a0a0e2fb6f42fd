package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"mulligan"
	"mulligan/internal/doctor"
	"mulligan/internal/runner"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
)

// proofJSON is what `doctor --prove --json` prints.
type proofJSON struct {
	Version  int              `json:"v"`
	Unproven int              `json:"unproven"`
	Proofs   []doctor.Proof   `json:"proofs"`
	Findings []doctor.Finding `json:"findings,omitempty"`
}

// runProve shows which gates can block. A problem that keeps it from doing so is an exit of usage, a gate that
// blocks nothing one of a broken gate.
func (a *App) runProve(ctx context.Context, opt doctor.Options, within time.Duration, asJSON bool) error {
	proofs, findings := doctor.Prove(ctx, a.Env, opt, within, a.layBench)
	unproven := doctor.CountUnproven(proofs)
	var err error
	switch {
	case asJSON:
		err = a.printJSON(proofJSON{Version: 1, Unproven: unproven, Proofs: proofs, Findings: findings})
	case len(findings) > 0:
		err = a.printFindings(doctorJSON{Problems: len(findings), Findings: findings}, false)
	default:
		err = a.printProofs(proofs, unproven)
	}
	switch {
	case err != nil:
		return err
	case len(findings) > 0:
		return usererror.Exit(mulligan.ExitUsage)
	case unproven > 0:
		return usererror.Exit(mulligan.ExitGateBroken)
	}
	return nil
}

// layBench makes a proof at HEAD for a plan.
func (a *App) layBench(ctx context.Context, p *mulligan.Plan) (dir string, remove func(), err error) {
	root, err := a.Root()
	if err != nil {
		return "", nil, err
	}
	b, err := a.openBench(ctx, root, runner.BenchOptions{Command: "doctor", Plan: p}, io.Discard)
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = b.Close() }
	if dir, err = b.Lay(ctx); err != nil {
		remove()
	}
	return dir, remove, err
}

// printProofs prints what was shown of each gate, and the changes that it was tried on.
func (a *App) printProofs(proofs []doctor.Proof, unproven int) error {
	for _, p := range proofs {
		fmt.Fprintf(a.Stdout, "%-13s  %s", p.Result, text.Clip(p.Gate, 80))
		if p.Reason != "" {
			fmt.Fprintf(a.Stdout, ": %s", text.Clip(text.OneLine(p.Reason), 160))
		}
		fmt.Fprintln(a.Stdout)
		for _, c := range p.Changes {
			word := "passed"
			if c.Blocks {
				word = "blocked"
			}
			fmt.Fprintf(a.Stdout, "%-13s  %s %s: %s\n", "", word, c.Change, text.Clip(text.OneLine(c.Summary), 120))
		}
	}
	if len(proofs) == 0 {
		fmt.Fprintln(a.Stdout, "the config has no gates: nothing would be verified")
	}
	if unproven > 0 {
		fmt.Fprintf(a.Stdout, "%s could not be shown to block anything: see that the command fails when the work is wrong\n", text.Count(unproven, "gate"))
		return nil
	}
	_, err := fmt.Fprintln(a.Stdout, "every gate that was tried blocks")
	return err
}
