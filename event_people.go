package mulligan

import "time"

// Who answered a question, or decided how a step goes on.
const (
	ByPerson  = "person"
	ByDefault = "default" // a person was asked, and nobody answered: the default was taken
	ByPolicy  = "policy"  // nobody was asked: the recommendation was taken
	ByLimit   = "limit"   // a limit of the plan
)

// Who asks a question.
const (
	AskerAgent     = "agent"
	AskerHookLimit = "hook limit" // what is to be done about a Stop hook that still blocks
	AskerStrategy  = "strategy"   // how a step goes on after an attempt that failed
)

// A Question is one that a session has for a person, and what became of it.
type Question struct {
	ID       int           `json:"id"` // 1, 2, 3 … in a session
	Text     string        `json:"text"`
	Options  []string      `json:"options,omitempty"` // answers to choose from; none: any text
	Default  string        `json:"default,omitempty"` // the answer that is taken if no person gives one
	Asker    string        `json:"asker"`             // "agent"; a gate's limit, a strategy …
	Scope    string        `json:"scope,omitempty"`   // what the answer AnswerAlways holds for; "": it is none of the answers
	Turn     int           `json:"turn,omitempty"`
	Asked    time.Time     `json:"asked,omitzero"`
	Answer   string        `json:"answer,omitempty"`
	By       string        `json:"by,omitempty"` // "" while it is open
	Answered time.Time     `json:"answered,omitzero"`
	Waited   time.Duration `json:"waited,omitempty"`
}

// AnswerAlways is a person's answer that holds for every question of the same asker and scope, for the rest
// of the session.
const AnswerAlways = "always"

// Covers reports whether a person's answer to the question answers another one too.
func (q Question) Covers(other Question) bool {
	return q.By == ByPerson && q.Answer == AnswerAlways && q.Asker == other.Asker && q.Scope != "" && q.Scope == other.Scope
}

// Assumed reports whether no person answered, and the default was taken.
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
	Heard  bool          `json:"heard,omitempty"`  // the agent that asked waited for it, and got it as it came
}

// Told is what a person said to the agent, which gets it in its next turn.
type Told struct {
	// ID is made by the person's command. Where its session was killed before it could answer, the command stores
	// the message itself, and the same ID twice is one message. Journals of earlier versions have none.
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

// PauseAsked has the session pause when the running turn's gates are through.
type PauseAsked struct {
	By string `json:"by"` // "mulligan pause"
}

func (Asked) Kind() string      { return "question.asked" }
func (Answered) Kind() string   { return "question.answered" }
func (Told) Kind() string       { return "person.told" }
func (PauseAsked) Kind() string { return "session.pausing" }
