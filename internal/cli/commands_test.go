package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mulligan/internal/environ"
)

// A commandTree is the commands that are made for one command line.
type commandTree struct {
	root     *cobra.Command
	out, err bytes.Buffer
}

// makeTree makes the commands for a command line; for none it makes all of them.
func makeTree(args ...string) *commandTree {
	tree := &commandTree{}
	app := &App{Env: &environ.Env{Stdin: strings.NewReader(""), Stdout: &tree.out, Stderr: &tree.err, Environ: []string{"LC_ALL=C"}}}
	tree.root = app.newRootCommand(args)
	tree.root.SetOut(&tree.out)
	tree.root.SetErr(&tree.err)
	return tree
}

// The first word of a command line decides which commands are made.
func TestCommandsThatAreMade(t *testing.T) {
	all := len(makeTree().root.Commands())
	for _, group := range commandGroups() {
		for _, entry := range group.commands {
			made := makeTree(entry.name, "--help").root.Commands()
			if len(made) != 1 || made[0].Name() != entry.name {
				t.Errorf("%s: %d commands are made, the first is %s", entry.name, len(made), made[0].Name())
			}
			if len(made) > 0 && len(made[0].Aliases) > 0 {
				t.Errorf("%s has other names, and with one of those all commands are made: %q", entry.name, made[0].Aliases)
			}
		}
	}
	for _, args := range [][]string{
		{""},
		{"-h"},
		{"--help"},
		{"--engine", "embedded", "version"},
		{"--engine=embedded", "version"},
		{"help"},
		{"help", "run"},
		{"versio"},
		{"Version"},
		{"completion", "bash"},
		{cobra.ShellCompRequestCmd, "version", ""},
		{cobra.ShellCompNoDescRequestCmd, ""},
		{"--", "version"},
	} {
		if made := len(makeTree(args...).root.Commands()); made != all {
			t.Errorf("%q: %d commands of %d are made", args, made, all)
		}
	}
}
