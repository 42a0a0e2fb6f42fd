package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

// oldestGit is the first version of git that has all that we use: with GIT_CONFIG_GLOBAL it can be kept from
// config that an agent has written to the home folder.
var oldestGit = [2]int{2, 32}

// A git runs the git program on one repository. All of mulligan's work with a repository goes through it.
type git struct {
	dir     string // where it runs
	env     []string
	options []string      // options before the command
	started *atomic.Int64 // counts the processes
	before  func(string)  // see Options.Before
	hold    *os.File      // see Options.Hold
	limit   time.Duration // of one command; 0: gitLimit
	// folder is the git folder that env names, made of what the session's start had. It is nil for a
	// repository of mulligan's own, and where git works on the repository itself.
	folder *gitfolder.Folder
	tree   string // the checkout whose rules git reads
	// removed is told of files of rules that were none and are removed; nil: they are errors.
	removed func(path string)
	odd     func() []string // files of rules in the checkout that are no files, as the last walk found them; may be nil
	// filters runs the commands that may start a filter of the session's start; nil: there is none.
	filters *filterRunner
}

const (
	// gitLimit is how long a git may take that starts nothing.
	gitLimit = 2 * time.Minute
	// FilterLimit is how long a git may take that starts filters, or the program that signs.
	FilterLimit = 10 * time.Minute
)

// A gitError means that a git command failed. Its text has the command's name alone, and what git printed.
type gitError struct {
	command string
	*process.ToolError
}

func (e gitError) Error() string {
	return fmt.Sprintf("git %s: %s", e.command, cmp.Or(strings.TrimSpace(e.Stderr), e.Err.Error()))
}

// keptVariables are git's variables that tell who the user is and how their git is set up. All others
// (GIT_DIR, GIT_INDEX_FILE …) would point git elsewhere than at the workspace.
var keptVariables = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
	"GIT_ATTR_NOSYSTEM", "GIT_EXEC_PATH",
}

// isKeptVariable reports whether git inherits a GIT_ variable of the user's.
func isKeptVariable(name string) bool {
	return slices.Contains(keptVariables, name) || strings.HasPrefix(name, "GIT_LFS_") ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// cleanEnv returns the user's environment without the variables that would misdirect git.
func cleanEnv(environ []string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !isKeptVariable(name)
	})
	// Replacement objects would let a commit show other content than it has.
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
}

// newLiveGit returns a git on the user's repository itself, with its config of now. It is for the freezing of
// that config, and for what a folder of ours cannot do: worktrees, and refs that are not files. None of its
// commands starts a program by that config: hooks are off, and so are the protocols.
func newLiveGit(root Root, started *atomic.Int64) git {
	return git{
		dir: root.Dir,
		env: append(cleanEnv(os.Environ()), "GIT_DIR="+root.git, "GIT_WORK_TREE="+root.Dir, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"),
		options: []string{
			"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false",
			"-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "protocol.allow=never",
		},
		started: started,
	}
}

// newFrozenGit returns a git for the user's checkout that works with a git folder of ours.
func newFrozenGit(root Root, folder *gitfolder.Folder, started *atomic.Int64) git {
	return git{dir: root.Dir, env: append(cleanEnv(os.Environ()), folder.Env()...), started: started, folder: folder, tree: root.Dir}
}

// newSnapshotGit returns a git for a repository of mulligan's own, without the user's and the system's
// config.
func newSnapshotGit(dir string, started *atomic.Int64) git {
	env := append(append(cleanEnv(os.Environ()), "GIT_DIR="+dir), gitfolder.Isolation()...)
	return git{dir: dir, env: env, started: started, options: []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}}
}

// withEnv returns the same git with variables added; later ones win.
func (g git) withEnv(kv ...string) git {
	g.env = slices.Concat(g.env, kv)
	return g
}

// newTool returns the command, and counts it as started. The error is a *gitfolder.NotFileError if git would
// wait for something that is no file.
func (g git) newTool(args []string) (process.Tool, error) {
	if err := g.prepare(args); err != nil {
		return process.Tool{}, fmt.Errorf("git %s: %w", commandName(args), err)
	}
	g.started.Add(1)
	if g.before != nil {
		g.before(commandName(args))
	}
	return process.Tool{Dir: g.dir, Env: g.env, Argv: slices.Concat([]string{"git"}, g.options, args), Hold: g.hold, Tidy: true}, nil
}

