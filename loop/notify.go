package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mulligan"
	"mulligan/state"
)

// notices are the deliveries under way in this process.
type notices struct {
	running sync.WaitGroup
	begun   map[string]bool // by the notice's id

	mu   sync.Mutex
	late []mulligan.NotifyEnded // came to their end after the session
}

// recordNotice records the intent to notify a person of what an event says, if they want that.
func (s *Session) recordNotice(b mulligan.Body) error {
	if s.Notify == nil {
		return nil
	}
	notice := s.noticeOf(b)
	if notice == nil {
		return nil
	}
	return s.recordIntent(*notice)
}

// recordIntent records the intent to give a notice, on the ways that the config has for it.
func (s *Session) recordIntent(notice mulligan.Notice) error {
	ways := s.Notify.Ways(notice.Moment)
	if len(ways) == 0 {
		return nil
	}
	return s.recordOne(mulligan.NotifyStarted{ID: fmt.Sprintf("%s-%d", s.id, s.state.Last+1), Notice: notice, Ways: ways})
}

// noticeOf returns what an event has for a person, or nil. It must be called before the event is applied. A
// folder's tasks are told of together, but for those that need a person.
func (s *Session) noticeOf(b mulligan.Body) *mulligan.Notice {
	switch b := b.(type) {
	case mulligan.SessionEnded:
		moment := mulligan.NoticeOfEnding(b.Outcome.Ended)
		if s.state.Plan.Task.Folder != "" && !moment.NeedsPerson() {
			return nil
		}
		return &mulligan.Notice{Moment: moment, Ended: b.Outcome.Ended, Reason: b.Outcome.Reason}
	case mulligan.Asked:
		if s.state.Question(b.Question.ID) != nil || !s.hasPatience() {
			return nil // it was asked before, or gets its default at once
		}
		return &mulligan.Notice{Moment: mulligan.NoticeQuestion, Question: b.Question.ID, Text: b.Question.Text, Options: b.Question.Options}
	case mulligan.GuardClaimed:
		var over []string
		for _, claimed := range b.Items {
			item := s.state.Guard.Item(claimed.Key)
			if claimed.Status == mulligan.ItemOver && (item == nil || item.Status != mulligan.ItemOver) {
				over = append(over, claimed.Content)
			}
		}
		if len(over) > 0 {
			return &mulligan.Notice{Moment: mulligan.NoticeGuard, Text: strings.Join(over, "; ")}
		}
	}
	return nil
}

// hasPatience reports whether a question waits for a person.
func (s *Session) hasPatience() bool {
	return s.state.Plan.People.Ask || s.Attended != nil && s.Attended()
}

// sendNotices begins to send what the journal has the intent to send, beside everything else that the session
// does. What an earlier process had begun, and was killed in, is sent again with the same id.
func (s *Session) sendNotices(ctx context.Context) {
	if s.Notify == nil || len(s.state.Notifying) == 0 {
		return
	}
	if s.notices.begun == nil {
		s.notices.begun = map[string]bool{}
	}
	ctx = context.WithoutCancel(ctx)
	for _, n := range s.state.Notifying {
		if s.notices.begun[n.ID] {
			continue
		}
		s.notices.begun[n.ID] = true
		n.Ways = slices.DeleteFunc(slices.Clone(n.Ways), func(way string) bool { return way == mulligan.WayBell })
		d := mulligan.Delivery{NotifyStarted: n, Summary: s.state.Summary(), Usage: s.state.Spent.Usage, Turns: s.state.Spent.Turns}
		s.notices.running.Go(func() { s.sendNotice(ctx, d) })
	}
}

// sendNotice sends one notice and has the result stored: by the session while it runs, by AwaitNotices later.
func (s *Session) sendNotice(ctx context.Context, d mulligan.Delivery) {
	end := mulligan.NotifyEnded{ID: d.ID, Results: s.sendGuarded(ctx, d)}
	if s.Do(ctx, func(*state.State) ([]mulligan.Body, error) { return []mulligan.Body{end}, nil }) == nil {
		return
	}
	s.notices.mu.Lock()
	defer s.notices.mu.Unlock()
	s.notices.late = append(s.notices.late, end)
}

// sendGuarded makes a fault of a way's own a result: it never ends the session.
func (s *Session) sendGuarded(ctx context.Context, d mulligan.Delivery) (results []mulligan.NotifyResult) {
	defer func() {
		if fault := newPanicError(recover()); fault != nil {
			results = append(results, mulligan.NotifyResult{Way: strings.Join(d.Ways, ", "), Note: fault.Error()})
		}
	}()
	return s.Notify.Send(ctx, d)
}

// AwaitNotices waits for the notices that are under way when the session has ended, and stores what became of
// them. The ways have their own time limits.
func (s *Session) AwaitNotices(ctx context.Context) error {
	s.notices.running.Wait()
	s.notices.mu.Lock()
	late := s.notices.late
	s.notices.late = nil
	s.notices.mu.Unlock()
	for _, end := range late {
		if err := s.record(end); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

// ResendNotices sends what a process that was killed had the intent to send, of a session that has ended.
func (s *Session) ResendNotices(ctx context.Context, state *state.State) error {
	s.adopt(state)
	s.requests.close()
	s.sendNotices(ctx)
	return s.AwaitNotices(ctx)
}

// NotifyFolder notifies a person that the tasks of a folder have ended. state is that of its last session.
func (s *Session) NotifyFolder(ctx context.Context, state *state.State, notice mulligan.Notice) error {
	s.adopt(state)
	s.requests.close()
	if err := s.recordIntent(notice); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.sendNotices(ctx)
	return s.AwaitNotices(ctx)
}
