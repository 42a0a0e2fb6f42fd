// Package shellword finds the program that a shell command begins with, as far as that is possible
// without running it.
package shellword

import (
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unresolved returns the first word of a command if it names nothing that a shell could run: neither a
// program on PATH nor a path inside dir. It returns "" for a word that only a shell can resolve (an
// expansion, a function, a keyword, a builtin), and for a missing file inside dir, which may be created
// before the command runs.
func Unresolved(command, dir string, environ []string) string {
	word := firstWord(command)
	switch {
	case word == "" || slices.Contains(shellWords(), word):
		return ""
	case strings.ContainsRune(word, '/'):
		path := absoluteIn(dir, word)
		if _, err := os.Stat(path); err == nil || isInside(dir, path) {
			return ""
		}
	case onPath(word, dir, environ):
		return ""
	}
	return word
}

// firstWord returns the first word of firstWords, or "" if there is none.
func firstWord(command string) string {
	words := firstWords(command, nil)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// firstWords returns the words of the command's first simple command, with "" for each that only a shell
// can expand, or nil if the command itself changes how they are looked up. known has the values of
// variables.
func firstWords(command string, known map[string]string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	call := firstCall(file.Stmts)
	if call == nil || setsPath(call) {
		return nil
	}
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i], _ = joinParts(arg.Parts, known, false)
	}
	return words
}

// firstCall returns the first simple command of a list, or nil if there is none or a compound decides
// what runs.
func firstCall(stmts []*syntax.Stmt) *syntax.CallExpr {
	if len(stmts) == 0 {
		return nil
	}
	switch cmd := stmts[0].Cmd.(type) {
	case *syntax.CallExpr:
		return cmd
	case *syntax.BinaryCmd:
		return firstCall([]*syntax.Stmt{cmd.X})
	case *syntax.Subshell:
		return firstCall(cmd.Stmts)
	case *syntax.Block:
		return firstCall(cmd.Stmts)
	}
	return nil
}

// setsPath reports whether the command sets PATH for itself, so that it is looked up elsewhere.
func setsPath(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool {
		return a.Name != nil && a.Name.Value == "PATH"
	})
}

// joinParts returns the text of a word, or of what stands between double quotes, and whether it is known.
// The text is "" if it is not.
func joinParts(parts []syntax.WordPart, known map[string]string, quoted bool) (string, bool) {
	var text strings.Builder
	for i, part := range parts {
		s, ok := partText(part, known, quoted, i == 0)
		if !ok {
			return "", false
		}
		text.WriteString(s)
	}
	return text.String(), true
}

// partText returns the text of a word's part, and whether it is known. first tells that the part begins
// the word.
func partText(part syntax.WordPart, known map[string]string, quoted, first bool) (string, bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		value := part.Value
		if quoted {
			return value, !strings.ContainsRune(value, '\\')
		}
		if rest, home := strings.CutPrefix(value, "~/"); first && home && known["HOME"] != "" {
			value = known["HOME"] + "/" + rest
		}
		return value, value == "[" || !strings.ContainsAny(value, `\*?[~`)
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		text, ok := joinParts(part.Parts, known, true)
		return text, ok && !part.Dollar
	case *syntax.ParamExp:
		return variableValue(part, known)
	}
	return "", false
}

// variableValue returns the value of $NAME or ${NAME}, and whether it is known. Anything more in the
// braces makes it unknown.
func variableValue(p *syntax.ParamExp, known map[string]string) (string, bool) {
	if p.Param == nil {
		return "", false
	}
	marks := uint(len("${}"))
	if p.Short {
		marks = uint(len("$"))
	}
	value, ok := known[p.Param.Value]
	return value, ok && p.End().Offset()-p.Pos().Offset() == uint(len(p.Param.Value))+marks
}