// prepare sees that git will find files where it reads files.
func (g git) prepare(args []string) error {
	n, err := needsOf(args)
	if err != nil || g.folder == nil {
		return err
	}
	if n&readsTree != 0 {
		if err := g.checkRules(); err != nil {
			return err
		}
	}
	if n&needsRefs != 0 {
		if err := g.folder.CheckRefs(); err != nil {
			return err
		}
	}
	if n&writesRefs != 0 {
		g.folder.MakeLogs()
	}
	return g.folder.Prepare(lastValue(g.env, "GIT_INDEX_FILE"), n&needsHead != 0)
}

// checkRules returns an error if a file of rules in the checkout is known to be no file. In a session's workspace
// such a pipe or device, which holds nothing, is removed instead.
func (g git) checkRules() error {
	paths := []string{ignoreFile, attributesFile, modulesFile, ".mailmap"}
	if g.odd != nil {
		paths = append(paths, g.odd()...)
	}
	for _, path := range paths {
		full := filepath.Join(g.tree, filepath.FromSlash(path))
		st, err := os.Lstat(full)
		if err != nil || !blocksReader(st.Mode()) {
			continue
		}
		if g.removed == nil || os.Remove(full) != nil {
			return &gitfolder.NotFileError{Path: full, Mode: st.Mode()}
		}
		g.removed(full)
	}
	return nil
}

// blocksReader reports whether a program that reads the file may wait for ever.
func blocksReader(mode fs.FileMode) bool {
	return mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice) != 0
}

// lastValue returns the value of a variable that counts.
func lastValue(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// run runs a command and returns its output. The error is a gitError if git failed, a *LimitError if it took
// too long, a *gitfolder.NotFileError if it was not started, or the cause of ctx's end.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.runWithInput(ctx, nil, args...)
}

// line runs a command and returns its output without the line's end.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// runWithInput is run with input for the command. If a signal ends git while ctx lasts, as when a service
// manager signals all processes at once, git is run once more: what we have begun is to be completed, even
// if we are about to stop.
func (g git) runWithInput(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	for tries := 1; ; tries++ {
		t, err := g.newTool(args)
		if err != nil {
			return nil, err
		}
		if input != nil {
			t.Stdin = bytes.NewReader(input)
		}
		out, err := g.runTool(ctx, t, args)
		failed, _ := errors.AsType[*process.ToolError](err)
		switch {
		case err == nil:
			return out, nil
		case ctx.Err() != nil:
			return out, fmt.Errorf("git %s: %w", commandName(args), context.Cause(ctx))
		case failed == nil:
			return out, err
		case tries > 1 || !failed.Ended():
			return out, gitError{commandName(args), failed}
		}
	}
}

// runTool runs a git within its limit: under a keeper if it may start filters, else by itself.
func (g git) runTool(ctx context.Context, t process.Tool, args []string) ([]byte, error) {
	limit := g.limitOf(args)
	if g.startsFilters(args) {
		return g.filters.run(ctx, t, limit)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := t.Output(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return out, &LimitError{Command: commandName(args), Dir: g.dir, Limit: limit}
	}
	return out, err
}

// startsFilters reports whether a command may start a filter, and there is one.
func (g git) startsFilters(args []string) bool {
	n, _ := needsOf(args) // an unknown command is not started
	return n&runsFilter != 0 && g.filters != nil && g.folder != nil && len(g.folder.Frozen().Config.Filters()) > 0
}

// limitOf returns how long a command may take.
func (g git) limitOf(args []string) time.Duration {
	n, _ := needsOf(args) // an unknown command is not started
	if g.limit == 0 && (g.startsFilters(args) || n&runsSigner != 0) {
		return FilterLimit
	}
	return cmp.Or(g.limit, gitLimit)
}

// commandName returns the command's name, which follows its -c options.
func commandName(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// exitCode returns the exit code of a git that failed, or -1 if git did not exit by itself or err is nil.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return -1
}

// ErrNoGit means that git cannot be run on this system.
var ErrNoGit = errors.New("git cannot be run; install it, or put it on PATH")

// checkVersion returns an error if there is no git, or none that is new enough.
func checkVersion(ctx context.Context, g git) error {
	text, err := g.line(ctx, "version")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	var have [2]int
	if _, err := fmt.Sscanf(text, "git version %d.%d", &have[0], &have[1]); err != nil {
		return fmt.Errorf("%q is not a version of git that mulligan can read", text)
	}
	if slices.Compare(have[:], oldestGit[:]) < 0 {
		return fmt.Errorf("git %d.%d is too old; mulligan needs %d.%d or newer", have[0], have[1], oldestGit[0], oldestGit[1])
	}
	return nil
}
