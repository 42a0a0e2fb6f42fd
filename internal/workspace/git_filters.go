package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mulligan/internal/gitfolder"
	"mulligan/internal/process"
)

// A Keeper runs children, and ends what they leave behind. *process.Pool is one.
type Keeper interface {
	Run(ctx context.Context, s process.Spec) (process.Exit, error)
}

// Filters returns the filters of git's config that the workspace's gits may start.
func (w *Workspace) Filters() []gitfolder.Filter { return w.git.folder.Frozen().Config.Filters() }

// FilterErrors returns why filters cannot be run safely. A session does not begin with one of these.
func (w *Workspace) FilterErrors() []*gitfolder.ProgramError { return w.filterErrors }

// FilterHint returns what a person can do about a filter that cannot be run safely.
func FilterHint(e *gitfolder.ProgramError) string {
	return fmt.Sprintf("name a file of the repository itself, or a program outside of it: git config filter.%s.clean COMMAND; or remove the filter: git config --remove-section filter.%[1]s", e.Filter)
}

// FilterFolders returns the folders of the checkout whose copies a filter is started from, "." for the top.
func (w *Workspace) FilterFolders(f gitfolder.Filter) []string {
	return w.git.folder.Frozen().ProgramFolders(f)
}

// A filterRunner runs gits that may start filters: as a keeper's children, with the environment and the
// confinement of an agent, since a filter's program may be a file that an agent can write.
type filterRunner struct {
	keeper Keeper
	spec   process.Spec // of every run
	// confine returns the confinement of a run that may also write some folders; nil: there is none.
	confine func(scratch []string) *process.Confinement
	store   string // the folder of the snapshot repository, which has the scratch folders

	mu  sync.Mutex
	own *process.Pool // where no keeper was given
}

// newFilterRunner returns a runner. Without a keeper it makes one when the first filter runs.
func newFilterRunner(keeper Keeper, spec process.Spec) *filterRunner {
	spec.Role = process.RoleAgent
	return &filterRunner{keeper: keeper, spec: spec}
}

// run runs a git to its end and returns its output, as process.Tool does.
func (f *filterRunner) run(ctx context.Context, t process.Tool, limit time.Duration) ([]byte, error) {
	var stdout bytes.Buffer
	err := f.copy(ctx, t, &stdout, limit)
	return stdout.Bytes(), err
}

// copy is run with the output written to w.
func (f *filterRunner) copy(ctx context.Context, t process.Tool, w io.Writer, limit time.Duration) error {
	var stderr bytes.Buffer
	s := f.spec
	if f.confine != nil {
		s.Confine = f.confine(findScratch(f.store, t.Env))
	}
	s.Argv, s.Dir, s.Stdin, s.Stdout, s.Stderr, s.Timeout = t.Argv, t.Dir, t.Stdin, w, &stderr, limit
	s.Env = f.makeEnv(t.Env)
	exit, err := f.getKeeper().Run(ctx, s)
	switch {
	case err != nil:
		return &process.ToolError{Argv: t.Argv, Err: err, Stderr: stderr.String()}
	case exit.TimedOut:
		return &LimitError{Command: commandName(t.Argv[1:]), Dir: t.Dir, Limit: limit}
	case !exit.OK():
		return &process.ToolError{Argv: t.Argv, Err: filterExit{exit}, Stderr: stderr.String()}
	}
	return nil
}

// findScratch returns the scratch folders of a snapshot repository in which a git has its index, its objects or its files.
func findScratch(store string, env []string) []string {
	var folders []string
	for _, name := range []string{"GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"} {
		rel, err := filepath.Rel(store, lastValue(env, name))
		if err != nil || !strings.HasPrefix(rel, scratchPrefix) {
			continue
		}
		top, _, _ := strings.Cut(rel, string(filepath.Separator))
		if folder := filepath.Join(store, top); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// makeEnv returns the environment of a git and its filters: an agent's, with the variables that lead git to
// the repository.
func (f *filterRunner) makeEnv(env []string) []string {
	base := f.spec.Env
	if base == nil {
		base = process.AgentEnv(env, nil, false)
	}
	ours := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") })
	return process.Set(base, ours...)
}

// getKeeper returns the keeper, and makes one if there is none.
func (f *filterRunner) getKeeper() Keeper {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keeper != nil {
		return f.keeper
	}
	if f.own == nil {
		f.own = process.NewPool(process.PoolOptions{})
	}
	return f.own
}

// close ends the keeper that the runner has made.
func (f *filterRunner) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.own != nil {
		f.own.Close()
		f.own = nil
	}
}

// A filterExit is how a git under a keeper failed.
type filterExit struct{ process.Exit }

func (e filterExit) Error() string { return fmt.Sprint(e.Exit) }

// ExitCode returns git's exit code, or -1 if a signal ended it.
func (e filterExit) ExitCode() int { return e.Code }
