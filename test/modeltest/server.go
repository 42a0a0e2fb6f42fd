package modeltest

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Key is the key that programs are given. A request with another is marked in the log.
const Key = "stand-in-key-of-no-value"

// bodyMost bounds what is read of a request.
const bodyMost = 64 << 20

// A Server is a stand-in at work. Close ends it.
type Server struct {
	// URL is http://127.0.0.1:PORT.
	URL string

	script Script
	http   *http.Server
	done   chan struct{} // closed by Close, so that nothing hangs beyond it

	mu   sync.Mutex
	used []int
	log  []Request
	made int // ids given out
}

// Start begins to answer on a port of 127.0.0.1 that the system chooses.
func Start(script Script) (*Server, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the stand-in for the model: %w", err)
	}
	s := &Server{
		URL: "http://" + listener.Addr().String(), script: script,
		used: make([]int, len(script.Turns)), done: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go s.http.Serve(listener) // ends with Close
	return s, nil
}

// Close ends the stand-in and every connection to it. It may be called twice.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.done:
	default:
		close(s.done)
	}
	s.mu.Unlock()
	s.http.Close()
}

// Log is every request so far, in the order in which they came.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Asked is the log without side requests, counts and unknown paths: what the agent itself asked.
func (s *Server) Asked() []Request {
	return slices.DeleteFunc(s.Log(), func(r Request) bool { return r.API == "" || r.Side || r.Count })
}

// Left is how many turns of the script have never been given.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, used := range s.used {
		if used == 0 {
			n++
		}
	}
	return n
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, bodyMost))
	if err != nil {
		return // the client is gone
	}
	q := newRequest(r, body)
	api := find(r)
	if q.Stray {
		q.Status = http.StatusForbidden
		s.keep(q)
		http.Error(w, "no way out of this machine", q.Status)
		return
	}
	if api == nil {
		q.Status = http.StatusNotFound
		s.keep(q)
		http.Error(w, "the stand-in does not know "+r.URL.Path, q.Status)
		return
	}
	if err := api.read(r, body, &q); err != nil {
		q.Status = http.StatusBadRequest
		s.keep(q)
		http.Error(w, "the stand-in cannot read the request: "+err.Error(), q.Status)
		return
	}
	q.Side = len(q.Tools) == 0
	a := s.choose(&q)
	s.answer(r.Context(), w, api, q, a)
}

// choose finds the answer and keeps the request, in one step: the log is in the order in
// which turns were given.
func (s *Server) choose(q *Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.script.pick(q, s.used)
	q.Status = http.StatusOK
	if a.Fault != nil {
		q.Status = a.Fault.Status
	}
	s.log = append(s.log, *q)
	return a
}

func (s Script) pick(q *Request, used []int) Answer {
	switch {
	case q.Count:
		return Answer{}
	case q.Side && q.JSON:
		return Answer{Text: `{"title":"a side request","reasoning":"scripted","next_speaker":"user"}`}
	case q.Side && s.Side != "":
		return Answer{Text: s.Side}
	case q.Side:
		return Answer{Text: "a side request"}
	}
	if q.Turn = pick(s.Turns, used, *q); q.Turn >= 0 {
		return s.Turns[q.Turn].Answer
	}
	if s.Else != nil {
		return *s.Else
	}
	return Answer{Fault: &Fault{
		Status:  http.StatusBadRequest,
		Message: "the script has no turn for this: " + tail(q.Newest(), 300),
	}}
}

func tail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}

func (s *Server) keep(q Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, q)
}

// id gives an id that no other answer of this server has.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return prefix + fmt.Sprintf("%06d", s.made)
}

// wait says whether the time passed with the client still there.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}

func (s *Server) fail(w http.ResponseWriter, api api, f Fault) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	if f.Body != "" {
		w.WriteHeader(f.Status)
		io.WriteString(w, f.Body) // a client that is gone has no use for it
		return
	}
	if f.Message == "" {
		f.Message = fmt.Sprintf("scripted: status %d", f.Status)
	}
	writeJSON(w, f.Status, api.fault(f))
}
