package shellword

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/process"
)

// Find says of a command that is to be run in dir why its program cannot be: neither on PATH
// nor a file that may be executed; or, where the program is an interpreter, why its script
// cannot. word is what the command calls it. The error is nil where all is well, and where
// only a shell could tell. vars are variables that the command will have.
func Find(command, dir string, environ []string, vars map[string]string) (word string, err error) {
	known := map[string]string{}
	if home, ok := process.Lookup(environ, "HOME"); ok {
		known["HOME"] = home
	}
	for name, value := range vars {
		known[name] = value
	}
	words := firstWords(command, known)
	if len(words) == 0 || words[0] == "" || slices.Contains(shellWords(), words[0]) {
		return "", nil
	}
	word = words[0]
	switch {
	case strings.ContainsRune(word, '/'):
		err = checkExecutable(absoluteIn(dir, word))
	case !onPath(word, dir, environ):
		err = errors.New("is not on PATH")
	}
	if err == nil && len(words) > 1 && isInterpreter(word) {
		word = words[1]
		err = checkScript(word, dir)
	}
	return word, err
}

func absoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

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

// isInterpreter says that a program's first argument is the file that it runs. Some of them exit
// with 2 for a file that is not there, which a hook's reader takes for an answer.
func isInterpreter(program string) bool {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	return slices.Contains([]string{"bash", "dash", "ksh", "node", "perl", "php", "python", "ruby", "sh", "zsh"}, name)
}

// checkScript looks at the file of an interpreter; an option may mean anything.
func checkScript(word, dir string) error {
	if word == "" || strings.HasPrefix(word, "-") {
		return nil
	}
	if _, err := os.Stat(absoluteIn(dir, word)); err != nil {
		return errors.New("does not exist")
	}
	return nil
}

// shellWords are what the usual shells behind `sh` know by themselves.
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

// onPath says whether the shell would find the word; an empty entry is dir.
func onPath(word, dir string, environ []string) bool {
	path, _ := process.Lookup(environ, "PATH")
	for _, entry := range filepath.SplitList(path) {
		if checkExecutable(filepath.Join(absoluteIn(dir, entry), word)) == nil {
			return true
		}
	}
	return false
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isInside says whether a path lies in dir, by its words.
func isInside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
