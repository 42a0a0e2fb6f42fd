package modeltest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// An api is one form of asking a model.
type api interface {
	// read fills in what the request's body says.
	read(r *http.Request, body []byte, q *Request) error
	// pieces is an answer as the events of a stream; text comes in several.
	pieces(r reply) []piece
	// whole is an answer as one JSON body.
	whole(r reply) any
	fault(f Fault) any
}

// A piece is one event of a stream. Text stands for data that is no JSON.
type piece struct {
	event string
	data  any
	text  string
}

// A reply is an answer on its way, with its ids.
type reply struct {
	Answer
	id      string
	request Request
}

// find gives the API that a path belongs to.
func find(r *http.Request) api {
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

func (s *Server) answer(ctx context.Context, w http.ResponseWriter, api api, q Request, a Answer) {
	if !s.wait(ctx, a.Delay) {
		panic(http.ErrAbortHandler)
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Fault != nil {
		s.fail(w, api, *a.Fault)
		return
	}
	calls := a.Calls
	a.Calls = make([]Call, len(calls))
	for i, c := range calls {
		if c.ID == "" {
			c.ID = s.id("call_")
		}
		a.Calls[i] = c
	}
	r := reply{Answer: a, id: s.id("answer_"), request: q}
	if q.Stream && !q.Count {
		s.stream(ctx, w, r, api.pieces(r))
		return
	}
	if a.Cut || a.Hang {
		w.Header().Set("Content-Length", "1000000")
		w.WriteHeader(http.StatusOK)
		w.Write([]byte("{"))
		s.breakOff(ctx, w, a)
	}
	writeJSON(w, http.StatusOK, api.whole(r))
}

// stream writes server-sent events.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, r reply, pieces []piece) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	for i, p := range pieces {
		if i == (len(pieces)+1)/2 && (r.Cut || r.Hang) {
			s.breakOff(ctx, w, r.Answer)
		}
		if i > 0 && !s.wait(ctx, r.Pace) {
			panic(http.ErrAbortHandler)
		}
		if err := writeEvent(w, p); err != nil {
			return // the client is gone
		}
		flush(w)
	}
}

// breakOff ends an answer in its middle: at once, or after a silence that only the
// client ends.
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

func writeEvent(w http.ResponseWriter, p piece) error {
	text := []byte(p.text)
	if p.text == "" {
		var err error
		if text, err = json.Marshal(p.data); err != nil {
			return err
		}
	}
	if p.event != "" {
		if _, err := fmt.Fprintf(w, "event: %s\n", p.event); err != nil {
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

// chunks cuts text into some pieces, so that a stream has a middle.
func chunks(text string) []string {
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
