package e2e

import (
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/process"
)

// nobodyAtFirst: the model's address refuses until it is told that it does.
func nobodyAtFirst(s *stage) func() {
	address, listen := refusing(s.t)
	s.atAddress(address)
	return func() {
		if s.until(func() bool {
			return strings.Contains(s.logs(), "trying again in") || strings.Contains(s.logs(), "[codex: ")
		}) {
			s.forward(listen)
		}
	}
}

// interrupted: the program alone gets the signal, while its model thinks.
func interrupted(s *stage) func() {
	return func() {
		if !s.until(func() bool { return len(s.model.Asked()) > 0 }) {
			return
		}
		text, err := os.ReadFile(s.path + ".pid")
		if err != nil {
			s.t.Error(err)
			return
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			s.t.Error(err)
			return
		}
		program, err := os.FindProcess(pid)
		if err == nil {
			err = program.Signal(os.Interrupt)
		}
		if err != nil {
			s.t.Error(err)
		}
	}
}

// until waits for something to be so, as long as the test may take.
func (s *stage) until(so func() bool) bool {
	for !so() {
		select {
		case <-s.t.Context().Done():
			return false
		case <-time.After(50 * time.Millisecond):
		}
	}
	return true
}

// atAddress has the program look for its model there.
func (s *stage) atAddress(address string) {
	s.t.Helper()
	for i, kv := range s.env {
		if name, value, _ := strings.Cut(kv, "="); strings.HasSuffix(name, "_BASE_URL") && value == s.model.URL {
			s.env[i] = name + "=http://" + address
		}
	}
	home, _ := process.Lookup(s.env, "CODEX_HOME")
	if home == "" {
		return
	}
	config := filepath.Join(home, "config.toml")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, []byte(strings.ReplaceAll(string(text), s.model.URL, "http://"+address)), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// forward listens, and hands what comes to the model.
func (s *stage) forward(listen func() (net.Listener, error)) {
	to, err := url.Parse(s.model.URL)
	if err != nil {
		s.t.Error(err)
		return
	}
	listener, err := listen()
	if err != nil {
		s.t.Error(err)
		return
	}
	server := &http.Server{Handler: httputil.NewSingleHostReverseProxy(to), ReadHeaderTimeout: outer}
	s.t.Cleanup(func() { server.Close() })
	go server.Serve(listener) // until it is closed
}

// logs are what the agent printed, in all turns so far.
func (s *stage) logs() string {
	var out strings.Builder
	filepath.WalkDir(s.state, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && strings.HasPrefix(name, "turn-") && strings.HasSuffix(name, ".log") {
			if text, err := os.ReadFile(path); err == nil { // it may be on its way
				out.Write(text)
			}
		}
		return nil
	})
	return out.String()
}
