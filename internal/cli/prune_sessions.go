package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// A pruner finds what old sessions left, lists it, and removes it.
type pruner struct {
	app     *App
	opt     pruneOptions
	folders environ.Folders
	before  time.Time // sessions that ended before are old

	sessions []pruneItem
	guards   []pruneItem // of agents that no session ran
	branches []mergedBranch
	logs     []string // old logs of sessions that ran as processes of their own
	logBytes int64
	answers  *bufio.Reader // of standard input, once it was asked for
	others   int           // old sessions of other repositories that left something
}

// A pruneItem is what one session left.
type pruneItem struct {
	session  mulligan.Summary
	bytes    int64 // of the files
	worktree bool  // it has a worktree that is to be removed
	stays    error // why its worktree is not
	kept     workspace.Kept
}

// isEmpty reports whether there is nothing to remove.
func (i pruneItem) isEmpty() bool {
	return i.bytes == 0 && !i.worktree && i.kept.Snapshots == 0 && len(i.kept.Aside) == 0
}

// printList lists all that is to be removed.
func (p *pruner) printList() {
	for _, i := range p.sessions {
		if i.stays != nil {
			fmt.Fprintf(p.app.Stdout, "%s  its worktree %s is kept: %v\n", i.session.ID, i.session.Dir, i.stays)
		}
		if i.isEmpty() {
			continue
		}
		fmt.Fprintf(p.app.Stdout, "%s  %s, %s  %s\n", i.session.ID, strings.ReplaceAll(string(i.session.Ended), "_", " "),
			i.session.Updated.Local().Format("2006-01-02"), i.describeSize())
		for _, a := range i.listWork() {
			fmt.Fprintf(p.app.Stdout, "  drops  %s; to keep it: %s\n", asideWords(a), asideCommand(i.session.ID, a))
		}
	}
	for _, i := range p.guards {
		fmt.Fprintf(p.app.Stdout, "%s  the guard of an agent, %s  %s\n", i.session.ID, i.session.Updated.Local().Format("2006-01-02"), formatSize(i.bytes))
	}
	for _, b := range p.branches {
		fmt.Fprintf(p.app.Stdout, "branch %s is merged into %s\n", b.name, b.into)
	}
}

// describeSize returns how much the session left.
func (i pruneItem) describeSize() string {
	if i.kept.Snapshots == 0 {
		return formatSize(i.bytes)
	}
	return formatSize(i.bytes) + " and " + text.Count(i.kept.Snapshots, "snapshot")
}

// listWork returns the work that is nowhere else: what the session's end left uncommitted, and what was put
// aside.
func (i pruneItem) listWork() []workspace.Aside {
	if i.kept.Left == nil {
		return i.kept.Aside
	}
	return append([]workspace.Aside{*i.kept.Left}, i.kept.Aside...)
}

// count returns how many sessions left something, and how many bytes there are.
func (p *pruner) count() (sessions int, bytes int64) {
	bytes = p.logBytes
	for _, i := range p.sessions {
		if !i.isEmpty() {
			sessions++
			bytes += i.bytes
		}
	}
	for _, i := range p.guards {
		bytes += i.bytes
	}
	return sessions, bytes
}

// describeRemoval returns what is to be removed, in words.
func (p *pruner) describeRemoval() string {
	sessions, bytes := p.count()
	who := text.Count(sessions, "session")
	switch {
	case sessions == 0 && len(p.guards) > 0:
		who = text.Count(len(p.guards), "guard")
	case len(p.guards) > 0:
		who += " and " + text.Count(len(p.guards), "guard")
	}
	return fmt.Sprintf("what %s left, %s", who, formatSize(bytes))
}

// removeAll removes what is listed, as far as the person consents.
func (p *pruner) removeAll(ctx context.Context) error {
	sessions, _ := p.count()
	what := p.describeRemoval()
	nothing := sessions == 0 && len(p.logs) == 0 && len(p.guards) == 0
	switch {
	case nothing && len(p.branches) == 0:
		p.printNothing()
		return nil
	case p.opt.DryRun:
		p.printDryRun(nothing, what)
		return nil
	case !p.opt.Yes && !p.app.Interactive():
		return usererror.Usage("nothing was removed: prune asks first, and there is no terminal to ask on", "`mulligan prune --yes` removes what is listed above")
	}
	if !nothing && p.confirm("remove "+what+"?") {
		if err := p.removeSessions(ctx); err != nil {
			return err
		}
		fmt.Fprintf(p.app.Stdout, "removed %s; what happened in them stays in the journal\n", what)
	} else {
		p.branches = slices.DeleteFunc(p.branches, func(b mergedBranch) bool { return b.needed })
	}
	if len(p.branches) > 0 && p.confirm(fmt.Sprintf("delete %s?", text.Count(len(p.branches), "merged branch"))) {
		p.deleteBranches(ctx)
	}
	return nil
}

