package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mulligan/internal/process"
)

// unresolved is the first word of a command where it names nothing that a shell could
// run: neither on PATH nor a path inside the workspace. Such a check says nothing about
// the work. A word that only a shell can tell (an expansion, a function, a keyword, a
// builtin) counts as resolved, and so does a missing file of the workspace: that one
// is the agent's to make.
func unresolved(command, dir string, environ []string) string {
	word := firstWord(command)
	switch {
	case word == "" || slices.Contains(shellWords(), word):
		return ""
	case strings.ContainsRune(word, '/'):
		if !filepath.IsAbs(word) {
			word = filepath.Join(dir, word)
		}
		if inside(dir, word) || exists(word) {
			return ""
		}
	case onPath(word, dir, environ):
		return ""
	}
	return firstWord(command)
}

// firstWord is the first word of the command's first simple command, "" where it is not
// plain text or where the command's own words decide what it means.
func firstWord(command string) string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	call := firstCall(file.Stmts[0].Cmd)
	if call == nil || len(call.Args) == 0 || setsPath(call) {
		return ""
	}
	return literal(call.Args[0])
}

func firstCall(cmd syntax.Command) *syntax.CallExpr {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return cmd
	case *syntax.BinaryCmd:
		return firstCall(cmd.X.Cmd)
	case *syntax.Subshell:
		return firstOf(cmd.Stmts)
	case *syntax.Block:
		return firstOf(cmd.Stmts)
	}
	return nil
}

func firstOf(stmts []*syntax.Stmt) *syntax.CallExpr {
	if len(stmts) == 0 {
		return nil
	}
	return firstCall(stmts[0].Cmd)
}

// setsPath says that the command is looked up somewhere else than we would look.
func setsPath(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool {
		return a.Name != nil && a.Name.Value == "PATH"
	})
}

// literal is the text of a word without expansions, quoted or not; else "".
func literal(word *syntax.Word) string {
	if len(word.Parts) != 1 {
		return ""
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		if part.Value != "[" && strings.ContainsAny(part.Value, `\*?[~`) {
			return ""
		}
		return part.Value
	case *syntax.SglQuoted:
		return part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok && !strings.ContainsRune(lit.Value, '\\') {
				return lit.Value
			}
		}
	}
	return ""
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

// onPath says whether the shell would find the word; an empty entry is the workspace.
func onPath(word, dir string, environ []string) bool {
	path, _ := process.Lookup(environ, "PATH")
	for _, entry := range filepath.SplitList(path) {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(dir, entry)
		}
		info, err := os.Stat(filepath.Join(entry, word))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// inside says whether a path lies in the workspace, by its words.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
