package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// interruptible opens the lab's workspace again. The context that it returns ends when git is run with a command of that
// name, or what it names is changed without git, as after Ctrl-C at that moment.
func (l *lab) interruptible(command string) context.Context {
	l.t.Helper()
	must(l.t, l.Workspace.Close())
	ctx, cancel := context.WithCancelCause(l.t.Context())
	w, err := Open(l.t.Context(), Options{Dir: l.dir, Snapshots: l.snaps, Before: func(name string) {
		if name == command {
			cancel(&mulligan.Interruption{By: "SIGINT"})
		}
	}})
	must(l.t, err)
	l.Workspace = w
	l.t.Cleanup(func() { must(l.t, w.Close()) })
	return ctx
}

// TestInterruptedLook: the error after an interruption is the interruption, not a failure of git.
func TestInterruptedLook(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	ctx := l.interruptible("status")
	if _, err := l.Dirty(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it says %v", err)
	}
	if _, err := Open(ctx, Options{Dir: l.dir, Snapshots: l.snaps}); !errors.Is(err, context.Canceled) {
		t.Errorf("opening says %v", err)
	}
	if err := l.Restore(ctx, mulligan.Tree{}, "s/1"); !errors.Is(err, context.Canceled) {
		t.Errorf("restoring says %v", err)
	}
}

// TestInterruptedSwitch: files of one branch with HEAD on another would be uncommitted work, which the
// next run refuses to touch.
func TestInterruptedSwitch(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("checkout", "-q", "-b", "other")
	l.write("a", "2")
	l.git("commit", "-q", "-a", "-m", "second")
	l.git("checkout", "-q", "main")
	ctx := l.interruptible("head")
	must(t, l.SwitchTo(ctx, "other"))
	branch, _, err := l.Head(t.Context())
	dirty, failed := l.Dirty(t.Context())
	if must(t, errors.Join(err, failed)); ctx.Err() == nil || branch != "other" || len(dirty) > 0 {
		t.Errorf("interrupted: %v; HEAD is on %s, uncommitted is %q", ctx.Err(), branch, dirty)
	}
}

// TestInterruptedRestore: it is done whole.
func TestInterruptedRestore(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b": "1"})
	before, err := l.Snapshot(t.Context(), "s/1")
	must(t, err)
	l.write("a", "2")
	l.write("b", "2")
	ctx := l.interruptible("index")
	must(t, l.Restore(ctx, before, "s/2"))
	if is, err := l.IsAt(t.Context(), before); err != nil || !is || ctx.Err() == nil {
		t.Errorf("restored: %v, %v; interrupted: %v", is, err, ctx.Err())
	}
}

// TestGitEnded: a git that a signal meant for the whole service has ended is not a fault of ours.
func TestGitEnded(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	bin := t.TempDir()
	real, err := process.Find("git", "/", os.Environ())
	must(t, err)
	text := "#!/bin/sh\nmkdir " + bin + "/hit 2>/dev/null && kill -TERM $$\nexec " + real + " \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(text), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	dirty, err := l.Dirty(t.Context())
	if _, missed := os.Stat(filepath.Join(bin, "hit")); err != nil || len(dirty) > 0 || missed != nil {
		t.Errorf("%q, %v; %v", dirty, err, missed)
	}
}
