package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// An api is one form of asking a model.
type api interface {
	// readBody fills in q from the request's body.
	readBody(r *http.Request, body []byte, q *Request) error
	// streamEvents returns an answer as the events of a stream; its text is in several.
	streamEvents(r reply) []streamEvent
	// wholeBody returns an answer as one JSON body.
	wholeBody(r reply) any
	// faultBody returns the JSON body of an HTTP error.
	faultBody(f Fault) any
}

// A streamEvent is one event of a stream. Its text takes the place of data that is no JSON.
type streamEvent struct {
	name string
	data any
	text string
}

// A reply is an answer with its ids and the request that it is for.
type reply struct {
	Answer
	id      string
	request Request
}

// findAPI returns the API that a path belongs to, or nil if the stand-in does not know it.
func findAPI(r *http.Request) api {
	switch {
	case r.Method != http.MethodPost:
		return nil
	case anthropicPath(r.URL.Path):
		return anthropic{}
	case responsesPath(r.URL.Path):
		return responses{}
	case chatPath(r.URL.Path):
		return chat{}
	case geminiPath(r.URL.Path):
		return gemini{}
	}
	return nil
}

// writeAnswer sends an answer with its delays and faults. It panics with http.ErrAbortHandler to
// break the connection.
func (s *Server) writeAnswer(ctx context.Context, w http.ResponseWriter, api api, q Request, a Answer) {
	if !s.wait(ctx, a.Delay) {
		panic(http.ErrAbortHandler)
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Fault != nil {
		s.writeFault(w, api, *a.Fault)
		return
	}
	calls := a.Calls
	a.Calls = make([]Call, len(calls))
	for i, c := range calls {
		if c.ID == "" {
			c.ID = s.newID("call_")
		}
		a.Calls[i] = c
	}
	r := reply{Answer: a, id: s.newID("answer_"), request: q}
	if q.Stream && !q.Count {
		s.writeStream(ctx, w, r, api.streamEvents(r))
		return
	}
	if a.Cut || a.Hang {
		w.Header().Set("Content-Length", "1000000")
		w.WriteHeader(http.StatusOK)
		w.Write([]byte("{"))
		s.breakOff(ctx, w, a)
	}
	writeJSON(w, http.StatusOK, api.wholeBody(r))
}

// writeStream writes server-sent events.
func (s *Server) writeStream(ctx context.Context, w http.ResponseWriter, r reply, events []streamEvent) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	for i, e := range events {
		if i == (len(events)+1)/2 && (r.Cut || r.Hang) {
			s.breakOff(ctx, w, r.Answer)
		}
		if i > 0 && !s.wait(ctx, r.Pace) {
			panic(http.ErrAbortHandler)
		}
		if err := writeEvent(w, e); err != nil {
			return // the client is gone
		}
		flush(w)
	}
}

// breakOff ends an answer in its middle: at once, or after a silence that only the client or Close
// ends.
func (s *Server) breakOff(ctx context.Context, w http.ResponseWriter, a Answer) {
	flush(w)
	if a.Hang {
		select {
		case <-ctx.Done():
		case <-s.done:
		}
	}
	panic(http.ErrAbortHandler)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeEvent(w http.ResponseWriter, e streamEvent) error {
	text := []byte(e.text)
	if e.text == "" {
		var err error
		if text, err = json.Marshal(e.data); err != nil {
			return err
		}
	}
	if e.name != "" {
		if _, err := fmt.Fprintf(w, "event: %s\n", e.name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "data: %s\n\n", text)
	return err
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text) // a client that is gone has no use for it
}

// splitText cuts text into a few parts, so that a stream has a middle.
func splitText(text string) []string {
	const most = 4
	runes := []rune(text)
	size := max(1, (len(runes)+most-1)/most)
	var out []string
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
