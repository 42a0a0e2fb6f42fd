package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/durable"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/internal/regular"
	"mulligan/internal/usererror"
	"mulligan/plan"
	"mulligan/view"
)

func newRetryConfigSet(a *App) *cobra.Command {
	var opt retryConfigOptions
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a value, for you alone or with --shared in mulligan.yaml",
		Long: `Set changes one value of adaptive_retry. It is checked as the config is; a value that is wrong is
refused, and nothing is written. The items of a list have commas between them.

  mulligan retry-config set max_retries 5
  mulligan retry-config set strategies.implement incremental,fresh-start
  mulligan retry-config set define.careful.append "Read the tests before you change anything."

Without --shared the value is kept in a file of this repository in mulligan's state folder, and holds
in all its checkouts. With --shared mulligan.yaml is edited; its comments and its layout stay.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.setRetryConfig(cmd.Context(), opt, args[0], args[1])
		},
	}
	cmd.Flags().StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	cmd.Flags().BoolVar(&opt.Shared, "shared", false, "edit mulligan.yaml instead")
	return cmd
}

// retryFileHead begins a retry file.
const retryFileHead = "# Written by `mulligan retry-config set`; it goes before mulligan.yaml. `mulligan retry-config reset` deletes it.\n"

// setRetryConfig changes one value of adaptive_retry.
func (a *App) setRetryConfig(ctx context.Context, opt retryConfigOptions, key, text string) error {
	path, value, err := builtin.Schema().RetrySetting(key, text)
	if wrong := new(config.KeyError); errors.As(err, &wrong) {
		return usererror.Usage(wrong.Words, wrong.Hint)
	}
	if err != nil {
		return err
	}
	root, err := a.Root()
	if err != nil {
		return err
	}
	edit := retryEdit{App: a, root: root, opt: opt, path: path, value: value}
	if opt.Shared {
		return edit.setShared()
	}
	return edit.setOwn(ctx)
}

// A retryEdit is one value that is being set.
type retryEdit struct {
	*App
	root  string
	opt   retryConfigOptions
	path  []string
	value string
}

// setOwn sets the value in the retry file.
func (e retryEdit) setOwn(ctx context.Context) error {
	path, err := e.RetryFile(e.root)
	if err != nil {
		return err
	}
	unlock, err := lockRetryFile(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	text, damage, err := environ.ReadRetryFile(path)
	if err != nil {
		return err
	}
	edited, err := config.SetKey(append([]byte(nil), text...), e.path, e.value)
	if errors.Is(err, config.ErrNotEditable) {
		return usererror.Usage(fmt.Sprintf("%s cannot be changed: %v", path, err), "`mulligan retry-config reset` deletes it; or edit it yourself")
	}
	if err != nil {
		return err
	}
	if text == nil {
		edited = append([]byte(retryFileHead), edited...)
	}
	if err := e.checkOwn(path, edited); err != nil {
		return err
	}
	kept, err := environ.WriteRetryFile(path, edited, damage != nil)
	if err != nil {
		return err
	}
	if kept != "" {
		fmt.Fprintf(e.Stderr, "mulligan: the retry file was damaged (%s): it is kept as %s, and a new one is written\n", view.Line(damage.Why), view.Line(kept))
	}
	e.printSet(path)
	return nil
}

// lockPatience is how long `set` waits for another one.
const lockPatience = 10 * time.Second

// lockRetryFile keeps others from changing the retry file at the same time.
func lockRetryFile(ctx context.Context, path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock, err := lockfile.LockWait(ctx, filepath.Join(filepath.Dir(path), "lock"))
	if err != nil {
		return nil, err
	}
	return func() { lock.Unlock() }, nil
}

// checkOwn returns the mistakes in adaptive_retry that the edited retry file would bring.
func (e retryEdit) checkOwn(path string, edited []byte) error {
	if err := builtin.Schema().CheckRetryText(path, edited).Err(); err != nil {
		return err
	}
	now, err := e.findMistakes(nil)
	if err != nil {
		return err
	}
	then, err := e.findMistakes(map[string][]byte{path: edited})
	if err != nil {
		return err
	}
	return slices.DeleteFunc(then, func(m config.Mistake) bool {
		isOld := slices.ContainsFunc(now, func(o config.Mistake) bool { return o.Path == m.Path && o.Message == m.Message })
		return isOld || !strings.HasPrefix(m.Path, "adaptive_retry")
	}).Err()
}

// findMistakes returns all mistakes of the config, where files have other texts.
func (e retryEdit) findMistakes(texts map[string][]byte) (config.Mistakes, error) {
	c, err := e.LoadEditedConfig(e.root, environ.ConfigFlags{File: e.opt.Config}, texts)
	if err != nil {
		return nil, err
	}
	_, err = plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: e.root, Secrets: e.Secrets.Clean, Confines: e.Confines()})
	var mistakes config.Mistakes
	if errors.As(err, &mistakes) {
		return mistakes, nil
	}
	return nil, err
}

// setShared sets the value in the project's config file.
func (e retryEdit) setShared() error {
	path := e.ConfigPath(e.root, e.opt.Config)
	name := environ.RelativeTo(e.Dir, path)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usererror.Usage("there is no "+name, "`mulligan init` writes one that fits this repository")
	}
	if _, err := config.ReadFile(path); err != nil {
		return usererror.Usage(name+" "+err.Error(), "")
	}
	text, err1 := regular.ReadFile(path, config.MaxBytes)
	real, err2 := filepath.EvalSymlinks(path)
	if err := errors.Join(err, err1, err2); err != nil {
		return err
	}
	edited, err := config.SetKey(text, e.path, e.value)
	if errors.Is(err, config.ErrNotEditable) {
		return usererror.Usage(fmt.Sprintf("%s is not changed: %v", name, err), fmt.Sprintf("set %s: %s in it yourself", strings.Join(e.path, "."), e.value))
	}
	if mistakes := (config.Mistakes{}); errors.As(err, &mistakes) {
		for i := range mistakes {
			mistakes[i].File = name
		}
		return mistakes
	}
	if err != nil {
		return err
	}
	mistakes, err := e.findMistakes(map[string][]byte{path: edited})
	if err == nil {
		err = mistakes.Err()
	}
	if err != nil {
		return err
	}
	err = durable.Update(real, edited, info.Mode().Perm(), func() error { return checkUnchanged(path, text) })
	if err != nil {
		return err
	}
	e.printSet(name)
	return nil
}

// checkUnchanged returns an error if a file does not have that text any more.
func checkUnchanged(path string, text []byte) error {
	now, err := regular.ReadFile(path, config.MaxBytes)
	if err == nil && !bytes.Equal(now, text) {
		err = usererror.Usage(fmt.Sprintf("%s was changed meanwhile by another program", path), "nothing was written: give the command again")
	}
	return err
}

// printSet tells what was set, and what goes before it.
func (e retryEdit) printSet(file string) {
	key := strings.Join(e.path[1:], ".")
	fmt.Fprintf(e.Stdout, "%s: %s, in %s\n", view.Line(key), view.Line(e.value), view.Line(file))
	c, err := e.LoadConfig(e.root, environ.ConfigFlags{File: e.opt.Config})
	if err != nil {
		return // it was checked a moment ago
	}
	if now := c.Get(e.path...); now.Origin() != "" && !strings.HasPrefix(now.Origin(), file+":") {
		fmt.Fprintf(e.Stdout, "note: %s goes before it\n", view.Line(now.Origin()))
	}
}
