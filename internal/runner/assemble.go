package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/feedback"
	"mulligan/gate/writerules"
	"mulligan/hook"
	"mulligan/hook/claudecode"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/loop"
	"mulligan/retry"
	"mulligan/task"
	"mulligan/task/door"
)

// assemble returns a session that has what it needs of the world. It is not begun yet.
func (j *job) assemble(p *mulligan.Plan, id string) *loop.Session {
	fileLimit := p.Limits.OutputMiB << 20
	deps := builtin.Deps{FileLimit: fileLimit, Pool: j.pool, Environ: j.Env.Environ, Filter: j.Env.Filter, Tools: callTool, Inside: p.AgentHooks.Inside("")}
	deps.Outfit = j.outfit
	deps.Confinement = &builtin.Confinement{Bwrap: j.Env.Confines().Bwrap, Hide: []string{j.folders.State}, Show: []string{j.folders.Session(id), j.folders.Store(j.Root), j.sockets}}
	deps.CheckEnv = append(j.door.Env(process.RoleCheck), j.slotEnv()...)
	hookEnv := process.Set(process.Set(j.Env.Environ, j.door.Env(process.RoleHook)...), j.slotEnv()...)
	steady := func(a mulligan.Agent) mulligan.Agent { return agent.Steady(a, j.Env.SessionClock(), jitter) }
	deps.Judge = builtin.NewJudge(p.Agents, deps, j.site.Workspace.Dir(), steady)
	j.judge = deps.Judge
	agents := map[string]mulligan.Agent{}
	return j.Env.Points.Session(&loop.Session{
		Journal: j.journal, Workspace: j.site.Workspace, Proof: j.proof, Store: j.newStore(p, id), SetupTook: j.proof.took,
		Agent: func(name string) (mulligan.Agent, error) {
			if agents[name] == nil {
				built, err := builtin.NewAgent(p.Agents[name], deps)
				if err != nil {
					return nil, err
				}
				agents[name] = steady(allowChecks(built, p))
			}
			return agents[name], nil
		},
		Gates:  func(step mulligan.Step) ([]mulligan.Gate, error) { return newGates(step, deps) },
		Policy: retry.Adaptive{}, Pasts: j.book.Past, Prompts: feedback.Prompter{}.Prompts(),
		Hooks:          hook.Runner{FileLimit: fileLimit, Pool: j.pool, Environ: hookEnv, Filter: j.Env.Filter},
		FindViolations: writerules.Find,
		AgentHooks: claudecode.Runner{
			FileLimit: fileLimit, Pool: j.pool, Environ: hookEnv, Filter: j.Env.Filter,
			Judge: func(ctx context.Context, name string, t mulligan.Turn) (mulligan.Result, error) {
				return askJudge(ctx, p, deps, t, name)
			},
		},
		Touched: j.store.Touched,
		Compare: feedback.CompareToBaseline,
		IgnoredAtBase: func(ctx context.Context, path string) (bool, error) {
			return j.site.IgnoredAt(ctx, j.session.State().Place.Base, path)
		},
		Jitter:  jitter,
		Records: records{dir: j.folders.Session(id), live: j.journal.Live(id), limit: fileLimit},
		Clock:   j.Env.SessionClock(), Version: environ.Version, PID: os.Getpid(),
		Redact: j.Env.Secrets.Body, Filter: j.Env.Filter,
		Notify: j.newNotifier(p, j.site.Workspace.Dir(), j.pool),
	})
}

// newGates returns the gates of a step's checks.
func newGates(step mulligan.Step, deps builtin.Deps) ([]mulligan.Gate, error) {
	var gates []mulligan.Gate
	for _, check := range step.Checks {
		gate, err := builtin.NewGate(check, deps)
		if err != nil {
			return nil, err
		}
		gates = append(gates, gate)
	}
	return gates, nil
}

// askJudge has an agent answer the prompt of a hook, in a read-only turn of its own in the workspace.
// "" is the agent of the first step.
func askJudge(ctx context.Context, p *mulligan.Plan, deps builtin.Deps, t mulligan.Turn, name string) (mulligan.Result, error) {
	if name == "" {
		name = p.Steps[0].Agent
	}
	built, err := builtin.NewAgent(p.Agents[name], deps)
	if err != nil {
		return mulligan.Result{}, err
	}
	t.ReadOnly = true
	result, err := built.Turn(ctx, t)
	if err == nil && !result.Ending.Examined() {
		err = fmt.Errorf("agent %q: %s %s", name, result.Ending, result.Reason)
	}
	return result, err
}

// jitter returns a wait of between three and five quarters of d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d*3/4 + rand.N(d/2+1)
}

// callTool calls a tool for an agent that runs inside mulligan: through the door, as all agents do.
func callTool(ctx context.Context, t mulligan.Turn, tool string, args any) (json.RawMessage, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	lookup := func(name string) string {
		value, _ := process.Lookup(t.Env, name)
		return value
	}
	return door.Call(ctx, lookup, task.Request{Tool: tool, Args: data})
}

// run takes the session to its outcome, prints it, and answers what is asked of it meanwhile.
func (j *job) run(ctx context.Context) (mulligan.Outcome, error) {
	if err := j.session.Announce(ctx); err != nil {
		return mulligan.Outcome{}, err
	}
	id := j.session.State().ID
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &requestHandler{job: j, stop: cancel, claims: newClaimDesk()}
	if j.isWatched() {
		h.noteViewer() // before the viewer's first word can come: a question may be the agent's first act
	}
	j.session.Attended = h.isAttended
	unserve, err := j.journal.Serve(id, func(verb string) (string, error) { return h.answer(context.WithoutCancel(ctx), verb) })
	if err != nil {
		return mulligan.Outcome{}, err
	}
	defer unserve()
	if err := h.openDoor(); err != nil {
		return mulligan.Outcome{}, err
	}
	defer j.door.Close()
	stopShowing := j.showEvents(ctx, id)
	j.launcher.send(protocol.News{Session: id, Past: j.began - 1})
	letSleep := process.KeepAwake(j.pool, "mulligan session "+id)
	defer letSleep()
	outcome, err := j.session.Run(ctx)
	stopShowing(err == nil)
	if err == nil {
		j.awaitNotices(ctx, j.session)
	}
	return outcome, err
}
