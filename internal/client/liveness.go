package client

import (
	"context"
	"errors"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/protocol"
	"mulligan/internal/sessions"
	"mulligan/internal/worklock"
	"mulligan/journal/jetstream"
)

// An inspectedJournal is what Liveness needs of a journal.
type inspectedJournal interface {
	sessions.Lister
	protocol.Sender
}

// Liveness decides whether a process runs a session. It is the only place that does. There are two
// signs: the process answers over the journal's control channel, and it holds the lock of the
// session's workspace. A process that does not answer may be starting, looking for a new host of the
// journal, stopped or very busy; one that holds no lock of this machine may run on another machine.
type Liveness struct {
	folders environ.Folders
	journal inspectedJournal
}

// NewLiveness returns what decides about the sessions of a journal. The zero Folders, of an
// environment that has no state folder, have no locks.
func NewLiveness(env *environ.Env, journal inspectedJournal) Liveness {
	folders, _ := env.Folders()
	return Liveness{folders: folders, journal: journal}
}

// Ping asks the process of a session for a sign of life. An error that is jetstream.ErrNotRunning
// means that none answers; any other that one is there, or may be.
func (l Liveness) Ping(ctx context.Context, id string) error {
	return protocol.Send(ctx, l.journal, id, protocol.Ping)
}

// IsRunning reports whether a process runs the session: it answers, or holds the session's workspace.
func (l Liveness) IsRunning(ctx context.Context, s mulligan.Summary) bool {
	if s.Ended != "" {
		return false
	}
	// A process that is there and does not answer, because it is stopped or very busy, runs.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return !errors.Is(l.Ping(ctx, s.ID), jetstream.ErrNotRunning) || l.IsHeld(s)
}

// CurrentStatus returns how a session stands now, and whether a process runs it. A session that was
// not over may have ended while it was inspected, and one that does not answer may be about to end:
// its summary is read once more.
func (l Liveness) CurrentStatus(ctx context.Context, s mulligan.Summary) (now mulligan.Summary, running bool, err error) {
	if s.Ended != "" {
		return s, false, nil
	}
	running = l.IsRunning(ctx, s)
	if s, err = sessions.ReadSummary(ctx, l.journal, s.ID); err != nil {
		return s, false, err
	}
	return s, running && s.Ended == "", nil
}

// IsStopping reports whether a person has stopped a running session that has not come to its end yet.
func (l Liveness) IsStopping(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	reply, err := l.journal.Send(ctx, id, string(protocol.Ping))
	return err == nil && reply == protocol.Stopping
}

// IsHeld reports whether a living process of this machine works on the session: it has the lock of
// the workspace and has noted so. The note alone proves nothing, for a process that was killed leaves
// it, and its process id goes to others; nor does the lock, which its keepers have until they are done.
func (l Liveness) IsHeld(s mulligan.Summary) bool {
	if l.folders.State == "" {
		return false
	}
	holder, held := worklock.Read(l.folders.Lock(s.Dir))
	return held && holder.Session == s.ID && holder.Alive()
}

// MayBeHeld is IsHeld for a session by its id. It reports true if the journal cannot tell where the
// session works.
func (l Liveness) MayBeHeld(ctx context.Context, id string) bool {
	s, err := sessions.ReadSummary(ctx, l.journal, id)
	return err != nil || l.IsHeld(s)
}
