package guardhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/internal/clock"
	"mulligan/internal/environ"
	"mulligan/internal/validation"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/plan"
	"mulligan/state"
	"mulligan/workspace"
)

// decide records what the event tells and returns the claim that it makes, settled. A claim without an
// id means that it makes none.
func (w *work) decide(ctx context.Context) (mulligan.GuardClaim, error) {
	// Keys are made of contents: they have to be the same whether a content comes from the agent or
	// from the journal, which has no secrets.
	w.event.Call = w.env.Secrets.Value(w.event.Call).(guard.Call)
	if root, err := workspace.Find(w.root); err == nil {
		w.event.Call.Commit = root.HeadCommit(ctx, w.env.Environ)
	}
	unlock, err := w.lockCall(ctx)
	if err != nil {
		return mulligan.GuardClaim{}, err
	}
	defer unlock()
	store, err := w.env.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return mulligan.GuardClaim{}, explain(ctx, err)
	}
	defer store.Close()
	r := recorder{env: &w.env, store: store}
	if r.session, err = w.findConversation(ctx, store); err != nil {
		return mulligan.GuardClaim{}, explain(ctx, err)
	}
	claim, err := w.settle(ctx, r)
	return claim, explain(ctx, err)
}

// explain returns an error with the reason for which its context has ended, if that is why.
func explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w (%w)", context.Cause(ctx), err)
	}
	return err
}

// settle records the event, and validates the claim that it makes.
func (w *work) settle(ctx context.Context, r recorder) (claim mulligan.GuardClaim, err error) {
	st, err := r.record(ctx, func(st *state.State) []mulligan.Body {
		bodies, id := guard.Receive(&st.Guard, *w.rules, w.event.Call)
		if claim = guard.FindClaim(&st.Guard, bodies, id); st.Plan == nil && len(bodies) > 0 {
			bodies = slices.Insert(bodies, 0, mulligan.Body(w.newGuardSession()))
		}
		if claim.Pending() && w.rules.Validate == nil {
			ruled := guard.Conclude(claim, guard.RuleAll(claim, guard.Ruling{OK: true, By: mulligan.ByNobody}), nil)
			claim, bodies = guard.Settle(claim, ruled), append(bodies, ruled)
		}
		return bodies
	})
	w.env.Points.Pass("guard recorded")
	if err != nil || !claim.Pending() {
		return claim, err
	}
	rulings, judges := w.runValidation(ctx, st, claim)
	if ctx.Err() != nil {
		return claim, context.Cause(ctx)
	}
	isForgotten := false
	_, err = r.record(ctx, func(st *state.State) []mulligan.Body {
		known := guard.FindClaim(&st.Guard, nil, claim.ID)
		if isForgotten = known.ID == ""; isForgotten {
			return nil
		}
		if claim = known; !claim.Pending() {
			return nil // the same call told twice: the other has settled it
		}
		ruled := guard.Conclude(claim, rulings, judges)
		claim = guard.Settle(claim, ruled)
		return []mulligan.Body{ruled}
	})
	if isForgotten {
		err = errors.Join(err, errors.New("the claim was forgotten: there were too many since"))
	}
	return claim, err
}

// concludeTime is what a validation may take over the time that the config gives a judge: that one is
// ended first, and says so.
const concludeTime = 5 * time.Second

// validationTime returns how long the validation of the items that the event claims may take.
func (w *work) validationTime() time.Duration {
	n := 0
	for _, item := range w.event.Call.Items {
		if item.Completed {
			n++
		}
	}
	return min(validation.TimeFor(n, w.rules.Validate.Timeout), plan.MaxValidation)
}

// runValidation has the items of a claim looked at.
func (w *work) runValidation(ctx context.Context, st *state.State, claim mulligan.GuardClaim) ([]guard.Ruling, []mulligan.Usage) {
	if w.validate == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, w.validationTime()+concludeTime)
	defer cancel()
	return w.validate(ctx, Validation{Session: st.ID, Root: w.root, Rules: *w.rules, Agents: w.agents, Guard: st.Guard, Claim: claim, Event: w.event})
}

// newGuardSession returns the first event of a conversation.
func (w *work) newGuardSession() mulligan.GuardOpened {
	return mulligan.GuardOpened{
		Version: environ.Version, Dir: w.root, Agent: nameAgent(w.event),
		Conversation: w.conversationName(),
	}
}

// A recorder appends to one guard-session, beside others that do.
type recorder struct {
	env     *environ.Env
	store   guardJournal
	session string
}

// A guardJournal is what the guard needs of the journal.
type guardJournal = mulligan.Journal

// stalePause is the longest first pause after another process was faster; it grows.
const stalePause = 4 * time.Millisecond

// record appends the events that decide returns for the newest state, and returns the state after
// them. It calls decide again whenever another process has written meanwhile.
func (r recorder) record(ctx context.Context, decide func(*state.State) []mulligan.Body) (*state.State, error) {
	for pause := stalePause; ; pause = min(2*pause, 25*stalePause) {
		st, err := r.read(ctx)
		if err != nil {
			return nil, err
		}
		after := st.Last
		events, err := r.apply(st, decide(st))
		if err != nil || len(events) == 0 {
			return st, err
		}
		err = r.store.Append(ctx, r.session, after, events, st.Summary())
		if !errors.Is(err, mulligan.ErrStale) {
			return st, err
		}
		if clock.Sleep(ctx, rand.N(pause)+time.Millisecond); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// read returns the state of the guard-session; an empty one if there is none yet.
func (r recorder) read(ctx context.Context) (*state.State, error) {
	st, err := journal.Fold(r.store.Read(ctx, r.session, 1))
	if errors.Is(err, mulligan.ErrNoSession) {
		return &state.State{}, nil
	}
	return st, err
}

// apply makes events of bodies, without secrets, and applies them to the state.
func (r recorder) apply(st *state.State, bodies []mulligan.Body) ([]mulligan.Event, error) {
	now := r.env.SessionClock().Now()
	var events []mulligan.Event
	for _, b := range bodies {
		e := mulligan.Event{Session: r.session, Number: st.Last + 1, Time: now, Body: r.env.Secrets.Body(b)}
		if err := st.Apply(e); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// Record appends to the guard-session of an id what decide returns for its state. The session must be
// there.
func Record(ctx context.Context, env *environ.Env, store mulligan.Journal, session string, decide func(*state.State) ([]mulligan.Body, error)) error {
	var refused error
	_, err := recorder{env: env, store: store, session: session}.record(ctx, func(st *state.State) (bodies []mulligan.Body) {
		if st.Plan == nil {
			refused = fmt.Errorf("session %s: %w", session, mulligan.ErrNoSession)
			return nil
		}
		if bodies, refused = decide(st); refused != nil {
			return nil
		}
		return bodies
	})
	return errors.Join(err, refused)
}
