package main

import (
	"context"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/journal/jetstream"
	"mulligan/journal/jetstream/clustertest"
)

// servers has the cluster that a script started.
type servers struct{ cluster *clustertest.Cluster }

// cluster N starts N servers, each a process of its own, and makes $SERVERS their address.
func cluster(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	c, err := clustertest.Start(ts.MkAbs("servers"), n)
	ts.Check(err)
	ts.Defer(c.Close)
	ts.Value(servers{}).(*servers).cluster = c
	ts.Setenv("SERVERS", c.URLs())
	ts.Setenv("PASSWORD", clustertest.Password)
}

// killleader kills the server that leads the journal.
func killleader(ts *testscript.TestScript, neg bool, args []string) {
	name, err := ts.Value(servers{}).(*servers).cluster.KillLeader()
	ts.Check(err)
	ts.Logf("killed %s", name)
}

// tidy makes the journal what it is a year later: every session is sealed, and every month is
// dropped from the engine.
func tidy(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	store, err := jetstream.Open(ctx, jetstream.Options{Dir: ts.Getenv("XDG_STATE_HOME") + "/mulligan", Mode: jetstream.Short})
	ts.Check(err)
	defer store.Close()
	done, err := store.Tidy(ctx, time.Now().AddDate(1, 0, 0), 1000)
	ts.Check(err)
	if done.Sealed == 0 || len(done.Dropped) == 0 {
		ts.Fatalf("nothing was sealed and dropped: %+v", done)
	}
}
