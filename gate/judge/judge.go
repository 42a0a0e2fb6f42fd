// Package judge has an agent decide: whether work passes, or whether a claim holds. What the agent
// decides by was written by the one that it judges, so that none of it may direct the decision.
package judge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// A Bench has agents decide cases. It is safe for concurrent use if its functions are.
type Bench struct {
	// Agent returns the agent of a name.
	Agent func(name string) (mulligan.Agent, error)
	// Root is the folder that a relative path of an agent's program is looked up in.
	Root string
	// Filter takes secrets out of the evidence; nil means that nothing is filtered.
	Filter func(io.Writer) io.WriteCloser
}

var _ mulligan.Judge = (*Bench)(nil)

// Decide has the case's agent take a read-only turn in an empty folder of its own, and reads the
// answer.
func (b *Bench) Decide(ctx context.Context, c mulligan.Case) mulligan.Judgement {
	agent, err := b.Agent(c.Agent)
	if err != nil {
		return broken("%v", err)
	}
	dir, err := os.MkdirTemp("", "mulligan-judge-")
	if err != nil {
		return broken("there is no folder for it: %v", err)
	}
	defer os.RemoveAll(dir) // what cannot be removed is in nobody's way
	outer := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	result, err := agent.Turn(ctx, mulligan.Turn{
		Session: c.Session, Step: c.Step, Attempt: c.Attempt, Iteration: c.Iteration, Number: max(c.Iteration, 1),
		Prompt: writePrompt(b.filterEvidence(c), rand.Text()), Model: c.Model, BudgetUSD: c.BudgetUSD,
		Dir: dir, Root: b.Root, Log: c.Log, ReadOnly: true,
	})
	var j mulligan.Judgement
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && outer.Err() == nil:
		j = broken("timed out after %v", c.Timeout)
	case err != nil:
		j = broken("agent %q: %v", c.Agent, err)
	case !result.Ending.Examined():
		j = broken("agent %q: %s", c.Agent, describeEnding(result))
	default:
		j = readReply(result.Message, result.MessageCut)
	}
	if result.Cause != mulligan.Missing {
		j.Usage = &result.Usage // a turn that came to nothing was paid for too
	}
	return j
}

// broken returns the judgement of a judge that could not decide.
func broken(format string, args ...any) mulligan.Judgement {
	return mulligan.Judgement{Broken: text.Clip(text.OneLine(fmt.Sprintf(format, args...)), brokenShown)}
}

const brokenShown = 1000 // characters

// describeEnding returns how a turn ended that has no answer.
func describeEnding(r mulligan.Result) string {
	words := strings.ReplaceAll(string(r.Ending), "_", " ")
	if r.Ending == mulligan.TimedOut && r.Reason != "" {
		return r.Reason // it tells that, and after how long
	}
	if r.Cause != "" {
		words += fmt.Sprintf(" (%s)", r.Cause)
	}
	if r.Reason != "" {
		words += ": " + r.Reason
	}
	return words
}

// filterEvidence returns the case with evidence that has no secrets. The rest of the prompt is
// mulligan's own, or the user's.
func (b *Bench) filterEvidence(c mulligan.Case) mulligan.Case {
	if b.Filter == nil {
		return c
	}
	clean := make([]mulligan.Evidence, len(c.Evidence))
	for i, e := range c.Evidence {
		clean[i] = mulligan.Evidence{Title: b.filterText(e.Title), Text: b.filterText(e.Text), Missing: e.Missing}
	}
	c.Evidence = clean
	return c
}

func (b *Bench) filterText(s string) string {
	var clean strings.Builder
	w := b.Filter(&clean)
	io.WriteString(w, s)
	w.Close() // writes what the filter holds back
	return clean.String()
}
