package shellword

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A SyntaxError tells why no shell can parse a command.
type SyntaxError struct {
	Line, Col int // both from 1; Col counts characters
	Message   string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message) }

// Check returns a *SyntaxError if neither a POSIX shell nor bash can parse the command.
func Check(command string) error {
	if i := strings.IndexByte(command, 0); i >= 0 {
		return newSyntaxError(command, i, "it has a zero byte")
	}
	var err error
	for _, dialect := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		if _, err = syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(command), ""); err == nil {
			return nil
		}
	}
	if wrong, ok := errors.AsType[syntax.ParseError](err); ok {
		return newSyntaxError(command, int(wrong.Pos.Offset()), wrong.Text)
	}
	return &SyntaxError{Line: 1, Col: 1, Message: err.Error()}
}

// IsBlank reports whether a command runs nothing: it has only blanks and comments.
func IsBlank(command string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	return err == nil && len(file.Stmts) == 0
}

// newSyntaxError returns a SyntaxError at a byte offset of the command.
func newSyntaxError(command string, offset int, message string) error {
	before := command[:min(offset, len(command))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &SyntaxError{Line: 1 + strings.Count(before, "\n"), Col: 1 + utf8.RuneCountInString(line), Message: message}
}
