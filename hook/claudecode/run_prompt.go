package claudecode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/jsonsearch"
	"mulligan/internal/text"
)

// arguments is where in a prompt the event goes.
const arguments = "$ARGUMENTS"

const replyShown = 200 // characters of a reply that has no verdict

const answerForm = `Answer with one JSON object and nothing else: {"ok": true}, or {"ok": false, "reason": "what is wrong"}.`

// askJudge has an agent decide, which answers {ok, reason}. With any other reply the hook is
// broken.
func (r Runner) askJudge(ctx context.Context, t hookTask) result {
	if r.Judge == nil {
		return t.brokenResult("not asked", "there is no agent to ask")
	}
	ctx, cancel := context.WithTimeout(ctx, t.hook.Timeout)
	defer cancel()
	turn, err := r.Judge(ctx, t.hook.Agent, mulligan.Turn{
		Session: t.call.Session, Number: 1, Prompt: judgePrompt(t), BudgetUSD: t.call.BudgetUSD, Dir: t.call.Dir, Log: io.Discard,
	})
	var s result
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		s = t.brokenResult(fmt.Sprintf("timed out after %v", t.hook.Timeout), "")
	case err != nil:
		s = t.brokenResult("no answer", r.cleanText(err.Error()))
	default:
		out := r.newOutput(t)
		io.WriteString(out.stdout, turn.Message)
		out.finish()
		s = r.resultOfJudge(t, out).withOutput(out)
	}
	s.run.Judge = &turn.Usage // a turn that came to nothing was paid for too
	return s
}

// judgePrompt returns the prompt of a hook with its event.
func judgePrompt(t hookTask) string {
	event := strings.TrimSpace(string(t.event))
	text := strings.ReplaceAll(t.hook.Prompt, arguments, event)
	if !strings.Contains(t.hook.Prompt, arguments) {
		text += "\n\n" + event
	}
	return text + "\n\n" + answerForm
}

// resultOfJudge returns the result of a hook that an agent decided.
func (r Runner) resultOfJudge(t hookTask, out *output) result {
	reply := out.stdout.keptBytes()
	at, found, err := jsonsearch.LastObject(reply)
	var verdict struct {
		OK     *bool  `json:"ok"`
		Reason string `json:"reason"`
	}
	if found && err == nil {
		err = json.Unmarshal(reply[at.Start:at.End], &verdict)
	}
	if err != nil || verdict.OK == nil {
		return t.brokenResult("answered", `no {"ok", "reason"} in the reply: `+text.Clip(strings.TrimSpace(out.stdout.distilled.Text), replyShown))
	}
	if *verdict.OK {
		return result{run: mulligan.AgentHookRun{Decision: mulligan.Allow, Exit: "answered", OK: true}}
	}
	reason := cmp.Or(strings.TrimSpace(verdict.Reason), noReason)
	return result{
		run:      mulligan.AgentHookRun{Decision: mulligan.Block, Exit: "answered", Reason: text.Clip(reason, reasonLength)},
		feedback: distilText(reason, r.textLimit(), out.path),
	}
}
