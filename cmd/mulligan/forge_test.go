package main

import (
	"context"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan"
	"mulligan/journal/jetstream"
)

// forge adds an event that means nothing to every session, under a summary that says that it ended so; without an
// argument, that it has not ended. Who can write to the journal could leave such a summary.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	store, err := jetstream.Open(ctx, jetstream.Options{Dir: ts.Getenv("XDG_STATE_HOME") + "/mulligan", Mode: jetstream.Short})
	ts.Check(err)
	defer store.Close()
	all, err := store.Sessions(ctx)
	ts.Check(err)
	if len(all) == 0 {
		ts.Fatalf("there is no session")
	}
	for _, s := range all {
		before := s.Events
		s.Events, s.Ended = before+1, ""
		if len(args) > 0 {
			s.Ended = mulligan.Ended(args[0])
		}
		event := mulligan.Event{Number: s.Events, Time: time.Now(), Session: s.ID, Body: mulligan.Noted{Text: "nothing"}}
		ts.Check(store.Append(ctx, s.ID, before, []mulligan.Event{event}, s))
	}
}
