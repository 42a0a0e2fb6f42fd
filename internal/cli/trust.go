package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mulligan/config"
	"mulligan/internal/environ"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/view"
)

// trustFlag is the flag that gives trust for one run.
const trustFlag = "trust"

// trustOptions are the flags of `trust`.
type trustOptions struct {
	Config string
	List   bool
	Revoke bool
}

func newTrust(a *App) *cobra.Command {
	var opt trustOptions
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Trust what this repository's own config may not decide alone",
		Long: `Trust lets the values hold that the repository's own mulligan.yaml has and may not decide alone:
an engine that is not embedded, sandbox: none, env: inherit of an agent, an address that outcomes
are sent to, and paths that leave the repository. Until then run, loop, resume and check name them and
end with exit 2, and commands that look connect to nothing that the file names.

It holds for this repository and for these values: one that changes needs trust again. --trust of
these commands, or MULLIGAN_TRUST=1, gives it for one run. What your own config file, a flag or a variable
says needs no trust. Checks, hooks and agents' programs are the repository's code: they run with ` + "`mulligan run`" + `.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.trust(opt) },
	}
	f := cmd.Flags()
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.BoolVar(&opt.List, "list", false, "only list the values, and whether each is trusted")
	f.BoolVar(&opt.Revoke, "revoke", false, "trust nothing of this repository any more")
	cmd.MarkFlagsMutuallyExclusive("list", "revoke")
	return cmd
}

// trust does what the options of `trust` say.
func (a *App) trust(opt trustOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	if opt.Revoke {
		return a.revokeTrust(root)
	}
	if !opt.List {
		if asked, err := a.TakeUserConfig(root); err != nil || asked {
			if err == nil {
				fmt.Fprintf(a.Stdout, "your own config %s is taken as it is\n", config.UserFile(a.Environ))
			}
			return err
		}
	}
	c, err := a.LoadConfig(root, environ.ConfigFlags{File: opt.Config})
	if err != nil {
		return err
	}
	if err := c.Err(); err != nil {
		return err
	}
	trusted, err := a.ReadTrust(root)
	if err != nil {
		return usererror.Usage(err.Error(), "")
	}
	claims := a.Claims(root, opt.Config, c)
	if len(claims) == 0 {
		fmt.Fprintf(a.Stdout, "%s has nothing that waits for trust\n", environ.RelativeTo(a.Dir, a.ConfigPath(root, opt.Config)))
		return nil
	}
	if opt.List {
		a.listClaims(claims, trusted.Has)
		return nil
	}
	a.listClaims(claims, func(config.Claim) bool { return true })
	return a.keepTrust(root, trusted, claims)
}

// keepTrust keeps that a person has trusted the claims, and those before them.
func (a *App) keepTrust(root string, trusted environ.Trust, claims []config.Claim) error {
	added := 0
	for _, claim := range claims {
		if !trusted.Has(claim) {
			trusted.Values = append(trusted.Values, environ.Trusted{Key: claim.Key, ID: claim.ID()})
			added++
		}
	}
	if added == 0 {
		return nil
	}
	if err := a.WriteTrust(root, trusted); err != nil {
		return err
	}
	// A session that runs is found where it is; otherwise the engine that is trusted now is looked at.
	folders, err := a.Folders()
	if err != nil {
		return err
	}
	if _, held := worklock.Read(folders.Lock(root)); held {
		return nil
	}
	return a.ForgetEngine(root)
}

// listClaims prints claims, a line each.
func (a *App) listClaims(claims []config.Claim, has func(config.Claim) bool) {
	for _, claim := range claims {
		state := "waits"
		if has(claim) {
			state = "trusted"
		}
		fmt.Fprintf(a.Stdout, "%-8s %s: %s  (%s)\n", state, view.Line(claim.Value.Path()), view.Line(claim.Shown()), view.Line(claim.Value.Origin()))
	}
}

// revokeTrust forgets what was trusted of a repository.
func (a *App) revokeTrust(root string) error {
	had, err := a.RevokeTrust(root)
	switch {
	case err != nil:
		return err
	case had:
		fmt.Fprintln(a.Stdout, "nothing of this repository is trusted any more")
	default:
		fmt.Fprintln(a.Stdout, "nothing of this repository was trusted")
	}
	return nil
}

// listTrustNotes returns a note if values of the config wait for trust.
func (a *App) listTrustNotes(root, file string, c *config.Config) ([]string, error) {
	waiting, err := a.ListUntrusted(root, file, c)
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	note := text.Count(len(waiting), "value") + " of the repository's own file need `mulligan trust` before a session runs:"
	for _, claim := range waiting {
		note += fmt.Sprintf(" %s: %s (%s)", claim.Value.Path(), claim.Shown(), claim.Value.Origin())
	}
	return []string{note}, nil
}
