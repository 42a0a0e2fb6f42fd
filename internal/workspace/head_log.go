package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// switchHead makes HEAD name a branch, with a line of HEAD's log.
func (w *Workspace) switchHead(ctx context.Context, ref, why string) error {
	if done, err := w.switchPlainHead(ctx, ref, why); done || err != nil {
		return err
	}
	return w.changeHead(ctx, "symbolic-ref", "-m", why, "HEAD", ref)
}

// switchPlainHead is switchHead without git, and reports whether it has switched. It needs to know who git would log.
func (w *Workspace) switchPlainHead(ctx context.Context, ref, why string) (bool, error) {
	who, ok := w.findIdentity(committer)
	if !ok || !w.logsHead() || w.refs.folder == nil {
		return false, nil
	}
	_, from, err := w.currentHead(ctx)
	if err != nil {
		return false, err
	}
	to, err := w.branchCommit(ctx, ref)
	if err != nil || !isObjectID(from) || !isObjectID(to) {
		return false, err
	}
	w.passPoint("head")
	line := fmt.Sprintf("%s %s %s %s\t%s\n", from, to, who, formatGitTime(time.Now()), cleanLogMessage(why))
	w.refs.folder.MakeLogs()
	return true, w.refs.folder.PointHead(ref, func() error { return w.appendHeadLog(line) })
}

// logsHead reports whether git would surely add a line to HEAD's log, and could.
func (w *Workspace) logsHead() bool {
	config := w.git.folder.Frozen().Config
	if !config.Bool("core.logallrefupdates", true) || !w.writesPlainFiles() || w.root.hasReftable() {
		return false
	}
	st, err := os.Lstat(w.headLog())
	return isGone(err) || err == nil && st.Mode().IsRegular()
}

func (w *Workspace) headLog() string { return filepath.Join(w.root.git, "logs", "HEAD") }

// appendHeadLog adds a line to HEAD's log.
func (w *Workspace) appendHeadLog(line string) error {
	f, err := os.OpenFile(w.headLog(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// cleanLogMessage returns a message as git writes it to a log: on one line, with single spaces.
func cleanLogMessage(why string) string {
	return strings.Join(strings.FieldsFunc(why, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }), " ")
}
