package shellword

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/process"
)

// ErrNotOnPath is what Find returns about a program that is named without a path. Its text follows the
// name in a sentence.
var ErrNotOnPath = errors.New("is not on PATH")

// Find returns why the program of a command that is to be run in dir cannot be run: it is neither on PATH
// nor a file that may be executed; or, if the program is an interpreter, why its script cannot. word is
// the program or script as the command writes it. The error is nil if both can be run, or if only a shell
// could tell. vars are variables that the command will have.
func Find(command, dir string, environ []string, vars map[string]string) (word string, err error) {
	known := map[string]string{}
	if home, ok := process.Lookup(environ, "HOME"); ok {
		known["HOME"] = home
	}
	maps.Copy(known, vars)
	words := firstWords(command, known)
	if len(words) == 0 || words[0] == "" || slices.Contains(shellWords(), words[0]) {
		return "", nil
	}
	word = words[0]
	switch {
	case strings.ContainsRune(word, '/'):
		err = checkExecutable(absoluteIn(dir, word))
	case !onPath(word, dir, environ):
		err = ErrNotOnPath
	}
	if err == nil && len(words) > 1 && isInterpreter(word) {
		word = words[1]
		err = checkScript(word, dir)
	}
	return word, err
}

// absoluteIn returns path, relative to dir if it is not absolute.
func absoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// checkExecutable returns an error if path is not a file that may be executed. Its text follows the
// path's name in a sentence.
func checkExecutable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return errors.New("does not exist")
	case !info.Mode().IsRegular():
		return errors.New("is not a file")
	case info.Mode()&0o111 == 0:
		return errors.New("may not be executed: chmod +x gives it the right")
	}
	return nil
}

// isInterpreter reports whether a program's first argument is the file that it runs. Some interpreters
// exit with 2 if the file does not exist, which would be taken for a hook's answer.
func isInterpreter(program string) bool {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	return slices.Contains([]string{"bash", "dash", "ksh", "node", "perl", "php", "python", "ruby", "sh", "zsh"}, name)
}

// checkScript returns an error if the first argument of an interpreter is a file that does not exist. An
// option may mean anything, and is no error.
func checkScript(word, dir string) error {
	if word == "" || strings.HasPrefix(word, "-") {
		return nil
	}
	if _, err := os.Stat(absoluteIn(dir, word)); err != nil {
		return errors.New("does not exist")
	}
	return nil
}

// shellWords returns the builtins and keywords of the usual shells behind `sh`.
func shellWords() []string {
	return []string{
		".", ":", "[", "[[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen",
		"complete", "compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit",
		"export", "false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local",
		"logout", "mapfile", "popd", "printf", "print", "pushd", "pwd", "read", "readarray", "readonly", "return",
		"set", "shift", "shopt", "source", "suspend", "test", "time", "times", "trap", "true", "type", "typeset",
		"ulimit", "umask", "unalias", "unset", "wait", "whence", "!", "{", "}", "case", "coproc", "do", "done",
		"elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then", "until", "while", "]]",
	}
}

// onPath reports whether the shell would find the word on PATH; an empty entry of PATH is dir.
func onPath(word, dir string, environ []string) bool {
	path, _ := process.Lookup(environ, "PATH")
	return slices.ContainsFunc(filepath.SplitList(path), func(entry string) bool {
		return checkExecutable(filepath.Join(absoluteIn(dir, entry), word)) == nil
	})
}

// isInside reports whether a path lies in dir. It does not follow links.
func isInside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
