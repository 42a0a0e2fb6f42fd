package mulligan

import "time"

// Who answered a question.
const (
	ByPerson  = "person"
	ByDefault = "default" // nobody: what is taken then
)

// A Question is one that a session has for a person, and what became of it.
type Question struct {
	ID       int           `json:"id"` // 1, 2, 3 … in a session
	Text     string        `json:"text"`
	Options  []string      `json:"options,omitempty"` // answers to choose from; none: any text
	Default  string        `json:"default,omitempty"` // what is taken when nobody answers
	Asker    string        `json:"asker"`             // "agent"; a gate's limit, a strategy …
	Turn     int           `json:"turn,omitempty"`
	Asked    time.Time     `json:"asked,omitzero"`
	Answer   string        `json:"answer,omitempty"`
	By       string        `json:"by,omitempty"` // "" while it is open
	Answered time.Time     `json:"answered,omitzero"`
	Waited   time.Duration `json:"waited,omitempty"`
}

// Assumed says that nobody answered.
func (q Question) Assumed() bool { return q.By == ByDefault }

// Asked is a question that waits for a person.
type Asked struct {
	Question Question `json:"question"`
}

// Answered closes a question.
type Answered struct {
	ID     int           `json:"id"`
	Text   string        `json:"text"`
	By     string        `json:"by"`
	Waited time.Duration `json:"waited,omitempty"` // of the session's time: no limit counts it
}

// Told is what a person said to the agent. It reaches it in its next turn.
type Told struct {
	Text string `json:"text"`
}

// PauseAsked says that the session pauses when the running turn's gates are through.
type PauseAsked struct {
	By string `json:"by"` // "mulligan pause"
}

func (Asked) Kind() string      { return "question.asked" }
func (Answered) Kind() string   { return "question.answered" }
func (Told) Kind() string       { return "person.told" }
func (PauseAsked) Kind() string { return "session.pausing" }

// question is the one with an id, nil where there is none.
func (s *State) question(id int) *Question {
	if id < 1 || id > len(s.Questions) {
		return nil
	}
	return &s.Questions[id-1]
}

func (s *State) answer(e Event, b Answered) {
	q := s.question(b.ID)
	q.Answer, q.By, q.Answered, q.Waited = b.Text, b.By, e.Time, b.Waited
	if q.Asker == askedAtLimit {
		s.deliverFor(b.Waited)
	}
	if s.InFlight == nil || q.Turn != s.InFlight.Turn {
		return // nobody's turn has waited
	}
	s.spend(-b.Waited)
}

// OpenQuestions are those that wait for a person.
func (s *State) OpenQuestions() []Question {
	var open []Question
	for _, q := range s.Questions {
		if q.By == "" {
			open = append(open, q)
		}
	}
	return open
}

// ofPeople applies what people say, and says whether that was it.
func (s *State) ofPeople(e Event) bool {
	switch b := e.Body.(type) {
	case Asked:
		b.Question.Asked = e.Time
		if q := s.question(b.Question.ID); q != nil {
			*q = b.Question // asked again, by a turn that is given again
		} else {
			s.Questions = append(s.Questions, b.Question)
		}
	case Answered:
		s.answer(e, b)
	case Told:
		s.Told = append(s.Told, b)
		s.Pending = append(s.Pending, Piece{Event: e.Number, Text: b.Text})
	case PauseAsked:
		s.Pausing = "by " + b.By
	default:
		return false
	}
	return true
}
