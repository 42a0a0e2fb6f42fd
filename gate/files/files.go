// Package files is the gate that wants a file to exist.
package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"mulligan"
	"mulligan/gate"
)

// Options are the settings of such a check.
type Options struct {
	Path string `json:"path"` // a path or a glob, relative to the workspace
}

// A Gate passes when its path is a file, also an empty one. A folder, a fifo, a socket and a device are none, and a
// link is what it leads to, inside the workspace.
type Gate struct {
	spec mulligan.CheckSpec
	path string
}

// New returns a gate for a spec whose options are Options.
func New(spec mulligan.CheckSpec) (*Gate, error) {
	var opt Options
	if err := json.Unmarshal(spec.Options, &opt); err != nil {
		return nil, fmt.Errorf("check %s: options: %w", spec.Name, err)
	}
	if opt.Path == "" {
		return nil, fmt.Errorf("check %s: path is empty", spec.Name)
	}
	return &Gate{spec: spec, path: filepath.ToSlash(opt.Path)}, nil
}

// LiteralPath returns the path of a file_exists check, or "" if the check is another, or its path is a glob.
func LiteralPath(spec mulligan.CheckSpec) string {
	var opt Options
	if spec.Type != "file_exists" || json.Unmarshal(spec.Options, &opt) != nil || strings.ContainsAny(opt.Path, globSigns) {
		return ""
	}
	return opt.Path
}

// globSigns are the characters that make a path a glob.
const globSigns = `*?[{\`

// Examine looks for the path.
func (g *Gate) Examine(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	return gate.Timed(g.spec.Name, func() mulligan.Verdict { return g.checkPath(ctx, w) })
}

// checkPath looks for the path, and returns the verdict without its name and duration.
func (g *Gate) checkPath(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	if !filepath.IsLocal(filepath.FromSlash(g.path)) {
		return g.brokenVerdict("%s is not a path inside the workspace", g.path)
	}
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return g.brokenVerdict("open the workspace: %v", err)
	}
	defer root.Close()
	found, other, err := g.findPath(ctx, root, w.Dir)
	why := ""
	if err == nil && found == "" && other == "" {
		if found, other, err = g.findIgnored(ctx, w); found != "" {
			why = " in the workspace (git ignores it, so no commit has it)"
		}
	}
	switch {
	case err != nil:
		return g.brokenVerdict("look for %s: %v", g.path, err)
	case found != "":
		return g.newVerdict(mulligan.Pass, found+" exists"+why, "")
	case other != "":
		return g.newVerdict(mulligan.Fail, other+", not a file", other+". A file is wanted, with its content in the workspace.")
	}
	summary := g.path + " does not exist"
	return g.newVerdict(mulligan.Fail, summary, summary+describeNearby(root.FS(), g.path))
}

// findIgnored looks in the workspace for a path that git ignored when the session began: the proof cannot have it. A glob
// names no such path.
func (g *Gate) findIgnored(ctx context.Context, w mulligan.Work) (found, other string, err error) {
	if w.Workspace == "" || w.IgnoredAtBase == nil || strings.ContainsAny(g.path, globSigns) {
		return "", "", nil
	}
	if ignored, err := w.IgnoredAtBase(ctx, path.Clean(g.path)); err != nil || !ignored {
		return "", "", err
	}
	root, err := os.OpenRoot(w.Workspace)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	return g.findPath(ctx, root, w.Workspace)
}

// findPath returns the first file that the path names, or "" if there is none; other then says what the path is instead.
// A name that exists as it is written is meant even where it reads as a glob: [id].tsx is a common name. No file is
// opened: one that is a fifo would not answer.
func (g *Gate) findPath(ctx context.Context, root *os.Root, dir string) (found, other string, err error) {
	info, err := root.Stat(filepath.FromSlash(g.path))
	if err == nil {
		if kind := describeKind(info); kind != "" {
			return "", g.path + " is " + kind, nil
		}
		return g.path, "", nil
	}
	if _, outside := os.Stat(filepath.Join(dir, filepath.FromSlash(g.path))); outside == nil {
		return "", g.path + " is a link that leads out of the workspace", nil
	}
	// Where a file is and the path wants a folder, the path does not exist: that is no fault of the gate.
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return "", "", err
	}
	if !strings.ContainsAny(g.path, globSigns) {
		return "", "", nil
	}
	tree := watched{root.FS(), ctx.Err}
	err = doublestar.GlobWalk(tree, path.Clean(g.path), func(p string, _ fs.DirEntry) error {
		info, err := root.Stat(filepath.FromSlash(p))
		if err != nil {
			return nil // a link that leads nowhere, or out of the workspace
		}
		if kind := describeKind(info); kind != "" {
			other = p + " is " + kind
			return nil
		}
		found, other = p, ""
		return errFound
	})
	if errors.Is(err, errFound) {
		return found, "", nil
	}
	return "", other, cmp.Or(ctx.Err(), err)
}

// describeKind returns what a path is, or "" if it is a file.
func describeKind(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a fifo"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// errFound ends a walk at the first match.
var errFound = errors.New("found")

// A watched tree cannot be read any more once watch returns an error, which ends a long walk
// through it.
type watched struct {
	fs.FS
	watch func() error
}

func (w watched) Stat(name string) (fs.FileInfo, error) { return fs.Stat(w.FS, name) }

func (w watched) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := w.watch(); err != nil {
		return nil, err
	}
	info, err := fs.Stat(w.FS, name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist} // opening a fifo would not end
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadDir(w.FS, name)
}

func (g *Gate) brokenVerdict(format string, args ...any) mulligan.Verdict {
	text := fmt.Sprintf(format, args...)
	return g.newVerdict(mulligan.Broken, text, text)
}

func (g *Gate) newVerdict(s mulligan.Status, summary, text string) mulligan.Verdict {
	return mulligan.Verdict{
		Status:  s,
		Summary: summary,
		Finding: &mulligan.Finding{Command: "file_exists " + g.path, Text: text, Bytes: int64(len(text))},
	}
}
