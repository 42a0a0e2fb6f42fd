package hook

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// quoting is how the text around a mention is quoted.
type quoting int

const (
	bare quoting = iota
	inSingle
	inDouble
)

// locateMentions finds the text that holds each mention.
func locateMentions(file *syntax.File, found []mention) {
	var path []syntax.Node
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		switch n.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.Comment:
			from, to := int(n.Pos().Offset()), int(n.End().Offset())
			for i := range found {
				if m := &found[i]; from <= m.from && m.to <= to {
					m.path = slices.Clone(path)
				}
			}
		}
		return true
	})
}

func (m mention) inComment() bool {
	if len(m.path) == 0 {
		return false
	}
	_, is := m.path[len(m.path)-1].(*syntax.Comment)
	return is
}

// quotingAt returns how a mention is quoted, or where it is and why it cannot be there: only in
// words that are plain, in single quotes or in double quotes does a reference give exactly its
// value, whatever that is.
func (m mention) quotingAt(command string) (q quoting, wrong string) {
	if len(m.path) == 0 {
		return bare, "where the shell has no word: " + m.alternative()
	}
	for i, n := range m.path[:len(m.path)-1] {
		if wrong := m.explainRefusal(command, n, m.path[i+1]); wrong != "" {
			return bare, wrong
		}
		switch n.(type) {
		case *syntax.CmdSubst:
			q = bare
		case *syntax.DblQuoted:
			q = inDouble
		}
	}
	_, single := m.path[len(m.path)-1].(*syntax.SglQuoted)
	switch {
	case !single && endsEscaped(command[:m.from]):
		return bare, `after a backslash: for a backslash write \\; ` + literalHint(m.name)
	case isFromOutside(m.name) && !m.isWholeWord(command):
		return bare, m.explainLongerWord()
	case single:
		return inSingle, ""
	}
	return q, ""
}

// isWholeWord reports whether the shell's word that holds a mention is that mention alone, quoted or
// not.
func (m mention) isWholeWord(command string) bool {
	text := command[m.from:m.to]
	for _, n := range slices.Backward(m.path) {
		if word, ok := n.(*syntax.Word); ok {
			whole := command[word.Pos().Offset():word.End().Offset()]
			return whole == text || whole == `"`+text+`"` || whole == "'"+text+"'"
		}
	}
	return false
}

// explainRefusal returns what is wrong with a mention that lies in that child of a node, or "".
func (m mention) explainRefusal(command string, n, child syntax.Node) string {
	switch n := n.(type) {
	case *syntax.ParamExp:
		if child == syntax.Node(n.Param) {
			return "as the name of a variable: " + m.alternative()
		}
		return "inside ${…}: use $" + environmentName(m.name) + " there, with double quotes around the whole"
	case *syntax.ArithmExp:
		if m.name != iteration && m.name != taskID {
			return "in arithmetic: it is no number"
		}
		return fmt.Sprintf("in arithmetic: write %s there, which is in the hook's environment", environmentName(m.name))
	case *syntax.Redirect:
		return m.explainRedirect(n, child)
	case *syntax.FuncDecl:
		if child == syntax.Node(n.Name) {
			return "as the name of a function: choose a fixed name"
		}
	case *syntax.Assign:
		if child != syntax.Node(n.Value) {
			return fmt.Sprintf("as the name of a variable: give it as a value, as in x={{%s}}", m.name)
		}
	case *syntax.WordIter:
		if child == syntax.Node(n.Name) {
			return "as the name of a loop's variable: choose a fixed name"
		}
	case *syntax.CmdSubst:
		if n.Backquotes && strings.ContainsRune(command[n.Pos().Offset():n.End().Offset()], '\\') {
			return "in backquotes that have a backslash in them, which shells read differently: use $(…)"
		}
	case *syntax.Subshell:
		if command[n.Lparen.Offset()+1] == '(' {
			return "in ((…)), which some shells take for arithmetic: put a blank between the parentheses"
		}
	case *syntax.Word:
		if followsDollar(n, child) {
			return `in $'…' or $"…", which shells read differently: use '…' or "…"`
		}
	case *syntax.CallExpr:
		if by := findEvaluator(n, child); by != "" && isFromOutside(m.name) {
			return m.explainEvaluator(by)
		}
	}
	return ""
}

// explainRedirect returns what is wrong with a mention in a redirection, or "".
func (m mention) explainRedirect(r *syntax.Redirect, child syntax.Node) string {
	switch {
	case r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc:
		return ""
	case child == syntax.Node(r.Word):
		return "as the delimiter of a here-document: choose a fixed word"
	}
	return fmt.Sprintf("in a here-document: write ${%s} there and leave the delimiter unquoted, or pipe it in: printf '%%s\\n' {{%s}} | …",
		environmentName(m.name), m.name)
}

// alternative returns the way that works everywhere.
func (m mention) alternative() string {
	return fmt.Sprintf(`use "$%s", which is in the hook's environment`, environmentName(m.name))
}

// explainEvaluator refuses a text from outside where a shell would take it for commands.
func (m mention) explainEvaluator(by string) string {
	switch by {
	case "ssh":
		return fmt.Sprintf("in what another machine's shell reads as commands: pipe it, as in printf '%%s\\n' {{%s}} | ssh …", m.name)
	case "let", "[[":
		return fmt.Sprintf("in %s, where bash may read it as arithmetic: use [ … ] or case", by)
	}
	return fmt.Sprintf(`in what %s reads as commands: put "$%s" there, in single quotes, as in %s '… "$%[2]s" …'`,
		by, environmentName(m.name), by)
}

// explainLongerWord refuses a text from outside within a longer word: the program that gets the word
// may read it as its own code, as `python3 -c`, awk and psql do.
func (m mention) explainLongerWord() string {
	return fmt.Sprintf("inside a longer word: an agent writes its text, and the program that gets the word could run it as code; "+
		"make it a word of its own, or read the environment variable %s", environmentName(m.name))
}

// followsDollar reports whether a quoted part of a word follows a plain dollar sign.
func followsDollar(w *syntax.Word, part syntax.Node) bool {
	if _, plain := part.(*syntax.Lit); plain {
		return false
	}
	i := slices.IndexFunc(w.Parts, func(p syntax.WordPart) bool { return syntax.Node(p) == part })
	if i < 1 {
		return false
	}
	lit, ok := w.Parts[i-1].(*syntax.Lit)
	if !ok {
		return false
	}
	before, dollar := strings.CutSuffix(lit.Value, "$")
	return dollar && !endsEscaped(before)
}

// endsEscaped reports whether the last backslash of a text escapes what follows.
func endsEscaped(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
