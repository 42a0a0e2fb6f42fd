package config

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// A Mistake is one thing that is wrong with what the user wrote, and where.
type Mistake struct {
	File    string // the file as the user named it; "env NAME" or "flag --name" where it stands there
	Line    int    // first 1; 0 where there is no line
	Col     int    // first 1, in characters
	Path    string // "pipelines.default[0].retry"; "" for the file as a whole
	Message string
	Source  string // the line that it stands in
	Hint    string // what to do: `did you mean "retry"?`
}

// Mistakes are all that is wrong, in the order of the files and the lines.
type Mistakes []Mistake

// Error returns what Format writes, without colour.
func (m Mistakes) Error() string {
	var b strings.Builder
	m.Format(&b, false)
	return strings.TrimRight(b.String(), "\n")
}

// Err returns the mistakes, or nil if there are none.
func (m Mistakes) Err() error {
	if len(m) == 0 {
		return nil
	}
	return m.sortByPlace()
}

// Format writes every mistake with its line and a caret below its place.
func (m Mistakes) Format(w io.Writer, color bool) {
	paint := func(code, s string) string {
		if !color || s == "" {
			return s
		}
		return "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	for _, one := range m.sortByPlace() {
		fmt.Fprintf(w, "%s %s\n", paint("1", one.position()+":"), maskUserinfo(replaceControls(one.describe())))
		if line, caret, ok := one.sourceExcerpt(); ok {
			fmt.Fprintf(w, "    %s\n    %s\n", line, paint("31", caret))
		}
		if one.Hint != "" {
			fmt.Fprintf(w, "    %s\n", paint("36", maskUserinfo(replaceControls(one.Hint))))
		}
	}
}

// sortByPlace returns the mistakes in the order of their places, each once.
func (m Mistakes) sortByPlace() Mistakes {
	list := slices.Clone(m)
	slices.SortStableFunc(list, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return slices.CompactFunc(list, func(a, b Mistake) bool { return a == b })
}

func (m Mistake) Error() string { return Mistakes{m}.Error() }

// WithHint returns the mistake with a hint at what to do.
func (m Mistake) WithHint(hint string) Mistake {
	m.Hint = hint
	return m
}

func (m Mistake) position() string {
	if m.Line == 0 {
		return replaceControls(m.File)
	}
	return fmt.Sprintf("%s:%d:%d", replaceControls(m.File), m.Line, m.Col)
}

func (m Mistake) describe() string {
	if m.Path == "" {
		return m.Message
	}
	return m.Path + ": " + m.Message
}

// maxExcerpt is the longest part of a line that is shown: a prompt on one line would fill the
// screen.
const maxExcerpt = 100

// sourceExcerpt returns the source line around the mistake and a line with a caret below it. It
// reports whether there is such a line.
func (m Mistake) sourceExcerpt() (line, caret string, ok bool) {
	if m.Source == "" || m.Col < 1 {
		return "", "", false
	}
	runes := []rune(maskUserinfo(replaceControls(m.Source)))
	at := min(m.Col-1, len(runes))
	before, after := "", ""
	if from := at - maxExcerpt/2; len(runes) > maxExcerpt && from > 0 {
		runes, at, before = runes[from:], at-from, "…"
	}
	if len(runes) > maxExcerpt {
		runes, after = runes[:maxExcerpt], "…"
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before+string(runes[:at]))
	return before + string(runes) + after, pad + "^", true
}

// replaceControls returns a text without the characters that would steer the terminal that shows
// it.
func replaceControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, s)
}
