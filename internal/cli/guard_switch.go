package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mulligan/hook/settings"
	"mulligan/internal/environ"
	"mulligan/internal/guardhook"
	"mulligan/internal/sessions"
)

func newGuardOn(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "on",
		Short: "Switch the guard on in this repository",
		Long: `On switches the guard on in this repository and its worktrees, in the sessions of mulligan and for
agents that you run yourself. It needs no mulligan.yaml, and goes before ` + "`guard: {enabled: …}`" + ` in one.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.switchGuard(environ.SwitchedOn) },
	}
}

func newGuardOff(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "off",
		Short: "Switch the guard off in this repository",
		Long: `Off switches the guard off for agents in this repository, whatever mulligan.yaml says. What it knows
of their tasks stays, and counts when it is switched on again. A session that runs keeps the guard
that it began with; one that is resumed has none.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.switchGuard(environ.SwitchedOff) },
	}
}

// switchGuard keeps what a person says of the guard in this repository.
func (a *App) switchGuard(to environ.Switch) error {
	root := guardhook.FindRoot(a.Dir)
	if err := a.SetGuardSwitch(root, to); err != nil {
		return err
	}
	if to == environ.SwitchedOff {
		fmt.Fprintf(a.Stdout, "the guard is off in %s; `mulligan guard on` switches it on\n", root)
		return nil
	}
	fmt.Fprintf(a.Stdout, "the guard is on in %s\n", root)
	s, err := guardhook.LoadSettings(a.Env, root)
	if err != nil {
		return err
	}
	if s.Wrong != nil {
		fmt.Fprintln(a.Stdout, "its config has mistakes, and until they are corrected every claim is denied: `mulligan guard status` shows them")
	}
	if len(a.listInstalled(root)) == 0 {
		fmt.Fprintln(a.Stdout, "it looks at mulligan's sessions; for agents that you run yourself `mulligan guard install` adds its hooks to their settings")
	}
	return nil
}

// An installation is a settings file that has the guard's hooks.
type installation struct {
	Agent string `json:"agent"`
	Scope string `json:"scope"` // project, user
	Path  string `json:"path"`
}

// listInstalled returns the settings files that have the guard's hooks. One that cannot be read has
// none: the agent's program cannot read it either.
func (a *App) listInstalled(root string) []installation {
	list := []installation{}
	for _, agent := range settings.Agents() {
		paths := map[string]string{"project": agent.ProjectPath(root)}
		if path, err := agent.UserPath(a.Getenv); err == nil {
			paths["user"] = path
		}
		for _, scope := range []string{"project", "user"} {
			if ok, err := settings.Installed(agent, paths[scope]); ok && err == nil {
				list = append(list, installation{Agent: agent.Name, Scope: scope, Path: paths[scope]})
			}
		}
	}
	return list
}

// warnOfDamage tells of sessions that cannot be read, while the others are used.
func (a *App) warnOfDamage(err error) {
	fmt.Fprintf(a.Stderr, "mulligan: %s\n  %s\n", sessions.DescribeDamage(err), sessions.DamageHint)
}
