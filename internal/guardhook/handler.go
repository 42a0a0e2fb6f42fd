// Package guardhook answers events of agents that no session of mulligan's runs: it has the guard
// decide about their claims that tasks are done. What it knows of an agent's conversation is in the
// journal, in a guard-session of its own.
package guardhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/hook/claudecode"
	"mulligan/internal/environ"
	"mulligan/internal/redact"
	"mulligan/state"
)

const (
	// maxInput is how many bytes an event may have.
	maxInput = 6 << 20
	// ownTime is how long the handler may take besides a validation, and maxTime in all: an agent's
	// program takes a hook that is silent for longer than ten minutes for one that allows.
	ownTime = 20 * time.Second
	maxTime = 9*time.Minute + 30*time.Second
)

// A Handler answers events of agents. It is for one event.
type Handler struct {
	Env *environ.Env
	// Validate decides about the items of a claim that are to be validated, where the config names an
	// agent for it. nil: they are denied, since nobody has looked at them.
	Validate func(ctx context.Context, v Validation) ([]guard.Ruling, []mulligan.Usage)
}

// A Validation is a claim that is to be validated, and what is known of it.
type Validation struct {
	Session string // the guard-session's id
	Root    string // the repository, or the folder where there is none
	Rules   mulligan.Guard
	Agents  map[string]mulligan.AgentSpec
	Guard   state.Guard // with the items, as they stand
	Claim   mulligan.GuardClaim
	Event   claudecode.ClaimEvent
}

// IsGuarded reports whether an event of an agent may be about its tasks.
func IsGuarded(name string) bool {
	return slices.Contains([]string{claudecode.EventToolUse, claudecode.EventBeforeTool, claudecode.EventTaskCompleted, claudecode.EventTaskCreated}, name)
}

// Answer reads an event and returns the answer. name "" means the one that the event itself has. A
// fault of its own is a denial too, unless the config has it otherwise: an agent's program takes a
// hook that breaks for one that allows.
func (h Handler) Answer(ctx context.Context, name string, from io.Reader) (out claudecode.Encoded) {
	w := &work{env: *h.Env, validate: h.Validate, name: name}
	if w.env.Secrets == nil {
		w.env.Secrets = redact.New(w.env.Environ)
	}
	w.log.Time = time.Now()
	defer func() {
		if broke := recover(); broke != nil {
			out = w.fail(fmt.Errorf("a fault of its own: %v", broke))
		}
		w.writeLog(out)
	}()
	input, err := readInput(from)
	if err == nil {
		w.event, err = claudecode.DecodeClaims(name, input)
	}
	return w.answer(ctx, err)
}

// readInput reads an event, of which an agent may have made too much.
func readInput(from io.Reader) ([]byte, error) {
	input, err := io.ReadAll(io.LimitReader(from, maxInput+1))
	if err == nil && len(input) > maxInput {
		err = fmt.Errorf("the event has more than %d bytes", maxInput)
	}
	return input, err
}

// A work is the handling of one event.
type work struct {
	env      environ.Env
	validate func(context.Context, Validation) ([]guard.Ruling, []mulligan.Usage)
	name     string // of the event, as the command line has it
	event    claudecode.ClaimEvent
	root     string
	rules    *mulligan.Guard
	agents   map[string]mulligan.AgentSpec
	log      logEntry
}

// answer decides about the event. unread is why it, or an item in it, cannot be read.
func (w *work) answer(ctx context.Context, unread error) claudecode.Encoded {
	if w.name == "" {
		w.name = w.event.Event
	}
	if unread == nil && !w.event.Relevant {
		return claudecode.Encoded{}
	}
	w.root = w.findRoot()
	w.env.Dir = w.root
	wrong, err := w.loadRules()
	switch {
	case err != nil:
		return w.fail(err)
	case w.rules == nil && wrong == nil:
		return claudecode.Encoded{}
	case unread != nil:
		return w.denyPlainly("the guard cannot read this call, so it is not allowed: " + unread.Error())
	case wrong != nil && !claimsAny(w.event.Call):
		return claudecode.Encoded{}
	case wrong != nil:
		return w.deny("the guard's config has mistakes, so that no claim can be accepted. A person corrects them:\n" + wrong.Error())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeLimit(), errLate)
	defer cancel()
	claim, err := w.decide(ctx)
	if err != nil {
		return w.fail(err)
	}
	return w.conclude(claim)
}

var errLate = errors.New("it took too long")

// timeLimit returns how long the handler may take.
func (w *work) timeLimit() time.Duration {
	if w.rules.Validate == nil {
		return ownTime
	}
	return min(w.validationTime()+ownTime, maxTime)
}

func claimsAny(call guard.Call) bool {
	return slices.ContainsFunc(call.Items, func(i guard.Item) bool { return i.Completed })
}

// conclude returns the answer to a claim that is settled; one without an id claims nothing.
func (w *work) conclude(claim mulligan.GuardClaim) claudecode.Encoded {
	w.log.addClaim(claim)
	a := guard.Answer{Allowed: true}
	if claim.ID != "" {
		a = guard.AnswerTo(claim)
	}
	return claudecode.EncodeAnswer(w.name, a)
}

// fail returns the answer where the guard itself could not decide.
func (w *work) fail(err error) claudecode.Encoded {
	w.log.Fault = err.Error()
	if w.rules != nil && w.rules.FailOpen {
		return claudecode.Encoded{Stderr: "mulligan: the guard could not decide, and on_failure is allow: " + err.Error() + "\n"}
	}
	return w.denyPlainly("the guard could not decide, so this is not allowed: " + err.Error())
}

// deny returns a denial in the form of the event.
func (w *work) deny(reason string) claudecode.Encoded {
	w.log.Fault = reason
	return claudecode.EncodeAnswer(w.name, guard.Answer{Reason: clipReason(reason)})
}

// denyPlainly returns a denial that every agent's program understands, whatever the event was.
func (w *work) denyPlainly(reason string) claudecode.Encoded {
	w.log.Fault = reason
	return claudecode.Encoded{Exit: 2, Stderr: "mulligan: " + clipReason(reason) + "\n"}
}
