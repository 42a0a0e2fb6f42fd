package hook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"mulligan"
)

// A CommandError is a hook's command that cannot be run as it is written.
type CommandError struct {
	Line, Col int // in the command, both from 1; Col counts characters
	Message   string
}

func (e *CommandError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message) }

// Compile returns the script that the shell runs for a command as the user wrote it: each
// {{variable}} becomes a reference to an environment variable, quoted for its place, so that the
// shell sees exactly the value's characters there and reads none of them again. Every other byte
// stays as it is. The error is a *CommandError.
func Compile(command string, moment mulligan.Moment) (script string, err error) {
	if i := strings.IndexByte(command, 0); i >= 0 {
		return "", newCommandError(command, i, "the command has a NUL byte, which no command can have: take it out")
	}
	if strings.TrimSpace(command) == "" {
		return "", newCommandError(command, 0, "the command is empty: say what to run")
	}
	found := findMentions(command)
	file, err := parse(fillMentions(command, found), syntax.LangPOSIX)
	if err != nil {
		return "", explainSyntaxError(command, found, err)
	}
	if len(file.Stmts) == 0 {
		return "", newCommandError(command, 0, "the command has only comments: say what to run, or take the hook out")
	}
	locateMentions(file, found)
	var out strings.Builder
	done := 0
	for _, m := range found {
		text, wrong := m.scriptText(command, moment)
		if wrong != "" {
			return "", newCommandError(command, m.from, wrong)
		}
		out.WriteString(command[done:m.from])
		out.WriteString(text)
		done = m.to
	}
	out.WriteString(command[done:])
	return out.String(), nil
}

// scriptText returns what replaces a mention in the script, or what is wrong with it.
func (m mention) scriptText(command string, moment mulligan.Moment) (text, wrong string) {
	if m.inComment() {
		return command[m.from:m.to], ""
	}
	if wrong := explainUnknown(m.name, moment); wrong != "" {
		return "", wrong
	}
	quoting, wrong := m.quotingAt(command)
	if wrong != "" {
		return "", fmt.Sprintf("{{%s}} cannot stand %s", m.name, wrong)
	}
	name := environmentName(m.name)
	switch quoting {
	case inSingle:
		return `'"${` + name + `}"'`, ""
	case inDouble:
		return "${" + name + "}", ""
	default:
		return `"${` + name + `}"`, ""
	}
}

// A mention is a {{name}} in a command.
type mention struct {
	from, to int
	name     string
	path     []syntax.Node // from the whole command down to the text that holds it; nil if the shell has no text there
}

// findMentions returns all mentions of a command. Braces around anything but a name are not ours:
// other programs' templates have them.
func findMentions(command string) []mention {
	var found []mention
	for i := 0; i < len(command); {
		name, size := parseMention(command[i:])
		if size == 0 {
			i++
			continue
		}
		found = append(found, mention{from: i, to: i + size, name: name})
		i += size
	}
	return found
}

// parseMention returns the name and the size of the mention that s begins with; size is 0 if it
// begins with none.
func parseMention(s string) (name string, size int) {
	rest, ok := strings.CutPrefix(s, "{{")
	if !ok {
		return "", 0
	}
	rest = strings.TrimLeft(rest, " \t")
	after := strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
	name = rest[:len(rest)-len(after)]
	after, ok = strings.CutPrefix(strings.TrimLeft(after, " \t"), "}}")
	if !ok || name == "" || slices.Contains(templateWords, name) {
		return "", 0
	}
	return name, len(s) - len(after)
}

// templateWords are whole actions of Go's templates, which `docker --format` and others take.
var templateWords = []string{"end", "else", "break", "continue"}

// fillMentions replaces each mention by as many letters: to the shell it is then plain text of one
// word, in whatever it is, and every other byte keeps its place.
func fillMentions(command string, found []mention) string {
	b := []byte(command)
	for _, m := range found {
		copy(b[m.from:m.to], fillerFor(m))
	}
	return string(b)
}

func fillerFor(m mention) string { return strings.Repeat("Q", m.to-m.from) }

func parse(command string, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
}

// explainSyntaxError returns the *CommandError of a command that sh cannot read.
func explainSyntaxError(command string, found []mention, err error) error {
	at, why := 0, err.Error()
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		at, why = int(e.Pos.Offset()), e.Text
	}
	if e, ok := errors.AsType[syntax.LangError](err); ok {
		at, why = int(e.Pos.Offset()), e.Feature
	}
	for _, m := range found {
		why = strings.Replace(why, fillerFor(m), command[m.from:m.to], 1)
	}
	if _, err := parse(fillMentions(command, found), syntax.LangBash); err == nil {
		return newCommandError(command, at, "this is bash and not plain sh, which runs hooks ("+why+
			"): write it without, or put it in a script and run `bash SCRIPT`")
	}
	return newCommandError(command, at, "the shell cannot read the command: "+why)
}

// newCommandError returns a *CommandError at an offset of the command.
func newCommandError(command string, at int, message string) error {
	before := command[:min(at, len(command))]
	line := strings.LastIndexByte(before, '\n') + 1
	return &CommandError{
		Line:    strings.Count(before, "\n") + 1,
		Col:     utf8.RuneCountInString(before[line:]) + 1,
		Message: message,
	}
}
