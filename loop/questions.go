package loop

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/state"
)

// Nobody is the answer that an agent gets if no person answers its question.
const Nobody = "Nobody is there to answer. Take the safest way that you can go on with, and note the assumption that you make."

// Ask puts an agent's question to a person and waits as long as the plan allows; then the default
// is taken, and recorded as that. A question that a person has answered before, or that was
// answered in this turn, is not asked again, and an open one is not asked a second time: a turn
// that is given again asks what it asked before. Ask is safe for concurrent use.
func (s *Session) Ask(ctx context.Context, q mulligan.Question) (mulligan.Question, error) {
	waiting := newAsker()
	var known *mulligan.Question
	err := s.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		if st.Final != nil || st.InFlight == nil {
			return nil, fmt.Errorf("the session is not in the middle of a turn: nobody can be asked now")
		}
		if known = st.FindAnswered(q); known != nil {
			return nil, nil
		}
		q.ID, q.Turn = st.FindOpenQuestion(q), st.Turn
		if q.ID == 0 {
			q.ID = len(st.Questions) + 1
		}
		s.requests.waiting[q.ID] = append(s.requests.waiting[q.ID], waiting)
		return []mulligan.Body{mulligan.Asked{Question: q}}, nil
	})
	if err != nil {
		return mulligan.Question{}, err
	}
	if known != nil {
		return *known, nil
	}
	defer s.HoldTurn()()
	return s.awaitAnswer(ctx, q, waiting)
}

// An asker waits for the answer to a question.
type asker struct {
	answer chan mulligan.Question
	gone   atomic.Bool // it waits no more
}

func newAsker() *asker { return &asker{answer: make(chan mulligan.Question, 1)} }

func (s *Session) awaitAnswer(ctx context.Context, q mulligan.Question, waiting *asker) (mulligan.Question, error) {
	defer waiting.gone.Store(true)
	began := s.Clock.Now()
	patience, cancel := s.limitPatience(ctx)
	defer cancel()
	select {
	case q := <-waiting.answer:
		return q, nil
	case <-s.requests.over:
		return q, mulligan.ErrOver
	case <-patience.Done():
	}
	if ctx.Err() != nil {
		return q, ctx.Err() // the asker has gone: a person may still answer, for later turns
	}
	if err := s.takeDefault(ctx, q.ID, s.since(began)); err != nil {
		return q, err
	}
	select {
	case q := <-waiting.answer:
		return q, nil
	case <-s.requests.over:
		return q, mulligan.ErrOver
	case <-ctx.Done():
		return q, ctx.Err()
	}
}

// limitPatience returns a context that ends when the session no longer waits for a person.
func (s *Session) limitPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	people := s.state.Plan.People
	switch {
	case people.Ask:
	case s.Attended != nil && s.Attended():
		go func() {
			s.Clock.Sleep(ctx, people.AskTimeout)
			cancel()
		}()
	default:
		cancel()
	}
	return ctx, cancel
}

// takeDefault takes the default of a question that no person has answered, or stops the session.
func (s *Session) takeDefault(ctx context.Context, id int, waited time.Duration) error {
	stops := false
	err := s.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		q := st.Question(id)
		if q.By != "" {
			return nil, nil // answered just now
		}
		if st.Plan.People.OnQuestion == "stop" && st.Final == nil {
			s.requests.halt = &mulligan.Outcome{Ended: mulligan.Waiting, Reason: fmt.Sprintf("question %d waits for an answer: %s", id, q.Text)}
			s.requests.stop()
			stops = true
			return nil, nil
		}
		text := q.Default
		if text == "" {
			text = Nobody
		}
		return []mulligan.Body{mulligan.Answered{ID: id, Text: text, By: mulligan.ByDefault, Waited: waited}}, nil
	})
	if stops && err == nil {
		err = mulligan.ErrOver
	}
	return err
}

// markHeard sets Heard in a person's answers to questions whose asker still waits.
func (s *Session) markHeard(bodies []mulligan.Body) {
	for i, b := range bodies {
		a, ok := b.(mulligan.Answered)
		if !ok || a.By != mulligan.ByPerson {
			continue
		}
		a.Heard = slices.ContainsFunc(s.requests.waiting[a.ID], func(w *asker) bool { return !w.gone.Load() })
		bodies[i] = a
	}
}

// notifyAskers sends answers to the goroutines that wait for them.
func (s *Session) notifyAskers(bodies []mulligan.Body) {
	for _, b := range bodies {
		a, ok := b.(mulligan.Answered)
		if !ok {
			continue
		}
		for _, waiting := range s.requests.waiting[a.ID] {
			waiting.answer <- *s.state.Question(a.ID)
		}
		delete(s.requests.waiting, a.ID)
	}
}

// askPerson puts a question of the session's own to a person, and waits as for an agent's. Where nobody
// answers, the default is taken.
func (s *Session) askPerson(ctx context.Context, q mulligan.Question) (mulligan.Question, error) {
	i, waited, err := s.awaitPerson(ctx, q)
	if err != nil {
		return q, err
	}
	if s.isStopped(ctx) || s.state.Questions[i].By != "" {
		return s.state.Questions[i], nil
	}
	err = s.record(mulligan.Answered{ID: i + 1, Text: q.Default, By: mulligan.ByDefault, Waited: waited})
	return s.state.Questions[i], err
}

// awaitPerson puts a question of the session's own to a person and waits as long as the plan allows. It
// returns the question's index; the question may still be open. One that was asked before a crash is not
// asked twice.
func (s *Session) awaitPerson(ctx context.Context, q mulligan.Question) (i int, waited time.Duration, err error) {
	st := &s.state
	i = slices.IndexFunc(st.Questions, func(was mulligan.Question) bool {
		return was.Text == q.Text && was.Turn == q.Turn && was.Asker == q.Asker
	})
	if i < 0 {
		i = len(st.Questions)
		q.ID = i + 1
		if err := s.record(mulligan.Asked{Question: q}); err != nil {
			return i, 0, err
		}
		if err := s.flush(ctx); err != nil {
			return i, 0, err
		}
	}
	if st.Questions[i].By != "" {
		return i, 0, nil
	}
	waiting := newAsker()
	s.requests.waiting[i+1] = append(s.requests.waiting[i+1], waiting)
	began := s.Clock.Now()
	within, enough := s.limitToDelivery()(ctx)
	defer enough()
	err = s.serveDuring(ctx, func(ctx context.Context) {
		patience, cancel := s.limitPatience(ctx)
		defer cancel()
		select {
		case <-waiting.answer:
		case <-patience.Done():
		case <-within.Done():
		}
	})
	return i, s.since(began), err
}
