package scripted

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"mulligan"
)

// readAction reads one action: its name alone, or a mapping of its name to what it needs.
func (r *reader) readAction(n ast.Node) Action {
	if name, ok := n.(*ast.StringNode); ok {
		return r.readNamedAction(name, name.Value, ast.Null(name.GetToken()))
	}
	if !isMapping(n) {
		r.addMistake(n, "want an action: one of %s", strings.Join(actionNames, ", "))
		return Action{}
	}
	var a Action
	count := 0
	for key, value := range r.mappingEntries(n, "an action") {
		if count++; count > 1 && endingExamples[a.Do] != "" && (key.name == "times" || key.name == "reason") {
			r.addMistake(key, "%s stands with its ending: %s", key.name, endingExamples[a.Do])
			continue
		}
		if count > 1 {
			r.addMistake(key, "an action has one key: write %q as a list item of its own", key.name)
			continue
		}
		a = r.readNamedAction(key.Node, key.name, value)
	}
	return a
}

// readNamedAction reads the action of a name. value is null, and at the name's place, if the name
// stands alone.
func (r *reader) readNamedAction(at ast.Node, name string, value ast.Node) Action {
	a := Action{Do: name, Line: at.GetToken().Position.Line}
	switch name {
	case doSay, doRun:
		a.Text = r.readText(value)
	case doDelete:
		a.Path = r.readPath(value)
	case doWrite, doAppend:
		r.readWrite(&a, at, value)
	case doExpect:
		a.Wants = readList(value, r.readText)
	case doSleep:
		a.For = r.readDuration(value)
	case doHang:
		if yes, ok := value.(*ast.BoolNode); value.Type() != ast.NullType && (!ok || !yes.Value) { // true is as good as nothing
			r.addMistake(value, "want nothing here")
		}
	case doFail, doCrash, doRefuse, doLimit, doUnavailable, doRateLimit: // those of endingExamples
		r.readEnding(&a, at, value)
	case doTask, doNote, doAsk, doSummary, doComplete:
		r.readTool(&a, value)
	default:
		r.addUnknown(at, name, "action", actionNames)
	}
	return a
}

// readWrite reads write and append.
func (r *reader) readWrite(a *Action, at, value ast.Node) {
	fields := map[string]func(ast.Node){
		"path":    func(n ast.Node) { a.Path = r.readPath(n) },
		"content": func(n ast.Node) { a.Content = r.readText(n) },
	}
	if a.Do == doWrite {
		fields["mode"] = func(n ast.Node) { a.Mode = r.readMode(n) }
	}
	r.readMapping(value, a.Do, fields)
	if a.Path == "" && len(r.mistakes) == 0 {
		r.addMistake(at, "%s needs a path", a.Do)
	}
}

// endingExamples are the actions that end a turn, each as it is written where it has more than its name.
var endingExamples = map[string]string{
	doFail:        "fail: {reason: no idea, times: 2}",
	doCrash:       "crash: {times: 2}",
	doRefuse:      "refuse: {times: 2}",
	doLimit:       "limit: {times: 2}",
	doUnavailable: "unavailable: {cause: network, times: 2}",
	doRateLimit:   "rate_limit: {after: 30s, times: 2}",
}

// readEnding reads an action that ends a turn: nothing, a reason, or a mapping.
func (r *reader) readEnding(a *Action, at, value ast.Node) {
	short := "reason" // the key that a value without one is for
	fields := map[string]func(ast.Node){
		"times":  func(n ast.Node) { a.Times = r.readInt(n, 1, "want a whole number of 1 or more") },
		"reason": func(n ast.Node) { a.Text = r.readText(n) },
	}
	switch a.Do {
	case doUnavailable:
		short = "cause"
		fields[short] = func(n ast.Node) { a.Cause = r.readCause(n) }
	case doRateLimit:
		// the same turn is taken again when the limit has passed, and must not meet it for ever
		short, a.For, a.Times = "after", time.Minute, 1
		fields[short] = func(n ast.Node) { a.For = r.readDuration(n) }
	}
	switch {
	case isMapping(value):
		r.readMapping(value, a.Do, fields)
	case value.Type() != ast.NullType:
		fields[short](value)
	}
	if a.Do == doUnavailable && a.Cause == "" && len(r.mistakes) == 0 {
		r.addMistake(at, "unavailable needs a cause: one of %s", strings.Join(causeNames, ", "))
	}
}

// readPath refuses a path that leaves the workspace by its words; links are refused when the script
// is played.
func (r *reader) readPath(n ast.Node) string {
	path := r.readText(n)
	if path != "" && (!filepath.IsLocal(path) || filepath.Clean(path) == ".") {
		r.addMistake(n, "%q is not a path inside the workspace", path)
	}
	return path
}

// readMode reads the digits as they are: 0755, "755" and 755 are the same mode.
func (r *reader) readMode(n ast.Node) uint32 {
	digits := strings.TrimPrefix(strings.Trim(n.GetToken().Value, `"'`), "0o")
	mode, err := strconv.ParseUint(digits, 8, 32)
	if err != nil || mode == 0 || mode > 0o777 {
		r.addMistake(n, "want a mode such as 0755")
	}
	return uint32(mode)
}

var causeNames = []string{string(mulligan.Network), string(mulligan.Missing), string(mulligan.Auth), string(mulligan.Billing)}

func (r *reader) readCause(n ast.Node) string {
	name := r.readText(n)
	if name != "" && !slices.Contains(causeNames, name) {
		r.addUnknown(n, name, "cause", causeNames)
	}
	return name
}
