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
	"sync/atomic"

	"mulligan/internal/process"
)

// oldestGit is the first version of git that has all that we use.
var oldestGit = [2]int{2, 25}

// A git runs the git program on one repository.
type git struct {
	dir     string // where it runs
	env     []string
	options []string      // options before the command
	started *atomic.Int64 // counts the processes
	before  func(string)  // see Options.Before
	hold    *os.File      // see Options.Hold
}

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

// newUserGit returns a git for the user's checkout, with the user's config except for settings that run
// programs of the repository's choosing: hooks, and the file system monitor.
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

// newSnapshotGit returns a git for a repository of mulligan's own, without the user's and the system's
// config.
func newSnapshotGit(dir string, started *atomic.Int64) git {
	env := append(cleanEnv(os.Environ()), "GIT_DIR="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_COUNT=0")
	return git{dir: dir, env: env, started: started}
}

// withEnv returns the same git with variables added; later ones win.
func (g git) withEnv(kv ...string) git {
	g.env = slices.Concat(g.env, kv)
	return g
}

// newTool returns the command, and counts it as started.
func (g git) newTool(args []string) process.Tool {
	g.started.Add(1)
	if g.before != nil {
		g.before(commandName(args))
	}
	return process.Tool{Dir: g.dir, Env: g.env, Argv: slices.Concat([]string{"git"}, g.options, args), Hold: g.hold, Tidy: true}
}

// run runs a command and returns its output. The error is a gitError, unless ctx has ended.
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
		t := g.newTool(args)
		if input != nil {
			t.Stdin = bytes.NewReader(input)
		}
		out, err := t.Output(ctx)
		failed, _ := errors.AsType[*process.ToolError](err)
		switch {
		case err == nil:
			return out, nil
		case ctx.Err() != nil:
			return out, fmt.Errorf("git %s: %w", commandName(args), context.Cause(ctx))
		case tries > 1 || !failed.Ended():
			return out, gitError{commandName(args), failed}
		}
	}
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