func (p *pruner) printNothing() {
	fmt.Fprintf(p.app.Stdout, "nothing to remove: no finished session is older than %s\n", &p.opt.Older)
	if p.others > 0 {
		fmt.Fprintf(p.app.Stdout, "other repositories have %s that are: `mulligan prune --all` clears them too\n", text.Count(p.others, "session"))
	}
}

func (p *pruner) printDryRun(nothing bool, what string) {
	if !nothing {
		fmt.Fprintf(p.app.Stdout, "would remove %s; what happened in them stays in the journal\n", what)
	}
	if n := len(p.branches); n > 0 {
		fmt.Fprintf(p.app.Stdout, "would delete %s\n", text.Count(n, "merged branch"))
	}
}

// confirm reports whether the person consents, with --yes or now.
func (p *pruner) confirm(question string) bool {
	if p.opt.Yes {
		return true
	}
	fmt.Fprintf(p.app.Stdout, "%s [y/N] ", question)
	if p.answers == nil {
		p.answers = bufio.NewReader(p.app.Stdin)
	}
	answer, _ := p.answers.ReadString('\n') // an end of the input is a no
	answer = strings.ToLower(strings.TrimSpace(answer))
	if answer == "y" || answer == "yes" {
		return true
	}
	fmt.Fprintln(p.app.Stdout, "left as it is")
	return false
}

// removeSessions removes what the sessions left.
func (p *pruner) removeSessions(ctx context.Context) error {
	for _, i := range p.sessions {
		if err := p.removeSession(ctx, i); err != nil {
			return fmt.Errorf("session %s: %w", i.session.ID, err)
		}
	}
	for _, i := range p.guards {
		if err := p.removeGuard(i); err != nil {
			return fmt.Errorf("guard %s: %w", i.session.ID, err)
		}
	}
	for _, path := range p.logs {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// removeSession removes what one session left.
func (p *pruner) removeSession(ctx context.Context, i pruneItem) error {
	if i.worktree {
		if _, err := p.visitWorktree(ctx, i.session, p.removeWorktree); err != nil {
			fmt.Fprintf(p.app.Stdout, "%s  its worktree %s is kept: %v\n", i.session.ID, i.session.Dir, err)
		}
	}
	if err := os.RemoveAll(p.folders.Session(i.session.ID)); err != nil {
		return err
	}
	if err := workspace.ForgetSnapshots(ctx, p.folders.Snapshots(i.session.Root), i.session.ID); err != nil {
		return err
	}
	return workspace.ForgetAside(ctx, i.session.Root, i.session.ID)
}

// visitWorktree calls visit with a worktree of the session's own, while no process works in it, unless it
// has work that is not committed. It reports whether there is such a worktree.
func (p *pruner) visitWorktree(ctx context.Context, s mulligan.Summary, visit func(context.Context, mulligan.Summary) error) (bool, error) {
	if s.Dir == s.Root || s.Dir != p.folders.Worktree(s.Root, s.ID) {
		return false, nil
	}
	if _, err := os.Stat(s.Dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock, err := lockfile.Lock(p.folders.Lock(s.Dir))
	if err != nil {
		return false, err
	}
	defer lock.Unlock()
	if !p.opt.Force {
		if err := p.refuseDirty(ctx, s); err != nil {
			return false, err
		}
	}
	return true, visit(ctx, s)
}

// removeWorktree removes the worktree of a session, and its lock.
func (p *pruner) removeWorktree(ctx context.Context, s mulligan.Summary) error {
	if err := workspace.RemoveWorktree(ctx, s.Root, s.Dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(p.folders.Lock(s.Dir)))
}

// refuseDirty returns an error if the worktree has work in it that is not committed.
func (p *pruner) refuseDirty(ctx context.Context, s mulligan.Summary) error {
	ws, err := workspace.Open(ctx, workspace.Options{Dir: s.Dir, Snapshots: p.folders.Snapshots(s.Root), Log: func(string) {}})
	if err != nil {
		return err
	}
	defer ws.Close()
	dirty, err := ws.Dirty(ctx)
	if err == nil && len(dirty) > 0 {
		err = fmt.Errorf("%d files are not committed; --force removes it", len(dirty))
	}
	return err
}
