package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/hook/settings"
	"mulligan/internal/guardhook"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/workspace"
)

// A guardTarget is the settings file that a command is about.
type guardTarget struct {
	agent string
	user  bool
}

func (t *guardTarget) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.agent, "agent", "claude", "whose settings: "+strings.Join(guardAgents(), ", "))
	cmd.Flags().BoolVar(&t.user, "user", false, "your own settings, for all projects, instead of this project's")
}

// guardAgents returns the values of --agent.
func guardAgents() []string {
	var names []string
	for _, a := range settings.Agents() {
		names = append(names, a.Name)
	}
	return names
}

func newGuardInstall(a *App) *cobra.Command {
	var target guardTarget
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Add the guard's hooks to the settings of an agent's program",
		Long: `Install adds hooks to the settings of the agent's program, by which it calls mulligan whenever
its agent claims that a task is done: .claude/settings.json at the top of the repository (or in
the current folder outside of one), or with --user the user's own. Everything else in the file
stays as it is. Hooks of an earlier installation are replaced. The guard itself is switched on
by ` + "`mulligan guard on`" + `.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.installGuard(target) },
	}
	target.addFlags(cmd)
	return cmd
}

func newGuardUninstall(a *App) *cobra.Command {
	var target guardTarget
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take out the hooks of `guard install`, and nothing else",
		Long: `Uninstall takes the hooks that ` + "`mulligan guard install`" + ` has added out of the settings of the
agent's program. Everything else in the file stays as it is. A file that was made for the hooks
alone is removed.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.uninstallGuard(target) },
	}
	target.addFlags(cmd)
	return cmd
}

// guardSettings returns the program whose settings are meant, and the path of their file.
func (a *App) guardSettings(t guardTarget) (settings.Agent, string, error) {
	agent, ok := settings.FindAgent(t.agent)
	if !ok {
		return agent, "", usererror.Usage(
			fmt.Sprintf("the guard knows no hooks of an agent %q", t.agent),
			"--agent is one of: "+strings.Join(guardAgents(), ", "),
		)
	}
	if t.user {
		path, err := agent.UserPath(a.Getenv)
		if err != nil {
			return agent, "", usererror.Usage(err.Error(), "set HOME, or leave --user out")
		}
		return agent, path, nil
	}
	root, err := a.Root()
	if errors.Is(err, workspace.ErrNoRepository) {
		root, err = a.Dir, nil
	}
	return agent, agent.ProjectPath(root), err
}

func (a *App) installGuard(t guardTarget) error {
	agent, path, err := a.guardSettings(t)
	if err != nil {
		return err
	}
	program, err := a.ownProgram()
	if err != nil {
		return err
	}
	change, err := settings.Install(agent, path, program)
	if err != nil {
		return explainSettingsError(agent, err)
	}
	switch {
	case change.Made:
		fmt.Fprintf(a.Stdout, "made %s: %s asks the guard at\n", change.Path, agent.Title)
	case len(change.Replaced) > 0:
		fmt.Fprintf(a.Stdout, "replaced an earlier installation in %s: %s asks the guard at\n", change.Path, agent.Title)
	case change.Written:
		fmt.Fprintf(a.Stdout, "wrote %s: %s asks the guard at\n", change.Path, agent.Title)
	default:
		fmt.Fprintf(a.Stdout, "nothing to do: %s has the hooks already\n", change.Path)
	}
	a.printHooks(change.Hooks)
	a.warnAboutSettings(agent, change)
	for _, note := range agent.Notes {
		fmt.Fprintf(a.Stdout, "note: %s\n", note)
	}
	if strings.ContainsRune(program, '/') && !t.user {
		fmt.Fprintf(a.Stdout, "note: the hooks name this program by its path, since `mulligan` on PATH is not it: do not share the file, or put mulligan on PATH and install again\n")
	}
	return a.printGuardNext(t)
}

// printGuardNext prints what is left to do after an installation.
func (a *App) printGuardNext(t guardTarget) error {
	set, err := guardhook.LoadSettings(a.Env, guardhook.FindRoot(a.Dir))
	switch {
	case err != nil:
		return err
	case t.user:
		fmt.Fprintln(a.Stdout, "next: `mulligan guard on` in each repository that the guard is for; `mulligan guard status` shows it")
	case set.IsOn():
		fmt.Fprintln(a.Stdout, "the guard is on here: `mulligan guard status` shows it")
	default:
		fmt.Fprintln(a.Stdout, "next: `mulligan guard on` switches the guard on here; `mulligan guard status` shows it")
	}
	return nil
}

func (a *App) printHooks(hooks []settings.Hook) {
	for _, h := range hooks {
		when := h.Event
		if h.Matcher != "" {
			when += " of " + h.Matcher
		}
		fmt.Fprintf(a.Stdout, "  %s: %s\n", when, h.Command)
	}
}

// warnAboutSettings tells what keeps the program from running the hooks that are in its settings.
func (a *App) warnAboutSettings(agent settings.Agent, change settings.Change) {
	if change.Unreadable != nil {
		fmt.Fprintf(a.Stderr, "warning: %v: %s ignores the whole file for that, and runs no hook: take it out\n", change.Unreadable, agent.Title)
	}
	if change.Disabled {
		fmt.Fprintf(a.Stderr, "warning: %s: disableAllHooks is true: %s runs no hook\n", change.Path, agent.Title)
	}
}

func (a *App) uninstallGuard(t guardTarget) error {
	agent, path, err := a.guardSettings(t)
	if err != nil {
		return err
	}
	change, err := settings.Uninstall(agent, path)
	if err != nil {
		return explainSettingsError(agent, err)
	}
	switch {
	case !change.Written:
		fmt.Fprintf(a.Stdout, "nothing to do: %s has no hooks of `mulligan guard install`\n", change.Path)
		return nil
	case change.Removed:
		fmt.Fprintf(a.Stdout, "removed %s, which had nothing but\n", change.Path)
	default:
		fmt.Fprintf(a.Stdout, "took out of %s\n", change.Path)
	}
	a.printHooks(change.Hooks)
	return nil
}

// ownProgram returns how a hook calls this program: by its name where PATH has it, else by its path.
func (a *App) ownProgram() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	named, err := process.Find("mulligan", a.Dir, a.Environ)
	if err != nil {
		return own, nil
	}
	ours, err1 := os.Stat(own)
	theirs, err2 := os.Stat(named)
	if err1 == nil && err2 == nil && os.SameFile(ours, theirs) {
		return "mulligan", nil
	}
	return own, nil
}

// explainSettingsError adds what a person can do about a settings file that was not written.
func explainSettingsError(agent settings.Agent, err error) error {
	if mistake := new(settings.Mistake); errors.As(err, &mistake) {
		return usererror.Usage(err.Error(), fmt.Sprintf("nothing was written: put it right, so that %s can read it, and give the command again", agent.Title))
	}
	if errors.Is(err, settings.ErrChanged) {
		return usererror.Usage(err.Error(), "nothing was written: give the command again")
	}
	return err
}
