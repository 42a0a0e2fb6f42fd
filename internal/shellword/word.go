// Package shellword tells which program a shell command begins with, as far as that can be
// told without running it.
package shellword

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unresolved is the first word of a command where it names nothing that a shell could
// run: neither on PATH nor a path inside dir. A word that only a shell can tell (an
// expansion, a function, a keyword, a builtin) counts as resolved, and so does a missing
// file inside dir: that one may be made yet.
func Unresolved(command, dir string, environ []string) string {
	word := firstWord(command)
	switch {
	case word == "" || slices.Contains(shellWords(), word):
		return ""
	case strings.ContainsRune(word, '/'):
		if !filepath.IsAbs(word) {
			word = filepath.Join(dir, word)
		}
		if isInside(dir, word) || fileExists(word) {
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
	words := firstWords(command, nil)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// firstWords are the words of the command's first simple command, "" for those that cannot
// be told. known are the values of variables that can.
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

// setsPath says that the command is looked up somewhere else than we would look.
func setsPath(call *syntax.CallExpr) bool {
	return slices.ContainsFunc(call.Assigns, func(a *syntax.Assign) bool {
		return a.Name != nil && a.Name.Value == "PATH"
	})
}

// literalText is the text of a word, quoted or not; "" where it has expansions that are not known.
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

// variableValue is the value of $NAME or ${NAME}, with nothing more in the braces.
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
