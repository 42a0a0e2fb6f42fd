package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mulligan"
)

// maxRefused bounds how many refused paths are looked for.
const maxRefused = 10

// explainRefusal returns a *mulligan.RefusedError that names the paths which git does not add, if that is why adding all
// of them failed. Otherwise, as where the repository cannot be written, it returns err.
func (w *Workspace) explainRefusal(ctx context.Context, g git, paths []string, err error) error {
	if exitCode(err) <= 0 || isDiskFull(err) {
		return err
	}
	// Objects go to a folder of their own, so that what fails there fails because of the files alone.
	objects := filepath.Join(filepath.Dir(g.dir), "objects")
	if failed := os.Mkdir(objects, 0o700); failed != nil {
		return errors.Join(err, failed)
	}
	alone := g.withEnv("GIT_OBJECT_DIRECTORY="+objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteForGit(filepath.Join(w.root.common, "objects")))
	found, failed := w.findRefused(ctx, alone, paths, nil)
	switch {
	case failed != nil:
		return errors.Join(err, failed)
	case len(found) == 0:
		return err
	}
	return &mulligan.RefusedError{Found: found}
}

// isDiskFull reports whether git failed because it could not write. It says so in words alone.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), syscall.ENOSPC.Error())
}

// findRefused adds to found those of the paths that git does not add. It halves the paths, because git stops at the
// first.
func (w *Workspace) findRefused(ctx context.Context, g git, paths []string, found []mulligan.Unheld) ([]mulligan.Unheld, error) {
	if len(found) >= maxRefused {
		return found, nil
	}
	_, err := addPaths(ctx, g, paths)
	switch {
	case err == nil:
		return found, nil
	case exitCode(err) <= 0 || isDiskFull(err):
		return nil, err
	case len(paths) == 1:
		rule, failed := w.findAttributeLine(ctx, g, paths[0], convertingAttributes)
		return append(found, mulligan.Unheld{Kind: mulligan.UnheldRefused, Path: paths[0], ID: gitReason(err), Rule: rule}), failed
	}
	half := len(paths) / 2
	if found, err = w.findRefused(ctx, g, paths[:half], found); err != nil {
		return nil, err
	}
	return w.findRefused(ctx, g, paths[half:], found)
}

// gitReason returns what git printed when it failed, in a line.
func gitReason(err error) string {
	failed, ok := errors.AsType[gitError](err)
	if !ok {
		return err.Error()
	}
	var said []string
	for line := range strings.Lines(strings.TrimSpace(failed.Stderr)) {
		for _, label := range []string{"fatal: ", "error: ", "hint: "} {
			line = strings.TrimPrefix(line, label)
		}
		said = append(said, strings.TrimSpace(line))
	}
	slices.Reverse(said) // what is fatal comes last
	return strings.Join(said, "; ")
}

// checkNames returns a *mulligan.RefusedError if git has left out files because of their names, which it does without
// failing. written is what the tree has that was made of the files.
func (w *Workspace) checkNames(ctx context.Context, g git, found, written []difference) error {
	has := make(map[string]bool, len(written))
	for _, d := range written {
		has[d.path] = true
	}
	var left []string
	links := make(map[string]bool)
	for _, d := range found {
		if d.to != nil && d.to.mode != modeModule && !has[d.path] {
			left = append(left, d.path)
			links[d.path] = d.to.mode == modeLink
		}
	}
	if len(left) == 0 {
		return nil
	}
	// They are what the parent has, by way of a filter or line ends, or git has refused them: it lists what it adds.
	out, err := addPaths(ctx, g, left, "--verbose")
	if err != nil {
		return err
	}
	var refused []mulligan.Unheld
	said := string(out)
	for _, path := range left {
		if rest, added := strings.CutPrefix(said, "add '"+path+"'\n"); added {
			said = rest
			continue
		}
		u := mulligan.Unheld{Kind: mulligan.UnheldName, Path: path}
		if links[path] && path == modulesFile {
			u.ID = "a link"
		}
		refused = append(refused, u)
	}
	if len(refused) == 0 {
		return nil
	}
	return &mulligan.RefusedError{Found: refused}
}
