package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// programName is the name of the program that the hooks call.
const programName = "mulligan"

// formatCommand returns the command of a hook. The agents' programs let an agent continue when a hook
// breaks in any way but exit 2: so whatever breaks is made that.
func formatCommand(program, event string) (string, error) {
	quoted, err := syntax.Quote(program, syntax.LangPOSIX)
	if err == nil && !utf8.ValidString(program) {
		err = fmt.Errorf("it is not UTF-8 text")
	}
	if err != nil {
		return "", fmt.Errorf("the program's path %q cannot be written into a command: %w", program, err)
	}
	return quoted + " hook " + event + " || exit 2", nil
}

// isOurCommand reports whether a command is one that formatCommand made for the event: of the program at
// the path own, or of one that is named mulligan, wherever that lies.
func isOurCommand(command, event, own string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return false
	}
	either, ok := plainCommand[*syntax.BinaryCmd](file.Stmts[0])
	if !ok || either.Op != syntax.OrStmt {
		return false
	}
	call, otherwise := literalWords(either.X), literalWords(either.Y)
	return len(call) == 3 && (filepath.Base(call[0]) == programName || call[0] == own) && call[1] == "hook" && call[2] == event &&
		len(otherwise) == 2 && otherwise[0] == "exit" && otherwise[1] == "2"
}

// plainCommand returns the command of a statement that has nothing else to it.
func plainCommand[C syntax.Command](stmt *syntax.Stmt) (C, bool) {
	cmd, ok := stmt.Cmd.(C)
	plain := !stmt.Negated && !stmt.Background && !stmt.Coprocess && !stmt.Disown && len(stmt.Redirs) == 0 && len(stmt.Comments) == 0
	return cmd, ok && plain
}

// literalWords returns the words of a simple command, or nil if it is something else or a shell has to
// expand a word.
func literalWords(stmt *syntax.Stmt) []string {
	call, ok := plainCommand[*syntax.CallExpr](stmt)
	if !ok || len(call.Assigns) > 0 {
		return nil
	}
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		if words[i], ok = literalWord(arg.Parts); !ok {
			return nil
		}
	}
	return words
}

// literalWord returns the text of a word that no shell has to expand, and whether it is one.
func literalWord(parts []syntax.WordPart) (string, bool) {
	var text strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, `\*?[~`) {
				return "", false
			}
			text.WriteString(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			inner, ok := quotedText(part)
			if !ok {
				return "", false
			}
			text.WriteString(inner)
		default:
			return "", false
		}
	}
	return text.String(), true
}

// quotedText returns the text between double quotes that no shell has to expand, and whether it is one.
func quotedText(quoted *syntax.DblQuoted) (string, bool) {
	if quoted.Dollar || len(quoted.Parts) > 1 {
		return "", false
	}
	if len(quoted.Parts) == 0 {
		return "", true
	}
	lit, ok := quoted.Parts[0].(*syntax.Lit)
	if !ok {
		return "", false
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace(lit.Value), true
}
