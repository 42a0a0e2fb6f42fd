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
	if err != nil || len(file.Stmts) == 0 {
		return nil
	}
	call := firstCall(file.Stmts[0].Cmd)
	if call == nil || setsPath(call) {
		return nil
	}
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i] = literalText(arg, known)
	}
	return words
}

// firstCall returns the first simple command of a command, or nil if a compound decides what runs.
func firstCall(cmd syntax.Command) *syntax.CallExpr {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return cmd
	case *syntax.BinaryCmd:
		return firstCall(cmd.X.Cmd)
	case *syntax.Subshell:
		return firstCallOf(cmd.Stmts)
	case *syntax.Block:
		return firstCallOf(cmd.Stmts)
	}
	return nil
}

func firstCallOf(stmts []*syntax.Stmt) *syntax.CallExpr {
	if len(stmts) == 0 {
		return nil
	}
	return firstCall(stmts[0].Cmd)
}

// setsPath reports whether the command sets PATH for itself, so that it is looked up elsewhere.
func setsPath(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool {
		return a.Name != nil && a.Name.Value == "PATH"
	})
}

// literalText returns the text of a word, quoted or not, or "" if it has expansions that are not known.
func literalText(word *syntax.Word, known map[string]string) string {
	var text strings.Builder
	for i, part := range word.Parts {
		s, ok := partText(part, known, i == 0)
		if !ok {
			return ""
		}
		text.WriteString(s)
	}
	return text.String()
}

// partText returns the text of a word's part, and whether it is known. first tells that the part begins
// the word.
func partText(part syntax.WordPart, known map[string]string, first bool) (string, bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		value := part.Value
		if rest, home := strings.CutPrefix(value, "~/"); first && home && known["HOME"] != "" {
			value = known["HOME"] + "/" + rest
		}
		return value, value == "[" || !strings.ContainsAny(value, `\*?[~`)
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		return quotedText(part, known)
	case *syntax.ParamExp:
		return variableValue(part, known)
	}
	return "", false
}

// quotedText returns the text between double quotes, and whether it is known.
func quotedText(part *syntax.DblQuoted, known map[string]string) (string, bool) {
	var text strings.Builder
	for _, p := range part.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsRune(p.Value, '\\') {
				return "", false
			}
			text.WriteString(p.Value)
		case *syntax.ParamExp:
			value, ok := variableValue(p, known)
			if !ok {
				return "", false
			}
			text.WriteString(value)
		default:
			return "", false
		}
	}
	return text.String(), !part.Dollar
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
