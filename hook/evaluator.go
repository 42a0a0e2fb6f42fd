package hook

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findEvaluator is what in a call reads an argument as commands of a shell, as `eval` and
// `bash -c` do: however well a value is quoted for this shell, that one reads it again. ""
// where nothing is known to. It knows the usual ways, not all there are.
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

// readsAll are the commands whose arguments are all read as commands, or as arithmetic,
// which in bash can hold commands.
func readsAll(name string) bool {
	switch name {
	case "eval", "alias", "trap", "ssh", "let", "[[":
		return true
	}
	return false
}

// passesOn are words before a command that leave it the same command.
func passesOn(word string) bool {
	switch word {
	case "command", "builtin", "exec", "env", "nohup", "time":
		return true
	}
	return false
}

// readsOption are the programs that read the argument of -c as commands.
func readsOption(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "su":
		return true
	}
	return false
}

// isCommandOption is -c, alone or after other letters: -lc.
func isCommandOption(word string) bool {
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.HasSuffix(word, "c")
}

func allMatch(words []string, is func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !is(w) })
}
