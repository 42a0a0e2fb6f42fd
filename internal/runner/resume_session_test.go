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

const writtenID = "20261115-214609-x7q2"

// newWrittenSession returns a runner, and a function that appends an event to a session of its journal, with a summary
// that says how the session ended.
func newWrittenSession(t *testing.T) (r *Runner, before *mulligan.Summary, write func(ended mulligan.Ended, b mulligan.Body)) {
	t.Helper()
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
	t.Cleanup(func() { host.Close() })
	folders, err := env.Folders()
	if err != nil {
		t.Fatal(err)
	}
	r = &Runner{Config: Config{Env: env, Root: dir}, folders: folders}
	if r.journal, err = guardJournal(host, folders.State, r.warn); err != nil {
		t.Fatal(err)
	}
	before = &mulligan.Summary{ID: writtenID, Dir: dir, Root: dir}
	return r, before, func(ended mulligan.Ended, b mulligan.Body) {
		t.Helper()
		sum := *before
		sum.Events, sum.Ended = before.Events+1, ended
		event := mulligan.Event{Number: sum.Events, Time: time.Now(), Session: writtenID, Body: b}
		if err := host.Append(t.Context(), writtenID, before.Events, []mulligan.Event{event}, sum); err != nil {
			t.Fatal(err)
		}
		before.Events++
	}
}

// resumeEnded resumes a session, and fails the test unless that is refused because it is over.
func resumeEnded(t *testing.T, r *Runner, s mulligan.Summary) {
	t.Helper()
	j, err := r.resume(t.Context(), s)
	if refused := (*usererror.Error)(nil); !errors.As(err, &refused) || refused.Code != mulligan.ExitUsage || refused.Words != "session "+writtenID+" is over: verified" {
		t.Errorf("it is resumed: %v", err)
	}
	if j != nil {
		j.close()
	}
}

// TestResumeWhatHasEnded: what became of a session between the decision to resume it and the lock of
// its workspace counts.
func TestResumeWhatHasEnded(t *testing.T) {
	r, before, write := newWrittenSession(t)
	write("", mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "make"}}}, Place: mulligan.Place{Dir: before.Dir, Root: before.Root}})
	write(mulligan.Verified, mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified}})
	resumeEnded(t, r, *before)
}

// What a session came to is in its events: a summary that says otherwise neither ends it nor keeps `run` and
// `resume` going round in circles.
func TestForgedSummary(t *testing.T) {
	r, before, write := newWrittenSession(t)
	plan := &mulligan.Plan{Pipeline: "default", Task: mulligan.Task{Path: "t.md", Text: "# Task"}, Steps: []mulligan.Step{{Name: "make"}}}
	before.Task, before.TaskHash, before.Pipeline = "t.md", mulligan.TaskHash("# Task"), "default"
	write(mulligan.Verified, mulligan.SessionStarted{Plan: plan, Place: mulligan.Place{Dir: before.Dir, Root: before.Root}})
	prior, err := r.findPriorSession(t.Context(), plan)
	if err != nil || prior.done || prior.summary == nil || prior.summary.Ended != "" {
		t.Errorf("a session that only began counts as %+v, %v", prior.summary, err)
	}
	write("", mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified}})
	if prior, err := r.findPriorSession(t.Context(), plan); err != nil || !prior.done {
		t.Errorf("a session that has ended counts as %+v, %v", prior.summary, err)
	}
	resumeEnded(t, r, *before)
	// A summary that claims the session for another task.
	other := &mulligan.Plan{Pipeline: "default", Task: mulligan.Task{Path: "other.md", Text: "# Other"}, Steps: plan.Steps}
	before.Task, before.TaskHash = "other.md", mulligan.TaskHash("# Other")
	write(mulligan.Verified, mulligan.Noted{Text: "nothing"})
	if prior, err := r.findPriorSession(t.Context(), other); err != nil || prior.summary != nil {
		t.Errorf("another task's session counts as %+v, %v", prior.summary, err)
	}
}
