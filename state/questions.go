package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
)

// FindAnswered returns a question of the same words, and of the same asker, that a person has answered,
// or that got its default in this turn, or else one whose answer covers this one; nil if there is none.
func (s *State) FindAnswered(want mulligan.Question) *mulligan.Question {
	for _, q := range slices.Backward(s.Questions) {
		if q.Text == want.Text && q.Asker == want.Asker && (q.By == mulligan.ByPerson || q.By == mulligan.ByDefault && q.Turn == s.Turn) {
			return &q
		}
	}
	for _, q := range s.Questions {
		if q.Covers(want) {
			return &q
		}
	}
	return nil
}

// FindOpenQuestion returns the id of an open question of the same words and asker, 0 if there is none.
func (s *State) FindOpenQuestion(want mulligan.Question) int {
	for _, q := range s.Questions {
		if q.By == "" && q.Text == want.Text && q.Asker == want.Asker {
			return q.ID
		}
	}
	return 0
}

// AnswerTo returns a person's answer to a question, or an error that says why it cannot be one. id 0
// means the oldest open question. now is zero where nothing has waited for the answer.
func (s *State) AnswerTo(id int, text string, now time.Time) (mulligan.Answered, error) {
	open := s.OpenQuestions()
	if id == 0 && len(open) > 0 {
		id = open[0].ID
	}
	q := s.Question(id)
	switch {
	case id == 0:
		return mulligan.Answered{}, fmt.Errorf("no question is open")
	case q == nil:
		return mulligan.Answered{}, fmt.Errorf("there is no question %d", id)
	case q.By == mulligan.ByPerson:
		return mulligan.Answered{}, fmt.Errorf("question %d is answered already: %s", id, q.Answer)
	case len(q.Options) > 0 && !slices.Contains(q.Options, text):
		return mulligan.Answered{}, fmt.Errorf("question %d is answered by one of %s", id, strings.Join(q.Options, ", "))
	}
	a := mulligan.Answered{ID: id, Text: text, By: mulligan.ByPerson}
	if q.By == "" && !now.IsZero() {
		a.Waited = max(0, now.Sub(q.Asked))
	}
	return a, nil
}

// Question returns the question with an id, or nil if there is none.
func (s *State) Question(id int) *mulligan.Question {
	if id < 1 || id > len(s.Questions) {
		return nil
	}
	return &s.Questions[id-1]
}

// OpenQuestions returns the questions that wait for a person.
func (s *State) OpenQuestions() []mulligan.Question {
	var open []mulligan.Question
	for i, q := range s.Questions {
		if q.By == "" && !s.IsOvertaken(i) {
			open = append(open, q)
		}
	}
	return open
}

// IsOvertaken reports whether question i was about a retry that is no longer to be decided: the session asked
// another one since, or continued without an answer.
func (s *State) IsOvertaken(i int) bool {
	isRetry := func(q mulligan.Question) bool { return q.Asker == mulligan.AskerStrategy }
	return isRetry(s.Questions[i]) && (s.Questions[i].Turn != s.Turn || slices.ContainsFunc(s.Questions[i+1:], isRetry))
}
