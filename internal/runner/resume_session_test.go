package runner

import (
	"errors"
	"os"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

func TestMain(m *testing.M) { processtest.Main(m) }

// TestResumeWhatHasEnded: what became of a session between the decision to resume it and the lock of
// its workspace counts.
func TestResumeWhatHasEnded(t *testing.T) {
	const id = "20261115-214609-x7q2"
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A User", "-c", "user.email=user@example.com", "commit", "-q", "--allow-empty", "-m", "start"}} {
		if _, err := (process.Tool{Dir: dir, Argv: append([]string{"git"}, args...)}).Output(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	env := &environ.Env{Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}, Dir: dir, Stderr: os.Stderr}
	host, err := env.OpenJournal(t.Context(), jetstream.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	folders, err := env.Folders()
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Config: Config{Env: env, Root: dir}, folders: folders}
	if r.journal, err = guardJournal(host, folders.State, r.warn); err != nil {
		t.Fatal(err)
	}
	before := mulligan.Summary{ID: id, Dir: dir, Root: dir}
	write := func(ended mulligan.Ended, b mulligan.Body) {
		t.Helper()
		sum := before
		sum.Events, sum.Ended = before.Events+1, ended
		event := mulligan.Event{Number: sum.Events, Time: time.Now(), Session: id, Body: b}
		if err := host.Append(t.Context(), id, before.Events, []mulligan.Event{event}, sum); err != nil {
			t.Fatal(err)
		}
		before.Events++
	}
	write("", mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "make"}}}, Place: mulligan.Place{Dir: dir, Root: dir}})
	write(mulligan.Verified, mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified}})
	j, err := r.resume(t.Context(), before)
	if refused := (*usererror.Error)(nil); !errors.As(err, &refused) || refused.Code != mulligan.ExitUsage || refused.Words != "session "+id+" is over: verified" {
		t.Errorf("it is resumed: %v", err)
	}
	if j != nil {
		j.close()
	}
}
