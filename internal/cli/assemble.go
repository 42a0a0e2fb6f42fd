package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"mulligan"
	"mulligan/feedback"
	"mulligan/internal/builtin"
	"mulligan/internal/process"
	"mulligan/retry"
)

// assemble hands a session what it needs of the world.
func (h *house) assemble(j *job, p *mulligan.Plan, id string) *mulligan.Session {
	deps := builtin.Deps{Pool: j.pool, Environ: h.app.Environ, Filter: h.app.filter}
	agents := map[string]mulligan.Agent{}
	return h.app.Points.Session(&mulligan.Session{
		Journal: h.store, Workspace: j.ws,
		Agent: func(name string) (mulligan.Agent, error) {
			if agents[name] == nil {
				agent, err := builtin.NewAgent(p.Agents[name], deps)
				if err != nil {
					return nil, err
				}
				agents[name] = agent
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
		Policy: retry.Budget{}, Prompter: feedback.Prompter{},
		Records: records{dir: h.folders.session(id), live: h.store.Live(id)},
		Clock:   h.app.clock(), Version: Version, PID: os.Getpid(),
		Redact: h.app.secrets.Body, Filter: h.app.filter,
	})
}

// clock is the one that sessions go by.
func (a *App) clock() mulligan.Clock {
	if a.Clock != nil {
		return a.Clock
	}
	return clock{}
}

type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// run takes the session to its outcome, and shows it.
func (j *job) run(ctx context.Context) (mulligan.Outcome, error) {
	if err := j.session.Announce(ctx); err != nil {
		return mulligan.Outcome{}, err
	}
	id := j.session.State().ID
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unserve, err := j.store.Serve(id, func(verb string) (string, error) {
		switch verb {
		case "ping":
			return fmt.Sprint(os.Getpid()), nil
		case "stop":
			cancel(&mulligan.Interruption{By: "mulligan stop"})
			return "stopping", nil
		case "stop-now":
			time.AfterFunc(50*time.Millisecond, j.abandon) // after the answer is out
			return "stopping at once", nil
		}
		return "", fmt.Errorf("this session does not know %q", verb)
	})
	if err != nil {
		return mulligan.Outcome{}, err
	}
	defer unserve()
	shown := j.show(ctx, id)
	j.ready.session(id, j.began-1)
	awake := process.KeepAwake(j.pool, "mulligan session "+id)
	defer awake()
	outcome, err := j.session.Run(ctx)
	shown(err == nil)
	return outcome, err
}
