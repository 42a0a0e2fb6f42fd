package doctor

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/gate/files"
	"mulligan/hook/claudecode"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/view"
)

// What was shown of a gate.
const (
	Blocks       = "blocks"        // it passes the files as they are, and blocks a bad change
	FailsAlready = "fails already" // it blocks the files as they are
	NotShown     = "not shown"     // it passes every bad change that was tried
	Skipped      = "skipped"       // it was not tried; Reason tells why
)

// A Proof is what was shown of one gate.
type Proof struct {
	Gate    string  `json:"gate"`
	Type    string  `json:"type"`
	Result  string  `json:"result"`
	Reason  string  `json:"reason,omitempty"`
	Changes []Trial `json:"changes,omitempty"`
}

// A Trial is what a gate did about one bad change.
type Trial struct {
	Change  string `json:"change"`
	Blocks  bool   `json:"blocks"`
	Summary string `json:"summary,omitempty"`
}

// A prover runs gates in a proof.
type prover struct {
	*doctor
	dir    string // the proof
	output string // the folder of the gates' outputs
	source *source
}

// Prove shows of every gate of the config whether it blocks a change that is known to be bad, all within
// the given time. The gates run in a proof, a clone at HEAD, which layProof makes for a plan and returns with what removes
// it again; findings are what keeps it from doing so. Agents are not asked.
func Prove(ctx context.Context, env *environ.Env, opt Options, within time.Duration, layProof func(context.Context, *mulligan.Plan) (dir string, remove func(), err error)) (proofs []Proof, findings []Finding) {
	d := &doctor{Env: env, opt: opt, pool: process.NewPool(process.PoolOptions{})}
	d.checkGit(ctx)
	d.checkConfig()
	for _, f := range d.findings {
		if f.Level == Problem {
			findings = append(findings, f)
		}
	}
	if len(findings) > 0 || d.root == "" || len(d.plans) == 0 {
		return nil, findings
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dir, remove, err := layProof(ctx, d.plans[0])
	if err != nil {
		return nil, []Finding{{Level: Problem, About: "proof", Text: err.Error()}}
	}
	defer remove()
	output, err := os.MkdirTemp("", "mulligan-prove-")
	if err != nil {
		return nil, []Finding{{Level: Problem, About: "proof", Text: err.Error()}}
	}
	defer os.RemoveAll(output)
	p := &prover{doctor: d, dir: dir, output: output}
	if p.source, err = listSource(dir); err != nil {
		return nil, []Finding{{Level: Problem, About: "proof", Text: err.Error()}}
	}
	return p.proveAll(ctx), nil
}

// proveAll proves every gate once, in the order of the config.
func (p *prover) proveAll(ctx context.Context) (proofs []Proof) {
	seen := map[string]bool{}
	for _, plan := range p.plans {
		for _, step := range plan.Steps {
			for _, check := range step.Checks {
				if key := check.Type + string(check.Options) + check.Name; !seen[key] {
					seen[key] = true
					proofs = append(proofs, p.proveCheck(ctx, check))
				}
			}
		}
		for _, h := range plan.AgentHooks.Of(mulligan.EventStop) {
			if key := "hook " + h.Name; !seen[key] {
				seen[key] = true
				proofs = append(proofs, p.proveHook(ctx, h))
			}
		}
	}
	return proofs
}

// proveCheck proves a check.
func (p *prover) proveCheck(ctx context.Context, check mulligan.CheckSpec) Proof {
	proof := Proof{Gate: view.Line(check.Name), Type: check.Type, Result: Skipped}
	switch {
	case check.Agent != "":
		proof.Reason = "a judge is an agent, and asking it costs money"
		return proof
	case check.Inverted:
		proof.Reason = "it is expected to fail: what it blocks is work that is done, and no change is known to be that"
		return proof
	}
	gate, err := builtin.NewGate(check, builtin.Deps{Pool: p.pool, Environ: p.Environ, Filter: p.Filter})
	if err != nil {
		proof.Reason = err.Error()
		return proof
	}
	run := func(ctx context.Context) (bool, string) {
		v := gate.Examine(ctx, mulligan.Work{
			Session: "doctor", Step: "prove", Attempt: 1, Iteration: 1, Dir: p.dir, Output: filepath.Join(p.output, "check.log"),
		})
		return v.Status != mulligan.Pass, view.Summary(v)
	}
	changes := p.source.changes()
	if path := files.LiteralPath(check); path != "" {
		changes = fileChanges(path)
	}
	return p.prove(ctx, proof, changes, run)
}

// proveHook proves a Stop hook that is a command.
func (p *prover) proveHook(ctx context.Context, h mulligan.AgentHook) Proof {
	proof := Proof{Gate: view.Line(h.Name), Type: "Stop hook", Result: Skipped}
	if h.Type != "command" || h.Unhandled != "" {
		proof.Reason = cmp.Or(h.Unhandled, "it is no command: asking a service or an agent may cost money")
		return proof
	}
	runner := claudecode.Runner{Pool: p.pool, Environ: p.Environ, Filter: p.Filter}
	return p.prove(ctx, proof, p.source.changes(), func(ctx context.Context) (bool, string) {
		reply := runner.Run(ctx, mulligan.AgentHookCall{
			Event: mulligan.EventStop, Hooks: []mulligan.AgentHook{h}, Session: "doctor", Step: "prove", Attempt: 1, Iteration: 1, Dir: p.dir,
			Output: func(int) (string, error) { return filepath.Join(p.output, "hook.log"), nil },
		})
		return reply.Decision != mulligan.Allow, cmp.Or(reply.Reason, string(reply.Decision))
	})
}

// prove runs a gate on the files as they are, and then on each bad change until it blocks one.
func (p *prover) prove(ctx context.Context, proof Proof, changes []change, run func(context.Context) (blocks bool, said string)) Proof {
	blocks, said := run(ctx)
	switch {
	case ctx.Err() != nil:
		proof.Reason = "the time is over"
		return proof
	case blocks:
		proof.Result, proof.Reason = FailsAlready, said
		return proof
	}
	proof.Result = NotShown
	for _, c := range changes {
		undo, changed, err := c.make(p.dir)
		if err == nil && changed {
			blocks, said = run(ctx)
		}
		undo()
		switch {
		case ctx.Err() != nil:
			proof.Result, proof.Reason = Skipped, "the time is over"
			return proof
		case err != nil:
			proof.Result, proof.Reason = Skipped, err.Error()
			return proof
		case !changed:
			continue
		}
		proof.Changes = append(proof.Changes, Trial{Change: c.what, Blocks: blocks, Summary: said})
		if blocks {
			proof.Result = Blocks
			return proof
		}
	}
	if len(proof.Changes) == 0 {
		proof.Reason = "there are no source files to change"
	}
	return proof
}

// fileChanges returns the bad changes of the file that a file_exists check wants.
func fileChanges(path string) []change {
	return []change{
		{what: "the file is removed", edit: func(dir string, s *undoList) error { return s.remove(dir, path) }},
		{what: "a folder is in its place", edit: func(dir string, s *undoList) error {
			if err := s.remove(dir, path); err != nil {
				return err
			}
			return s.mkdir(dir, path)
		}},
	}
}

// CountUnproven counts the gates that passed every bad change.
func CountUnproven(proofs []Proof) int {
	n := 0
	for _, p := range proofs {
		if p.Result == NotShown {
			n++
		}
	}
	return n
}
