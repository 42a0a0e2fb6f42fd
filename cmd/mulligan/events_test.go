package main

import (
	"fmt"
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/journal/jetstream/clustertest"
)

var listening = regexp.MustCompile(`(?m)^events: (nats://([A-Z0-9]{26})@127\.0\.0\.1:\d+) subject (\S+)$`)

// hear FILE OUT reads the address that a session printed to FILE, listens there with a plain
// NATS client, and writes what it is told to OUT: the subject and the event in a line. $TOKEN
// is what let it in.
func hear(ts *testscript.TestScript, neg bool, args []string) {
	found := listening.FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("no address is in\n%s", ts.ReadFile(args[0]))
	}
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	stop, err := clustertest.Hear(found[1], found[3], func(subject string, data []byte) {
		fmt.Fprintf(out, "%s %s\n", subject, data)
	})
	ts.Check(err)
	ts.Defer(func() { stop(); out.Close() })
	ts.Setenv("TOKEN", found[2])
}
