package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The APIs that the stand-in speaks.
const (
	Anthropic = "anthropic"
	Responses = "responses"
	Chat      = "chat"
	Gemini    = "gemini"
)

// A Request is what a program asked, in terms that all the APIs share.
type Request struct {
	At       time.Time
	API      string // "" for a path that the stand-in does not know
	Method   string
	Path     string // without keys
	Header   http.Header
	Model    string
	System   string
	Messages []Message
	Tools    []string
	Stream   bool
	Body     json.RawMessage

	Side   bool // it offers no tools: it asks for a title or a summary
	Count  bool // it asks only how many tokens it would be
	JSON   bool // it wants its answer as JSON
	Turn   int  // the turn of the script that answered it, from 0; -1 for none
	Status int  // the HTTP status of the answer
	// Stray is set for a request to another machine, which came here because the stand-in is
	// the program's proxy. It was refused.
	Stray bool
	// Foreign is set for a request with another key than Key: the program found credentials
	// that the test did not give it.
	Foreign bool
}

// A Message is one message of the conversation.
type Message struct {
	Role    string // system, user, assistant, tool
	Text    string
	Calls   []Call
	Results []Result
}

// A Result is the result of a tool.
type Result struct {
	ID    string // of the call
	Text  string
	Error bool
}

// String returns all the text of a message, its results included.
func (m Message) String() string {
	parts := []string{m.Text}
	for _, r := range m.Results {
		parts = append(parts, r.Text)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// Newest returns all the text that was said to the model since it last spoke.
func (r Request) Newest() string {
	last := 0
	for i, m := range r.Messages {
		if m.Role == "assistant" {
			last = i + 1
		}
	}
	return joinTexts(r.Messages[last:])
}

// Conversation returns all the text of the request's messages.
func (r Request) Conversation() string { return joinTexts(r.Messages) }

func joinTexts(messages []Message) string {
	var parts []string
	for _, m := range messages {
		parts = append(parts, m.String())
	}
	return strings.Join(parts, "\n")
}

// keyHeaders are the headers that hold credentials. The log does not keep them.
var keyHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization"}

// newRequest returns the part of an HTTP request that may be logged.
func newRequest(r *http.Request, body []byte) Request {
	q := Request{At: time.Now(), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Turn: -1}
	if r.Method == http.MethodConnect || r.URL.Host != "" {
		q.Stray = true
		q.Path = r.Host + r.URL.Path
	}
	query := r.URL.Query()
	for _, key := range append(query["key"], credentials(r.Header)...) {
		q.Foreign = q.Foreign || key != Key
	}
	query.Del("key")
	if len(query) > 0 {
		q.Path += "?" + query.Encode()
	}
	for _, name := range keyHeaders {
		q.Header.Del(name)
	}
	if json.Valid(body) {
		q.Body = bytes.Clone(body)
	}
	return q
}

// credentials returns the keys and tokens in the headers.
func credentials(h http.Header) []string {
	var found []string
	for _, name := range keyHeaders {
		for _, v := range h[name] {
			found = append(found, strings.TrimPrefix(v, "Bearer "))
		}
	}
	return found
}
