//go:build !race

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// listPaths returns the words of every command of the tree, hidden and nested ones included.
func listPaths(cmd *cobra.Command) [][]string {
	var paths [][]string
	for _, sub := range cmd.Commands() {
		paths = append(append(paths, strings.Fields(sub.CommandPath())[1:]), listPaths(sub)...)
	}
	return paths
}

// printed runs a command line and returns what a person gets to see.
func (tree *commandTree) printed(args []string) string {
	tree.root.SetArgs(args)
	code := reportError(&tree.err, tree.root.Execute(), false)
	return string(rune('0'+code)) + "\n" + tree.out.String() + "\n" + tree.err.String()
}

// refused returns what a person gets to see of arguments that the command of a path does not take.
func (tree *commandTree) refused(t *testing.T, path, args []string) string {
	t.Helper()
	cmd, rest, err := tree.root.Find(path)
	if err != nil || len(rest) > 0 {
		t.Fatalf("%q: %q is left, %v", path, rest, err)
	}
	tree.err.Reset()
	reportError(&tree.err, cmd.ValidateArgs(args), false)
	return tree.err.String()
}

// wrongFlags returns ends of a command line that each command refuses before it runs: unknown flags, and
// each of its own misspelt, without its value and with a wrong one.
func wrongFlags(t *testing.T, path []string) [][]string {
	t.Helper()
	cmd, _, err := makeTree().root.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := [][]string{{"--no-such-flag"}, {"-Z"}, {"--hlep"}, {"--engin=x"}, {"--engine"}, {"x", "--no-such-flag"}}
	cmd.InheritedFlags() // cmd.Flags has them only then
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		ends = append(ends, []string{"--" + f.Name + "x"})
		switch f.Value.Type() {
		case "bool", "int", "int64", "float64", "duration":
			ends = append(ends, []string{"--" + f.Name + "=no such value"})
		}
		if f.NoOptDefVal == "" {
			ends = append(ends, []string{"--" + f.Name})
		}
	})
	return ends
}

// A command that is made alone is the one among all others: its help, and what is said about flags,
// commands below it and arguments that it does not have.
func TestCommandAlone(t *testing.T) {
	for _, path := range listPaths(makeTree().root) {
		for _, end := range append(wrongFlags(t, path), []string{"--help"}, []string{"-h"}, []string{"--help", "--no-such-flag"}) {
			args := slices.Concat(path, end)
			if got, want := makeTree(args...).printed(args), makeTree().printed(args); got != want {
				t.Errorf("%q alone:\n%s\namong all:\n%s", args, got, want)
			}
		}
		alone, among := makeTree(path...), makeTree()
		for _, args := range [][]string{nil, {"statu"}, {"instal"}, {"no-such"}, {"a", "b", "c", "d", "e"}} {
			if got, want := alone.refused(t, path, args), among.refused(t, path, args); got != want {
				t.Errorf("%q with %q alone:\n%s\namong all:\n%s", path, args, got, want)
			}
		}
	}
}
