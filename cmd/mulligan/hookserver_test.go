package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// hookserver REQUESTS ANSWER starts a server on loopback for hooks of type http, and puts its
// address into HOOK_SERVER. What it is sent goes to the first file. The first request to /stop is
// answered with the second file, later ones with nothing; other addresses it does not know.
func hookserver(ts *testscript.TestScript, neg bool, args []string) {
	requests, answer := ts.MkAbs(args[0]), ts.ReadFile(args[1])
	var mu sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		text := fmt.Sprintf("%s %s %s %s\n%s", r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), body)
		if err == nil {
			err = appendTo(requests, text)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		io.WriteString(w, answer)
		answer = ""
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("HOOK_SERVER", server.URL)
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
