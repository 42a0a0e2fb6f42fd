package doctor

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/view"
)

// answerTime is how long an agent may take to answer.
const answerTime = 2 * time.Minute

// checkAnswers checks that an agent answers.
func (d *doctor) checkAnswers(ctx context.Context, spec mulligan.AgentSpec) {
	about, began := "agent "+spec.Name, time.Now()
	result, err := d.askAgent(ctx, spec)
	if err != nil {
		d.addFinding(Problem, about, adviseCause(""), "%v", err)
		return
	}
	d.addAnswer(about, result, time.Since(began))
}

// askAgent has an agent answer one short prompt, in an empty folder and with as little permission as it
// can have.
func (d *doctor) askAgent(ctx context.Context, spec mulligan.AgentSpec) (mulligan.Result, error) {
	dir, err := os.MkdirTemp("", "mulligan-doctor-")
	if err != nil {
		return mulligan.Result{}, err
	}
	defer os.RemoveAll(dir)
	if spec.Permissions != "" {
		spec.Permissions = "ask" // nobody is there to answer: it may do nothing
	}
	built, err := builtin.NewAgent(spec, builtin.Deps{Pool: d.pool, Environ: d.Environ, Filter: d.Filter})
	if err != nil {
		return mulligan.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return built.Turn(ctx, mulligan.Turn{
		Session: sessions.NewID(time.Now()), Step: "doctor", Attempt: 1, Iteration: 1, Number: 1, Dir: dir, Log: io.Discard,
		Prompt: "Answer with the one word: ready. Use no tool, and change nothing.",
	})
}

// addAnswer adds what an agent answered.
func (d *doctor) addAnswer(about string, r mulligan.Result, took time.Duration) {
	switch {
	case r.Ending.Examined():
		spent := view.Spent(r.Usage)
		if spent != "" {
			spent = ", for " + spent
		}
		d.addFinding(OK, about, "", "answers: %s in %s%s", strconv.Quote(text.Clip(view.Line(strings.TrimSpace(r.Message)), 41)), view.Duration(took), spent)
	case r.Ending == mulligan.RateLimited:
		d.addFinding(Warning, about, "a session waits for that, as long as limits.wait says", "is rate limited: %s", r.Reason)
	case r.Ending == mulligan.Cancelled:
		d.addFinding(Problem, about, adviseCause(""), "has not answered in %s", answerTime)
	default:
		d.addFinding(Problem, about, adviseCause(r.Cause), "does not answer: %s: %s", r.Ending, r.Reason)
	}
}

// adviseCause returns what to do about an agent that is not available, for the cause that it named, or "".
func adviseCause(c mulligan.Cause) string {
	switch c {
	case mulligan.Auth:
		return "log in with its own program, or name the variable that has its key under env:"
	case mulligan.Billing:
		return "see its account"
	case mulligan.Network:
		return "see that this machine reaches its service"
	default:
		return "see what its program does by itself"
	}
}
