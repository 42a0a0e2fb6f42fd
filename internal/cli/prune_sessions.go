package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/workspace"
)

// A pruner finds what old sessions left, lists it, and removes it.
type pruner struct {
	app     *App
	opt     pruneOptions
	folders environ.Folders
	before  time.Time // sessions that ended before are old

	sessions []pruneItem
	slots    []pruneSlot
	guards   []pruneItem // of agents that no session ran
	branches []mergedBranch
	logs     []string // old logs of sessions that ran as processes of their own
	logBytes int64
	answers  *bufio.Reader // of standard input, once it was asked for
	others   int           // old sessions of other repositories that left something
}

// A pruneItem is what one session left.
type pruneItem struct {
	session mulligan.Summary
	bytes   int64 // of the files
	kept    []workspace.Kept
}

// isEmpty reports whether there is nothing to remove.
func (i pruneItem) isEmpty() bool {
	return i.bytes == 0 && len(i.kept) == 0
}

// printList lists all that is to be removed.
func (p *pruner) printList() {
	for _, i := range p.sessions {
		if i.isEmpty() {
			continue
		}
		fmt.Fprintf(p.app.Stdout, "%s  %s, %s  %s\n", i.session.ID, strings.ReplaceAll(string(i.session.Ended), "_", " "),
			i.session.Updated.Local().Format("2006-01-02"), i.describeSize())
		for _, k := range i.listWork() {
			fmt.Fprintf(p.app.Stdout, "  drops  %s of %s, commit %.10s; to keep it: %s\n", k.Name(), k.Time.Local().Format("2006-01-02"), k.Commit, asideCommand(i.session.ID, k))
		}
	}
	for _, s := range p.slots {
		fmt.Fprintf(p.app.Stdout, "clones in %s  %s\n", s.dir, text.Size(s.bytes))
	}
	for _, i := range p.guards {
		fmt.Fprintf(p.app.Stdout, "%s  the guard of an agent, %s  %s\n", i.session.ID, i.session.Updated.Local().Format("2006-01-02"), text.Size(i.bytes))
	}
	for _, b := range p.branches {
		fmt.Fprintf(p.app.Stdout, "branch %s is merged into %s\n", b.Name, b.Into)
	}
}

// describeSize returns how much the session left.
func (i pruneItem) describeSize() string {
	if len(i.kept) == 0 {
		return text.Size(i.bytes)
	}
	return text.Size(i.bytes) + " and " + text.Count(len(i.kept), "kept tree")
}

// listWork returns the work that may be nowhere else: what the session left and no verified commit of its has, and what was
// put aside.
func (i pruneItem) listWork() []workspace.Kept {
	verified := changes.FindKept(i.kept, i.session.ID, workspace.VerifiedLabel)
	var work []workspace.Kept
	for _, k := range i.kept {
		isLeft := k.Name() == mulligan.LeftLabel && k.Commit != verified.Commit && k.Commit != i.session.Commit
		if k.Commit != "" && (isLeft || strings.HasPrefix(k.Name(), workspace.AsidePrefix)) {
			work = append(work, k)
		}
	}
	return work
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
	for _, s := range p.slots {
		bytes += s.bytes
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
	case sessions == 0 && len(p.slots) > 0:
		return fmt.Sprintf("%s of clones, %s", text.Count(len(p.slots), "pair"), text.Size(bytes))
	case len(p.guards) > 0:
		who += " and " + text.Count(len(p.guards), "guard")
	}
	return fmt.Sprintf("what %s left, %s", who, text.Size(bytes))
}

// removeAll removes what is listed, as far as the person consents.
func (p *pruner) removeAll(ctx context.Context) error {
	sessions, _ := p.count()
	what := p.describeRemoval()
	nothing := sessions == 0 && len(p.logs) == 0 && len(p.guards) == 0 && len(p.slots) == 0
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
	for _, s := range p.slots {
		if err := p.removeSlot(s); err != nil {
			return fmt.Errorf("%s: %w", s.dir, err)
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
	if err := os.RemoveAll(p.folders.Session(i.session.ID)); err != nil {
		return err
	}
	store, err := p.app.OpenStore(i.session.Root)
	if err != nil {
		return err
	}
	return store.Forget(ctx, i.session.Root, i.session.ID)
}

// removeSlot removes a pair of clones, unless a session has begun to work in them.
func (p *pruner) removeSlot(s pruneSlot) error {
	lock, err := lockfile.Lock(p.folders.Lock(workspace.WorkspaceIn(s.dir)))
	if _, busy := errors.AsType[*lockfile.BusyError](err); busy {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return workspace.RemoveSlot(s.dir)
}
