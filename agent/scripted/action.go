package scripted

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// action reads one action: its name alone, or a mapping of its name to what it needs.
func (r *reader) action(n ast.Node) Action {
	if name, ok := n.(*ast.StringNode); ok {
		return r.named(name, name.Value, nil)
	}
	if !isMapping(n) {
		r.wrong(n, "want an action: one of %s", strings.Join(actionNames(), ", "))
		return Action{}
	}
	var a Action
	count := 0
	for key, value := range r.entries(n, "an action") {
		if count++; count > 1 {
			r.wrong(key, "an action has one key: write %q as a list item of its own", key.name)
			continue
		}
		a = r.named(key.Node, key.name, value)
	}
	return a
}

func (r *reader) named(at ast.Node, name string, value ast.Node) Action {
	a := Action{Do: name, Line: at.GetToken().Position.Line}
	switch name {
	case doSay, doRun:
		a.Text = r.text(at, value)
	case doDelete:
		a.Path = r.path(at, value)
	case doWrite, doAppend:
		r.writing(&a, at, value)
	case doExpect:
		a.Wants = r.texts(at, value)
	case doSleep:
		a.For = r.duration(orKey(value, at))
	case doHang:
		r.nothing(value)
	case doFail, doCrash, doRefuse, doLimit, doUnavailable, doRateLimit:
		r.ending(&a, at, value)
	case doTask, doNote, doAsk, doSummary, doComplete:
		r.tool(&a, at, value)
	default:
		r.unknown(at, name, "action", actionNames())
	}
	return a
}

func (r *reader) writing(a *Action, at, value ast.Node) {
	fields := map[string]func(ast.Node){
		"path":    func(n ast.Node) { a.Path = r.path(n, n) },
		"content": func(n ast.Node) { a.Content = r.text(n, n) },
	}
	if a.Do == doWrite {
		fields["mode"] = func(n ast.Node) { a.Mode = r.mode(n) }
	}
	r.mapping(orKey(value, at), a.Do, fields)
	if a.Path == "" && len(r.mistakes) == 0 {
		r.wrong(at, "%s needs a path", a.Do)
	}
}

// ending reads what ends a turn: nothing, a reason, or a mapping.
func (r *reader) ending(a *Action, at, value ast.Node) {
	if a.Do == doRateLimit {
		// the same turn is taken again when the limit has passed, and must not meet it for ever
		a.For, a.Times = defaultRateLimit, onceOnly
	}
	fields := map[string]func(ast.Node){
		"times": func(n ast.Node) { a.Times = r.count(n) },
	}
	short := func(n ast.Node) { a.Text = r.text(n, n) }
	switch a.Do {
	case doUnavailable:
		short = func(n ast.Node) { a.Cause = r.oneOf(n, causes()) }
		fields["cause"] = short
	case doRateLimit:
		short = func(n ast.Node) { a.For = r.duration(n) }
		fields["after"] = short
	}
	fields["reason"] = func(n ast.Node) { a.Text = r.text(n, n) }
	switch {
	case isMapping(value):
		r.mapping(value, a.Do, fields)
	case value != nil && value.Type() != ast.NullType:
		short(value)
	}
	if a.Do == doUnavailable && a.Cause == "" && len(r.mistakes) == 0 {
		r.wrong(at, "unavailable needs a cause: one of %s", strings.Join(causes(), ", "))
	}
}

// path refuses here what would leave the workspace by its words; links are refused
// when the script is played.
func (r *reader) path(at, n ast.Node) string {
	path := r.text(at, n)
	if path == "" {
		return ""
	}
	if !filepath.IsLocal(path) || filepath.Clean(path) == "." {
		r.wrong(n, "%q is not a path inside the workspace", path)
	}
	return path
}

// mode reads the digits as they stand: 0755, "755" and 755 are the same mode.
func (r *reader) mode(n ast.Node) uint32 {
	digits := strings.TrimPrefix(strings.Trim(n.GetToken().Value, `"'`), "0o")
	mode, err := strconv.ParseUint(digits, 8, 32)
	if err != nil || mode == 0 || mode > 0o777 {
		r.wrong(n, "want a mode such as 0755")
	}
	return uint32(mode)
}

func (r *reader) nothing(n ast.Node) {
	if n == nil || n.Type() == ast.NullType {
		return
	}
	if yes, ok := n.(*ast.BoolNode); !ok || !yes.Value {
		r.wrong(n, "want nothing here")
	}
}

func (r *reader) oneOf(n ast.Node, names []string) string {
	name := r.text(n, n)
	if name != "" && !slices.Contains(names, name) {
		r.unknown(n, name, "cause", names)
	}
	return name
}
