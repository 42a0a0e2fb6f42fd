package cli

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
	"mulligan/hook"
	"mulligan/hook/claudecode"
	"mulligan/internal/builtin"
	"mulligan/internal/process"
	"mulligan/retry"
	"mulligan/task"
	"mulligan/task/door"
)

// assemble hands a session what it needs of the world.
func (h *house) assemble(j *job, p *mulligan.Plan, id string) *mulligan.Session {
	deps := builtin.Deps{Pool: j.pool, Environ: h.app.Environ, Filter: h.app.Filter, Tools: callTool, Inside: p.AgentHooks.Inside("")}
	agents := map[string]mulligan.Agent{}
	return h.app.Points.Session(&mulligan.Session{
		Journal: h.store, Workspace: j.ws,
		Agent: func(name string) (mulligan.Agent, error) {
			if agents[name] == nil {
				built, err := builtin.NewAgent(p.Agents[name], deps)
				if err != nil {
					return nil, err
				}
				agents[name] = agent.Steady(built, h.app.SessionClock(), jitter)
			}
			return agents[name], nil
		},
		Gates: func(step mulligan.Step) ([]mulligan.Gate, error) {
			var gates []mulligan.Gate
			for _, check := range step.Checks {
				gate, err := builtin.NewGate(check, deps)
				if err != nil {
					return nil, err
				}
				gates = append(gates, gate)
			}
			return gates, nil
		},
		Policy: retry.Budget{}, Prompts: feedback.Prompter{}.Prompts(),
		Hooks: hook.Runner{Pool: j.pool, Environ: h.app.Environ, Filter: h.app.Filter},
		AgentHooks: claudecode.Runner{
			Pool: j.pool, Environ: h.app.Environ, Filter: h.app.Filter,
			Judge: func(ctx context.Context, name string, t mulligan.Turn) (mulligan.Result, error) {
				return judge(ctx, p, deps, t, name)
			},
		},
		Jitter:  jitter,
		Records: records{dir: h.folders.Session(id), live: h.store.Live(id)},
		Clock:   h.app.SessionClock(), Version: Version, PID: os.Getpid(),
		Redact: h.app.Secrets.Body, Filter: h.app.Filter,
	})
}

// judge has an agent answer a prompt, in a conversation of its own.
func judge(ctx context.Context, p *mulligan.Plan, deps builtin.Deps, t mulligan.Turn, name string) (mulligan.Result, error) {
	if name == "" {
		name = p.Steps[0].Agent
	}
	built, err := builtin.NewAgent(p.Agents[name], deps)
	if err != nil {
		return mulligan.Result{}, err
	}
	result, err := built.Turn(ctx, t)
	if err == nil && !result.Ending.Examined() {
		err = fmt.Errorf("agent %q: %s %s", name, result.Ending, result.Reason)
	}
	return result, err
}

// jitter is a wait of between three and five quarters of d.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d*3/4 + rand.N(d/2+1)
}

// callTool is how agents that run inside mulligan call the tools: through the door, as all do.
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

// run takes the session to its outcome, and shows it.
func (j *job) run(ctx context.Context) (mulligan.Outcome, error) {
	if err := j.session.Announce(ctx); err != nil {
		return mulligan.Outcome{}, err
	}
	id := j.session.State().ID
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d := &desk{job: j, stop: cancel, clock: j.app.SessionClock()}
	if j.watched() {
		d.saw() // before the viewer's first word can come: a question may be the agent's first act
	}
	j.session.Attended = d.attended
	unserve, err := j.store.Serve(id, func(verb string) (string, error) { return d.verb(context.WithoutCancel(ctx), verb) })
	if err != nil {
		return mulligan.Outcome{}, err
	}
	defer unserve()
	opened, err := j.openDoor(d)
	if err != nil {
		return mulligan.Outcome{}, err
	}
	defer opened.Close()
	shown := j.show(ctx, id)
	j.ready.session(id, j.began-1)
	awake := process.KeepAwake(j.pool, "mulligan session "+id)
	defer awake()
	outcome, err := j.session.Run(ctx)
	shown(err == nil)
	return outcome, err
}
