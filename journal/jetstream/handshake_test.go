//go:build unix

package jetstream_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan/journal/jetstream"
)

func TestHostRefusesOtherGreetings(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, jetstream.Session)
	_, socket := lockText(t, dir)
	for greeting, want := range map[string]string{
		"mulligan 2 v9.0\n":       "no the host is mulligan test (process ",
		"GET / HTTP/1.1\r\n\r\n":  "no that is not mulligan's greeting",
		"mulligan 1\n":            "no that is not mulligan's greeting",
		strings.Repeat("x", 5000): "",
		"CONNECT {}\r\nPING\r\n":  "no that is not mulligan's greeting",
		"mulligan 1 v0.0\nPING\n": "ok 1 test ",
	} {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprint(conn, greeting)
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, want) || want == "" && line != "" {
			t.Errorf("%.20q is answered %q, want %q", greeting, line, want)
		}
		conn.Close()
	}
	// The host is none the worse for it.
	if open(t, dir, jetstream.Short).Hosting() {
		t.Error("the host is gone")
	}
}

func TestClientRefusesOtherHosts(t *testing.T) {
	for answer, want := range map[string]string{
		"ok 2 v9.0 4711\n":            "the journal's host (mulligan v9.0, process 4711) speaks protocol 2, this mulligan (v0.1_dirty) speaks 1",
		"no for a reason of my own\n": "refuses this mulligan (v0.1_dirty): for a reason of my own",
		"INFO {}\r\n":                 "is not mulligan's greeting",
	} {
		dir := t.TempDir()
		folder := t.TempDir()
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		socket := filepath.Join(folder, "s")
		holdLock(t, dir, "4711\n"+socket+"\n")
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				bufio.NewReader(conn).ReadString('\n')
				fmt.Fprint(conn, answer)
				conn.Close()
			}
		}()
		_, err = jetstream.Open(t.Context(), jetstream.Options{Dir: dir, Version: "v0.1 dirty", Wait: patience})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
		listener.Close()
	}
}
