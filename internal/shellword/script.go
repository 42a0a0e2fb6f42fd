package shellword

import (
	"path/filepath"
	"strings"
)

// Script returns the script that a command runs, as a path relative to dir: its program if that is a path,
// or the file that an interpreter is given. It returns "" if there is none inside dir.
func Script(command, dir string) string {
	words := firstWords(command, nil)
	if len(words) == 0 {
		return ""
	}
	word := words[0]
	if !strings.ContainsRune(word, '/') {
		if len(words) < 2 || !isInterpreter(word) || strings.HasPrefix(words[1], "-") {
			return ""
		}
		word = words[1]
	}
	path := absoluteIn(dir, word)
	if word == "" || !isInside(dir, path) {
		return ""
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
