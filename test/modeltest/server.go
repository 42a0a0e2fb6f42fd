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

// Key is the key that programs are given. The log marks a request with another one.
const Key = "stand-in-key-of-no-value"

// maxBody bounds what is read of a request.
const maxBody = 64 << 20

// A Server is a running stand-in. Its methods are safe for concurrent use.
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

// Start listens on a port of 127.0.0.1 that the system chooses, and plays the script until Close.
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

// Log returns every request so far, in the order in which they came.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Asked returns the log without side requests, counts and unknown paths: the agent's own requests.
func (s *Server) Asked() []Request {
	return slices.DeleteFunc(s.Log(), func(r Request) bool { return r.API == "" || r.Side || r.Count })
}

// Left returns how many turns of the script have never been given.
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
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client is gone
	}
	q := newRequest(r, body)
	api := findAPI(r)
	if q.Stray {
		q.Status = http.StatusForbidden
		s.logRequest(q)
		http.Error(w, "no way out of this machine", q.Status)
		return
	}
	if api == nil {
		q.Status = http.StatusNotFound
		s.logRequest(q)
		http.Error(w, "the stand-in does not know "+r.URL.Path, q.Status)
		return
	}
	if err := api.readBody(r, body, &q); err != nil {
		q.Status = http.StatusBadRequest
		s.logRequest(q)
		http.Error(w, "the stand-in cannot read the request: "+err.Error(), q.Status)
		return
	}
	q.Side = len(q.Tools) == 0
	a := s.chooseAnswer(&q)
	s.writeAnswer(r.Context(), w, api, q, a)
}

// chooseAnswer picks the answer and logs the request in one step, so that the log is in the order
// in which turns were given.
func (s *Server) chooseAnswer(q *Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.script.pickAnswer(q, s.used)
	q.Status = http.StatusOK
	if a.Fault != nil {
		q.Status = a.Fault.Status
	}
	s.log = append(s.log, *q)
	return a
}

// pickAnswer returns the answer to a request and sets q.Turn to the turn that it is of, if any.
func (s Script) pickAnswer(q *Request, used []int) Answer {
	if !q.Count {
		if q.Turn = pickTurn(s.Turns, used, *q); q.Turn >= 0 {
			return s.Turns[q.Turn].Answer
		}
	}
	switch {
	case q.Count:
		return Answer{}
	case q.Side && q.JSON:
		return Answer{Text: `{"title":"a side request","reasoning":"scripted","next_speaker":"user"}`}
	case q.Side && s.Side != "":
		return Answer{Text: s.Side}
	case q.Side:
		return Answer{Text: "a side request"}
	case s.Else != nil:
		return *s.Else
	}
	return Answer{Fault: &Fault{
		Status:  http.StatusBadRequest,
		Message: "the script has no turn for this: " + clipFront(q.Newest(), 300),
	}}
}

// clipFront returns the end of s, of at most so many bytes.
func clipFront(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}

func (s *Server) logRequest(q Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, q)
}

// newID returns an id that no other answer of this server has.
func (s *Server) newID(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return prefix + fmt.Sprintf("%06d", s.made)
}

// wait waits, and reports whether the client is still there.
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

// writeFault answers with an HTTP error in the API's form.
func (s *Server) writeFault(w http.ResponseWriter, api api, f Fault) {
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
	writeJSON(w, f.Status, api.faultBody(f))
}
