// Package modeltest is a stand-in for the models behind agent programs: an HTTP server on
// 127.0.0.1 that plays a script in the forms of Anthropic Messages, OpenAI Responses and
// Chat Completions, and Gemini. With it the real programs are tested without a key, a
// network or a token spent.
package modeltest

import (
	"encoding/json"
	"time"
)

// A Script is what the model will say.
type Script struct {
	Turns []Turn `json:"turns"`
	// Else answers what no turn fits. Without it such a request is an error of the model's
	// side, so that a script that is too short shows.
	Else *Answer `json:"else,omitempty"`
	// Side is the text that requests without tools get: programs ask for titles and
	// summaries on the side. They use up no turn.
	Side string `json:"side,omitempty"`
}

// A Turn is one answer, and when it is given. Of the turns whose When stands in the newest
// message, the one that stands nearest to its end is taken; where none does, the first that is
// left of those without a When.
type Turn struct {
	When   string `json:"when,omitempty"`
	In     string `json:"in,omitempty"`    // only where this stands anywhere in the conversation
	Times  int    `json:"times,omitempty"` // how often it may be given; 0 is once, below 0 without end
	Answer
}

// An Answer is what one request gets.
type Answer struct {
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	Calls    []Call `json:"calls,omitempty"`
	// Stop is why the model stopped, in the API's own words; "" is the usual reason.
	Stop   string            `json:"stop,omitempty"`
	Usage  Usage             `json:"usage,omitzero"` // nothing given is DefaultUsage
	Header map[string]string `json:"header,omitempty"`

	Fault *Fault `json:"fault,omitempty"` // an error instead of an answer

	Delay time.Duration `json:"-"`              // before the first byte
	Pace  time.Duration `json:"-"`              // between the pieces of the stream
	Cut   bool          `json:"cut,omitempty"`  // the connection breaks in the middle
	Hang  bool          `json:"hang,omitempty"` // in the middle it falls silent, until the client goes
}

// A Call asks the program to use one of its tools.
type Call struct {
	ID    string `json:"id,omitempty"` // made up where it is empty
	Name  string `json:"name"`
	Input any    `json:"input,omitempty"` // becomes a JSON object
	// Free is the input of a tool that takes plain text (Codex's apply_patch); only the
	// Responses API has those.
	Free string `json:"free,omitempty"`
	// Namespace is what the Responses API puts some tools under.
	Namespace string `json:"namespace,omitempty"`
}

// Usage is what an answer is said to have cost. Input includes what was cached.
type Usage struct {
	Input  int `json:"input,omitempty"`
	Cached int `json:"cached,omitempty"`
	Output int `json:"output,omitempty"`
}

// DefaultUsage is the usage of an answer that names none.
var DefaultUsage = Usage{Input: 120, Cached: 20, Output: 30}

// A Fault is an HTTP error.
type Fault struct {
	Status     int    `json:"status"`
	Type       string `json:"type,omitempty"` // in the API's own words; "" is what fits the status
	Code       string `json:"code,omitempty"` // OpenAI's second word for it
	Message    string `json:"message,omitempty"`
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
	Body       string `json:"body,omitempty"`        // instead of the API's own form
}

// Say is a turn that says something and ends.
func Say(text string) Turn { return Turn{Answer: Answer{Text: text}} }

// Use is a turn that calls tools.
func Use(calls ...Call) Turn { return Turn{Answer: Answer{Calls: calls}} }

// Fail is a turn that is an error.
func Fail(f Fault) Turn { return Turn{Answer: Answer{Fault: &f}} }

// At gives the turn when the newest message contains text.
func (t Turn) At(text string) Turn {
	t.When = text
	return t
}

// Always gives the turn as often as it fits.
func (t Turn) Always() Turn {
	t.Times = -1
	return t
}

func (c Call) arguments() string {
	if c.Input == nil {
		return "{}"
	}
	text, err := json.Marshal(c.Input)
	if err != nil {
		return "{}"
	}
	return string(text)
}

func (a Answer) usage() Usage {
	if a.Usage == (Usage{}) {
		return DefaultUsage
	}
	return a.Usage
}
