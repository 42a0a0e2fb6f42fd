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
	wrapped := true // all words so far are wrappers
	for i, word := range words {
		name := path.Base(word)
		switch {
		case wrapped && slices.Contains(evaluators, name):
			return name
		case i < at-1 && slices.Contains(shellPrograms, name) && isCommandOption(words[at-1]) && !slices.ContainsFunc(words[i+1:at-1], isCommandOption):
			return name + " " + words[at-1]
		}
		wrapped = wrapped && slices.Contains(wrappers, word)
	}
	return ""
}

// evaluators are the commands that read all of their arguments as commands, or as arithmetic, which
// in bash can hold commands.
var evaluators = []string{"eval", "alias", "trap", "ssh", "let", "[["}

// wrappers are the words that leave the command after them the same command.
var wrappers = []string{"command", "builtin", "exec", "env", "nohup", "time"}

// shellPrograms are the programs that read the argument of -c as commands.
var shellPrograms = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "su"}

// isCommandOption reports whether a word is -c, alone or after other letters: -lc.
func isCommandOption(word string) bool {
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.HasSuffix(word, "c")
}
