// Package modeltest is a stand-in for the models behind agent programs: an HTTP server on
// 127.0.0.1 that plays a script in the forms of Anthropic Messages, OpenAI Responses and
// Chat Completions, and Gemini. With it the real programs are tested without a key, a
// network or a token spent.
package modeltest

import (
	"encoding/json"
	"strconv"
	"time"
)

// A Script holds the answers of the model.
type Script struct {
	Turns []Turn
	// Else answers requests that no turn fits. Without it they get an error, so that a script
	// that is too short is noticed.
	Else *Answer
	// Side is the answer to requests without tools: programs ask for titles and summaries on
	// the side. They use up no turn but those that are for them.
	Side string
}

// A Turn is one answer, and when it is given. Of the turns whose When is in the newest message,
// the one that occurs nearest to its end is taken; where there is none, the first that is left of
// those without a When.
type Turn struct {
	When  string
	In    string // a text that the conversation must contain anywhere
	Times int    // how often it may be given; 0 is once, below 0 without end
	Bare  bool   // it is for a request without tools
	Answer
}

// An Answer is the response to one request.
type Answer struct {
	Text     string
	Thinking string
	Calls    []Call
	// Stop is the reason that the API reports for the model's stop; "" is the usual one.
	Stop   string
	Usage  Usage // the zero value is DefaultUsage
	Header map[string]string

	Fault *Fault // an error instead of an answer

	Delay time.Duration // before the first byte
	Pace  time.Duration // between the pieces of the stream
	Cut   bool          // the connection breaks in the middle
	Hang  bool          // the stream stops in the middle, until the client disconnects
}

// A Call asks the program to use one of its tools.
type Call struct {
	ID    string // "" gets a new one
	Name  string
	Input any // becomes a JSON object
	// Free is the input of a tool that takes plain text (Codex's apply_patch); only the
	// Responses API has those.
	Free string
	// Namespace is what the Responses API puts some tools under.
	Namespace string
}

// Usage is the number of tokens that an answer claims to have cost. Input includes what was
// cached.
type Usage struct {
	Input  int
	Cached int
	Output int
}

// DefaultUsage is the usage of an answer that names none.
var DefaultUsage = Usage{Input: 120, Cached: 20, Output: 30}

// A Fault is an HTTP error.
type Fault struct {
	Status     int
	Type       string // the API's name for it; "" is the one for the status
	Code       string // OpenAI's code for it
	Message    string
	RetryAfter int    // seconds
	Body       string // instead of the API's own form
}

// Say returns a turn that answers with a text and ends.
func Say(text string) Turn { return Turn{Answer: Answer{Text: text}} }

// Use returns a turn that calls tools.
func Use(calls ...Call) Turn { return Turn{Answer: Answer{Calls: calls}} }

// Fail returns a turn that is an error.
func Fail(f Fault) Turn { return Turn{Answer: Answer{Fault: &f}} }

// Limited returns a turn that is refused because a subscription's five hours are used up, in
// Anthropic's form.
func Limited(until time.Time) Turn {
	reset := strconv.FormatInt(until.Unix(), 10)
	t := Fail(Fault{Status: 429})
	t.Header = map[string]string{
		"anthropic-ratelimit-unified-status":               "rejected",
		"anthropic-ratelimit-unified-reset":                reset,
		"anthropic-ratelimit-unified-representative-claim": "five_hour",
		"anthropic-ratelimit-unified-5h-status":            "rejected",
		"anthropic-ratelimit-unified-5h-reset":             reset,
	}
	return t
}

// At returns the turn for a newest message that contains text.
func (t Turn) At(text string) Turn {
	t.When = text
	return t
}

// Always returns the turn for every time that it fits.
func (t Turn) Always() Turn {
	t.Times = -1
	return t
}

// WithoutTools returns the turn for a request that offers the model no tools: an agent that judges
// has none.
func (t Turn) WithoutTools() Turn {
	t.Bare = true
	return t
}

func (c Call) argumentsJSON() string {
	if c.Input == nil {
		return "{}"
	}
	text, err := json.Marshal(c.Input)
	if err != nil {
		return "{}"
	}
	return string(text)
}

func (a Answer) usageOrDefault() Usage {
	if a.Usage == (Usage{}) {
		return DefaultUsage
	}
	return a.Usage
}
