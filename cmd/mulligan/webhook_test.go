package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// webhook REQUESTS starts a server on loopback that notices are sent to, and puts its address into WEBHOOK. Every request
// is a line of the file: its path, its idempotency key, two headers and its body. /ok takes it; /flaky refuses two of
// three; /down and /gone always refuse; /slow does not answer; /here leads to /ok, /there to a server on another
// port, whose requests are in the file too, as /other.
func webhook(ts *testscript.TestScript, neg bool, args []string) {
	requests := ts.MkAbs(args[0])
	var mu sync.Mutex
	count := map[string]int{}
	log := func(r *http.Request, path string) int {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		count[path]++
		line := fmt.Sprintf("%s %s key=%s auth=%s type=%s %s\n", r.Method, path, r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), strings.TrimSpace(string(body)))
		if err := appendTo(requests, line); err != nil {
			panic(err)
		}
		return count[path]
	}
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { log(r, "/other") }))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := log(r, r.URL.Path)
		switch r.URL.Path {
		case "/flaky":
			if n%3 != 0 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		case "/down":
			w.WriteHeader(http.StatusInternalServerError)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/slow":
			select {
			case <-r.Context().Done():
			case <-time.After(30 * time.Second):
			}
		case "/here":
			http.Redirect(w, r, "/ok", http.StatusPermanentRedirect)
		case "/there":
			http.Redirect(w, r, other.URL+"/other", http.StatusTemporaryRedirect)
		}
	}))
	ts.Defer(other.Close)
	ts.Defer(server.Close)
	ts.Setenv("WEBHOOK", server.URL)
}
