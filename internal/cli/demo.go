package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/internal/process"
	"mulligan/internal/usererror"
)

// demoFiles are a small project with failing tests, and the script of an agent that needs
// two attempts to make them pass.
//
//go:embed demo
var demoFiles embed.FS

func newDemo(a *App) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work, with nothing to set up",
		Long: `Demo makes a small git repository with failing tests in a temporary folder and runs a real
pipeline on it: the checks, the feedback, the journal and the commits are real, only the
agent plays a script. Nothing of yours is touched.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runDemo(cmd.Context(), dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "make the repository in this new folder instead of a temporary one")
	return cmd
}

// runDemo makes the demo repository and runs its pipeline.
func (a *App) runDemo(ctx context.Context, dir string) error {
	dir, err := a.makeDemoFolder(dir)
	if err != nil {
		return err
	}
	files, err := fs.Sub(demoFiles, "demo")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	if err := a.commitDemo(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "a small repository with failing tests: %s\n\n", dir)
	env := *a.Env
	env.Dir = dir
	there := &App{Env: &env}
	err = there.run(ctx, runOptions{Path: filepath.Join("tasks", "slug.md"), Forwarded: []string{"--foreground"}})
	if code := usererror.Exit(0); err != nil && !errors.As(err, &code) {
		return err
	}
	branch, failed := a.findDemoBranch(ctx, dir)
	if failed != nil {
		return failed
	}
	fmt.Fprintf(a.Stdout, `
main is as it was; the work is on a branch of the session's own
  cd %s
  git log --stat --branches  the two commits, with what verified them
  mulligan diff              all that the session changed
  git merge %s
                             takes it over into main
look at it
  mulligan log               what happened, event by event
  mulligan take              a branch of any attempt
  cat mulligan.yaml          the plan; `+"`mulligan init`"+` writes one for your own
`, usererror.QuotePath(dir), branch)
	if _, missing := process.Find("mulligan", a.Dir, a.Environ); missing != nil {
		fmt.Fprintln(a.Stdout, "\nmulligan is not on your PATH: `make build`, where this came from, puts it at bin/mulligan")
	}
	return err
}

// makeDemoFolder makes the folder of the demo: a temporary one if dir is "".
func (a *App) makeDemoFolder(dir string) (string, error) {
	if dir == "" {
		made, err := os.MkdirTemp(a.Getenv("TMPDIR"), "mulligan-demo-")
		if err != nil {
			return "", err
		}
		// The name as the system knows it: on some systems git reports another.
		return filepath.EvalSymlinks(made)
	}
	dir = a.Abs(dir)
	if _, err := os.Lstat(dir); err == nil {
		return "", usererror.Usage(dir+" is there already", "--dir names a folder that does not exist yet")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", usererror.Usage(err.Error(), "")
	}
	return filepath.EvalSymlinks(dir)
}

// findDemoBranch returns the branch of the demo's session.
func (a *App) findDemoBranch(ctx context.Context, dir string) (string, error) {
	out, err := process.Tool{Dir: dir, Env: a.Environ, Argv: []string{"git", "branch", "--format=%(refname)", "--list", "mulligan/*"}}.Output(ctx)
	return strings.TrimSpace(string(out)), err
}

// commitDemo makes the repository and its first commit, with an identity of its own.
func (a *App) commitDemo(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A"},
		{"-c", "user.name=mulligan demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "-qm", "A project with failing tests"},
	} {
		if _, err := (process.Tool{Dir: dir, Env: a.Environ, Argv: append([]string{"git"}, args...)}).Output(ctx); err != nil {
			return err
		}
	}
	return nil
}
