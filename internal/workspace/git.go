package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"mulligan/internal/process"
)

// oldestGit is the git that we ask for: the first that has all we use.
var oldestGit = [2]int{2, 25}

// A git runs the git program on one repository.
type git struct {
	dir     string // where it runs
	env     []string
	options []string      // options before the command
	started *atomic.Int64 // processes so far, for whoever counts them
	before  func(string)  // see Options.Before
	hold    *os.File      // see Options.Hold
}

// GitError is a git command that failed.
type GitError struct {
	Command string
	Stderr  string
	Err     error
}

func (e *GitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.Err)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *GitError) Unwrap() error { return e.Err }

// keptVariables are the variables of git's that say who the user is and how their git is set up. All
// others (GIT_DIR, GIT_INDEX_FILE …) would point us elsewhere than at the workspace.
var keptVariables = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT",
	"GIT_ATTR_NOSYSTEM", "GIT_EXEC_PATH",
}

func isKeptVariable(name string) bool {
	for _, prefix := range []string{"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_LFS_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains(keptVariables, name)
}

// cleanEnv is the user's environment without what would misdirect git.
func cleanEnv(environ []string) []string {
	env := make([]string, 0, len(environ)+8)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !isKeptVariable(name) {
			continue
		}
		env = append(env, kv)
	}
	// Replacement objects would let a commit show other content than it has.
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
}

// newUserGit runs git on the user's checkout, as theirs but for whatever would run a program
// of the repository's choosing: hooks, and the file system monitor.
func newUserGit(root Root, started *atomic.Int64) git {
	return git{
		dir: root.Dir,
		env: append(cleanEnv(os.Environ()), "GIT_DIR="+root.git, "GIT_WORK_TREE="+root.Dir),
		options: []string{
			"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.splitIndex=false",
			"-c", "submodule.recurse=false", "-c", "gc.auto=0",
		},
		started: started,
	}
}

// newSnapshotGit runs git on a repository of mulligan's own: nobody's config counts.
func newSnapshotGit(dir string, started *atomic.Int64) git {
	env := append(cleanEnv(os.Environ()), "GIT_DIR="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_COUNT=0")
	return git{dir: dir, env: env, started: started}
}

// withEnv is the same git with variables added; later ones win.
func (g git) withEnv(kv ...string) git {
	g.env = slices.Concat(g.env, kv)
	return g
}

// inDir is the same git, run elsewhere.
func (g git) inDir(dir string) git {
	g.dir = dir
	return g
}

func (g git) newTool(args []string) process.Tool {
	g.started.Add(1)
	if g.before != nil {
		g.before(commandName(args))
	}
	return process.Tool{Dir: g.dir, Env: g.env, Argv: slices.Concat([]string{"git"}, g.options, args), Hold: g.hold, Tidy: true}
}

// run gives the command's output.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.runWithInput(ctx, nil, args...)
}

// line gives the command's output without the end of its line.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// runWithInput gives the command input, and then its output. A git that somebody has ended, as who stops a whole
// service does, is run once more: what we are in the middle of is to be done, also when we are to stop.
func (g git) runWithInput(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	out, err := g.runOnce(ctx, input, args)
	failed, ran := errors.AsType[*process.ToolError](err)
	if ran && failed.Ended() && ctx.Err() == nil {
		out, err = g.runOnce(ctx, input, args)
	}
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return out, fmt.Errorf("git %s: %w", commandName(args), context.Cause(ctx))
	}
	told := &GitError{Command: commandName(args), Err: err}
	if failed, ran := errors.AsType[*process.ToolError](err); ran {
		told.Stderr, told.Err = strings.TrimSpace(failed.Stderr), failed.Err
	}
	return out, told
}

func (g git) runOnce(ctx context.Context, input []byte, args []string) ([]byte, error) {
	t := g.newTool(args)
	if input != nil {
		t.Stdin = bytes.NewReader(input)
	}
	return t.Output(ctx)
}

// commandName is the word that names a command, after its -c options.
func commandName(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// exitCode is what git ended with, or -1 where it did not get that far.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return -1
}

// ErrNoGit is a system on which there is no git to be run.
var ErrNoGit = errors.New("git cannot be run; install it, or put it on PATH")

// checkVersion says whether there is a git, and one new enough.
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
