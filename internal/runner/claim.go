package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/protocol"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/journal/jetstream"
)

const (
	// answerTime is how long a session's process may take to answer.
	answerTime = 2 * time.Second
	// beginTime is how long a session may take from its claim to its first event.
	beginTime = time.Minute
)

// claimWork makes a new session the one that does the plan's task, in the journal: another process, with a state folder of
// its own or on another machine, is refused while this session runs. lock is the path of the lock that the session holds.
func (r *Runner) claimWork(ctx context.Context, p *mulligan.Plan, id, lock string) error {
	err := r.journal.Claim(ctx, r.describeWork(p), id, nameLock(lock), func(c jetstream.Claim) (bool, error) {
		s, err := sessions.ReadSummary(ctx, r.journal, c.Session)
		if errors.Is(err, mulligan.ErrNoSession) {
			return hasNotBegun(c), nil
		}
		return err == nil && (s.Ended != "" || !r.isRunning(ctx, s)), err
	})
	if held, ok := errors.AsType[*jetstream.HeldError](err); ok {
		return refuseHeld(held.Session)
	}
	return err
}

// nameLock returns a lock's path with the name of this machine.
func nameLock(path string) string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return strconv.Quote(host + ":" + path)
}

// hasNotBegun reports whether a claim is that of a session without an event that will have none: on this machine no process
// holds its lock, on another it is old.
func hasNotBegun(c jetstream.Claim) bool {
	named, err := strconv.Unquote(c.By)
	host, _ := os.Hostname()
	lock, here := strings.CutPrefix(named, host+":")
	if err != nil || !here {
		return time.Since(c.Made) > beginTime
	}
	holder, held := worklock.Read(lock)
	return !held || holder.Session != c.Session
}

// releaseWork lets another session do the plan's task at once, since the one that has claimed it did not begin.
func (r *Runner) releaseWork(ctx context.Context, p *mulligan.Plan, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	return r.journal.Release(ctx, r.describeWork(p), id)
}

// describeWork returns what only one session does at a time.
func (r *Runner) describeWork(p *mulligan.Plan) string {
	return strings.Join([]string{r.Root, p.Task.Label(), mulligan.TaskHash(p.Task.Text), p.Pipeline, p.Name()}, "\x00")
}

// refuseHeld returns the error about a task that another session does.
func refuseHeld(session string) error {
	return usererror.New(mulligan.ExitBusy, fmt.Sprintf("session %s does this task just now", session), "`mulligan attach` watches that session, `mulligan stop` ends it")
}

// isRunning reports whether a process runs a session: it answers, or holds the session's slot on this machine.
func (r *Runner) isRunning(ctx context.Context, s mulligan.Summary) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	if err := protocol.Send(ctx, r.journal, s.ID, protocol.Ping); !errors.Is(err, jetstream.ErrNotRunning) {
		return true
	}
	holder, held := worklock.Read(r.folders.Lock(s.Dir))
	return held && holder.Session == s.ID && holder.Alive()
}

// refuseRunning returns an error if a process works on the session just now. It waits for one that has ended the session and
// is about to end.
func (r *Runner) refuseRunning(ctx context.Context, s mulligan.Summary) error {
	if s.Ended == "" && r.isRunning(ctx, s) {
		return refuseHeld(s.ID)
	}
	if holder, held := worklock.Read(r.folders.Lock(s.Dir)); held && holder.Session == s.ID && holder.Alive() {
		lock, err := worklock.Take(ctx, r.folders.Lock(s.Dir), r.isOver(ctx))
		if err != nil {
			return err
		}
		return lock.Unlock()
	}
	return nil
}
