package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mulligan/config"
	"mulligan/internal/usererror"
)

// helpHint returns the hint that leads to the help of a command.
func helpHint(cmd *cobra.Command) string {
	return "`" + cmd.CommandPath() + " --help` says what it takes"
}

// explainFlagError makes a mistake in the flags an error of usage, with the flag that was probably meant.
func explainFlagError(cmd *cobra.Command, err error) error {
	hint := helpHint(cmd)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" { // a long flag
		var names []string
		for _, m := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
			names = append(names, m[1])
		}
		if near := findNearest(unknown.GetSpecifiedName(), names); near != "" {
			hint = fmt.Sprintf("did you mean --%s?", near)
		}
	}
	return usererror.Usage(err.Error(), hint)
}

// requireArgs makes a wrong number of arguments an error of usage, like every other mistake.
func requireArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		// Cobra would check these after us, and its words do not help.
		if err := cmd.ValidateFlagGroups(); err != nil {
			_, group, _ := strings.Cut(err.Error(), "[") // the flags that exclude each other, which cobra has only in its words
			group, _, _ = strings.Cut(group, "]")
			return usererror.Usage(fmt.Sprintf("--%s cannot be given together", strings.ReplaceAll(group, " ", " and --")), "")
		}
		if check(cmd, args) == nil {
			return nil
		}
		what := fmt.Sprintf("`%s` does not take %s", cmd.CommandPath(), strings.Join(args, " "))
		if len(args) == 0 {
			what = fmt.Sprintf("`%s` needs an argument", cmd.CommandPath())
		}
		return usererror.Usage(what, fmt.Sprintf("it is `%s`", cmd.UseLine()))
	}
}

// refuseUnknownCommand refuses a word that is no command, and names the nearest that is.
func refuseUnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := helpHint(cmd)
	if near := findNearest(args[0], names); near != "" {
		hint = fmt.Sprintf("did you mean `%s %s`?", cmd.CommandPath(), near)
	}
	return usererror.Usage(fmt.Sprintf("`%s` has no command %q", cmd.CommandPath(), args[0]), hint)
}

// findNearest returns the name that was probably meant, or "": one spelt alike, or one cut short.
func findNearest(word string, names []string) string {
	if near := config.Nearest(word, names); near != "" {
		return near
	}
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			return name
		}
	}
	return ""
}

// showHelp prints the help of a command.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// makeStrict makes a command that has others below it, or that cobra brings along, refuse what it does
// not know: cobra prints help and calls that a success.
func makeStrict(cmd *cobra.Command) {
	if cmd.HasSubCommands() {
		cmd.Args = refuseUnknownCommand
		if cmd.RunE == nil {
			cmd.RunE = showHelp
		}
		for _, sub := range cmd.Commands() {
			if sub.Args == nil {
				sub.Args = cobra.NoArgs
			}
			sub.Args = requireArgs(sub.Args)
		}
		return
	}
	cmd.Run, cmd.RunE = nil, func(cmd *cobra.Command, args []string) error {
		about, rest, err := cmd.Root().Find(args)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return refuseUnknownCommand(about, rest)
		}
		return about.Help()
	}
}
