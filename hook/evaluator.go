package hook

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findEvaluator returns what in a call reads an argument as commands of a shell, as `eval` and
// `bash -c` do, or "" if nothing is known to: however well a value is quoted for this shell, that
// one reads it again. It knows the usual ways, not all there are.
func findEvaluator(call *syntax.CallExpr, arg syntax.Node) string {
	at := slices.IndexFunc(call.Args, func(w *syntax.Word) bool { return syntax.Node(w) == arg })
	if at < 1 {
		return ""
	}
	words := make([]string, at)
	for i := range words {
		words[i] = call.Args[i].Lit()
	}
	for i, word := range words {
		name := path.Base(word)
		switch {
		case readsAll(name) && allMatch(words[:i], passesOn):
			return name
		case i < at-1 && readsOption(name) && isCommandOption(words[at-1]) && !slices.ContainsFunc(words[i+1:at-1], isCommandOption):
			return name + " " + words[at-1]
		}
	}
	return ""
}

// readsAll reports whether a command reads all of its arguments as commands, or as arithmetic,
// which in bash can hold commands.
func readsAll(name string) bool {
	return slices.Contains([]string{"eval", "alias", "trap", "ssh", "let", "[["}, name)
}

// passesOn reports whether a word before a command leaves it the same command.
func passesOn(word string) bool {
	return slices.Contains([]string{"command", "builtin", "exec", "env", "nohup", "time"}, word)
}

// readsOption reports whether a program reads the argument of -c as commands.
func readsOption(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "su"}, name)
}

// isCommandOption reports whether a word is -c, alone or after other letters: -lc.
func isCommandOption(word string) bool {
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.HasSuffix(word, "c")
}

func allMatch(words []string, is func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !is(w) })
}
