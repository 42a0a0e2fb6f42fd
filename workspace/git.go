package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

const (
	// gitLimit is how long a git may take.
	gitLimit = 5 * time.Minute
	// cloneLimit is how long the first copy of a repository may take.
	cloneLimit = time.Hour
)

// A git runs the git program with one environment. It is safe for concurrent use.
type git struct {
	dir     string   // where it runs
	env     []string // all of its environment
	options []string // before the command
	limit   time.Duration
	hold    *os.File             // a file that each git inherits and holds open; may be nil
	before  func(string)         // called with the command's name before each git that writes; may be nil
	watch   func() (stop func()) // called while each git runs; may be nil
}

// ErrNoGit means that there is no git to run.
var ErrNoGit = errors.New("there is no git on PATH")

// A GitError means that a git command failed. Its text is what git printed.
type GitError struct {
	Command string
	Stderr  string
	Err     error
}

func (e *GitError) Error() string {
	return fmt.Sprintf("git %s: %s", e.Command, cmp.Or(strings.TrimSpace(e.Stderr), e.Err.Error()))
}

func (e *GitError) Unwrap() error { return e.Err }

// A LimitError means that a git command took longer than it may, and was stopped.
type LimitError struct {
	Command string
	Dir     string
	Limit   time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("git %s did not end within %v in %s and was stopped", e.Command, e.Limit, e.Dir)
}

// keptVariables are git's variables that tell who the user is and how their git is set up. All others
// (GIT_DIR, GIT_INDEX_FILE …) would point git elsewhere.
var keptVariables = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
	"GIT_ATTR_NOSYSTEM", "GIT_EXEC_PATH",
}

// cleanEnv returns the user's environment without the variables that would misdirect git.
func cleanEnv(environ []string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		kept := slices.Contains(keptVariables, name) || strings.HasPrefix(name, "GIT_LFS_") ||
			strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
		return name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !kept
	})
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
}

// newPersonGit returns a git on the person's own repository, with their config as it is. It is for reading, and for
// the one fetch that brings them a branch: no hook runs, and nothing is fetched from elsewhere.
func newPersonGit(root string, environ []string) git {
	return git{
		dir: root, env: append(cleanEnv(environ), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=file"),
		options: []string{
			"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false",
			"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "protocol.file.allow=always", "-c", "fetch.recurseSubmodules=false",
		},
	}
}

// newOwnGit returns a git on a repository of mulligan's own, which reads no config but that repository's and the file
// config, "" for none.
func newOwnGit(gitDir, config string, environ []string) git {
	env := append(append(cleanEnv(environ), gitfolder.Isolation()...), "GIT_DIR="+gitDir, "GIT_ALLOW_PROTOCOL=file")
	if config != "" {
		env = append(env, "GIT_CONFIG_GLOBAL="+config)
	}
	return git{dir: gitDir, env: env, options: []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "protocol.file.allow=always"}}
}

// with returns the same git with variables added; later ones win.
func (g git) with(kv ...string) git {
	g.env = slices.Concat(g.env, kv)
	return g
}

// in returns the same git in another folder.
func (g git) in(dir string) git {
	g.dir = dir
	return g
}

// run runs a command and returns its output. The error is a *GitError if git failed, a *LimitError if it took too long,
// or the cause of ctx's end.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.feed(ctx, nil, args...)
}

// line runs a command and returns its output without the line's end.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// feed is run with input for the command. A git that a signal has ended while ctx lasts is run once more: what was begun
// is to be completed, even if we are about to stop.
func (g git) feed(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	out, err := g.try(ctx, input, args)
	if failed, ok := errors.AsType[*process.ToolError](err); ok && failed.Ended() && ctx.Err() == nil {
		out, err = g.try(ctx, input, args)
	}
	return out, err
}

// try runs a command once.
func (g git) try(ctx context.Context, input []byte, args []string) ([]byte, error) {
	limit := cmp.Or(g.limit, gitLimit)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if g.watch != nil {
		defer g.watch()()
	}
	out, err := g.tool(input, args).Output(limited)
	return out, g.explain(ctx, limited, limit, nameCommand(args), err)
}

// tool returns the git that runs a command.
func (g git) tool(input []byte, args []string) process.Tool {
	if command := nameCommand(args); g.before != nil && !slices.Contains(readers, command) {
		g.before(command)
	}
	t := process.Tool{Dir: g.dir, Env: g.env, Argv: slices.Concat([]string{"git"}, g.options, args), Hold: g.hold, Tidy: true}
	if input != nil {
		t.Stdin = bytes.NewReader(input)
	}
	return t
}

// readers are the commands that write nothing, as they are used here.
var readers = []string{
	"cat-file", "check-attr", "check-ignore", "diff", "diff-index", "diff-tree", "for-each-ref", "log", "ls-files", "ls-tree", "merge-base",
	"rev-list", "rev-parse", "status", "symbolic-ref", "var",
}

// nameCommand returns the command among git's arguments, after its options.
func nameCommand(args []string) string {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return args[0]
}

// explain returns why a command failed that had the context limited, which ends with ctx and after limit.
func (g git) explain(ctx, limited context.Context, limit time.Duration, command string, err error) error {
	failed, _ := errors.AsType[*process.ToolError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", command, context.Cause(ctx))
	case limited.Err() != nil:
		return &LimitError{Command: command, Dir: g.dir, Limit: limit}
	case failed != nil && failed.Missing():
		return ErrNoGit
	case failed != nil && strings.Contains(failed.Stderr, "couldn't write '") && isFull(g.dir): // git does not say why of a ref
		return fmt.Errorf("%w: %w", &GitError{Command: command, Stderr: failed.Stderr, Err: err}, syscall.ENOSPC)
	case failed != nil:
		return &GitError{Command: command, Stderr: failed.Stderr, Err: err}
	}
	return err
}

// splitNull splits output that ends each item with a NUL.
func splitNull(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
