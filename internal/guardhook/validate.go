package guardhook

import (
	"context"
	"slices"
	"strings"

	"mulligan"
	"mulligan/agent"
	"mulligan/guard"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/validation"
)

// JudgeClaims returns a Validate that asks the agent which the config names.
func JudgeClaims(env *environ.Env) func(context.Context, Validation) ([]guard.Ruling, []mulligan.Usage) {
	return func(ctx context.Context, v Validation) ([]guard.Ruling, []mulligan.Usage) {
		pool := process.NewPool(process.PoolOptions{})
		deps := builtin.Deps{Pool: pool, Environ: dropAgentMarks(env.Environ), Filter: env.Filter}
		steady := func(a mulligan.Agent) mulligan.Agent { return agent.Steady(a, env.SessionClock(), nil) }
		return validation.Validate(ctx, builtin.NewJudge(v.Agents, deps, v.Root, steady), validation.Request{
			Case:  mulligan.Case{Session: v.Session, Agent: v.Rules.Validate.Agent, Timeout: v.Rules.Validate.Timeout},
			Claim: v.Claim, Items: v.Guard.Items, Dir: v.Root, Transcript: v.Event.Transcript,
		})
	}
}

// dropAgentMarks returns an environment without what the agent's program, whose hook this is, tells the
// processes that it starts of itself: a judge is another agent, maybe the same program.
func dropAgentMarks(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		for _, mark := range []string{"CLAUDE_CODE_SESSION", "CLAUDE_CODE_CHILD", "CLAUDE_CODE_MESSAGING", "CLAUDE_CODE_ENTRYPOINT", "GEMINI_SESSION"} {
			if strings.HasPrefix(name, mark) {
				return true
			}
		}
		return slices.Contains([]string{"CLAUDECODE", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_PROJECT_DIR", "AI_AGENT", "GEMINI_CLI", "GEMINI_PROJECT_DIR", "CODEX_THREAD_ID", "CODEX_SANDBOX"}, name)
	})
}
