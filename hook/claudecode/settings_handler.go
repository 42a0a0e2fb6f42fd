package claudecode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"mulligan"
	"mulligan/internal/text"
)

// A handler is a hook as a settings file has it, as far as mulligan knows it.
type handler struct {
	kind         string
	command      string
	args         []string
	shell        string
	url          string
	headers      map[string]string
	allowed      []string
	prompt       string
	timeout      time.Duration
	async        bool
	hasCondition bool // it has an "if"
	hasArgs      bool // "args" are given: no shell reads the command
}

// readHook reads one hook into h and adds it, unless it is nothing that could be run.
func (r *reader) readHook(place jsonPlace, h mulligan.AgentHook, raw json.RawMessage) {
	fields, ok := readMembers(raw)
	if !ok {
		r.addWrongShape(h.Event, place, "is %s: want an object with type and command", showValue(raw))
		return
	}
	d := r.readHandler(place, h.Event, fields)
	h.Type, h.Timeout = d.kind, cmp.Or(d.timeout, r.defaults(h.Event, d.kind))
	switch d.kind {
	case TypeCommand:
		h.Command = d.commandLine()
	case TypeHTTP:
		h.URL, h.Headers = d.url, r.filterHeaders(place, d)
	case TypePrompt, "agent":
		h.Type, h.Prompt = TypePrompt, d.prompt
	}
	if required := requiredFields[d.kind]; required != "" && h.Command == "" && h.URL == "" && h.Prompt == "" {
		r.addWrongShape(h.Event, place, "has no %s", required)
		return
	}
	h.Name = Name(h)
	h.Unhandled = explainUnhandled(h.Event, d)
	if h.Unhandled != "" && slices.Contains(ownEvents, h.Event) {
		r.addNote(place, "is not run: %s", h.Unhandled)
	}
	r.read = append(r.read, h)
}

// requiredFields are the types of hooks that can be run, and the field that each cannot do without.
var requiredFields = map[string]string{TypeCommand: "command", TypeHTTP: "url", TypePrompt: "prompt", "agent": "prompt"}

// explainUnhandled returns why mulligan does not run a hook, or "" if it does.
func explainUnhandled(event string, d handler) string {
	switch {
	case !slices.Contains(ownEvents, event):
		return "runs inside the agent (" + event + ")"
	case requiredFields[d.kind] == "":
		return fmt.Sprintf("hooks of type %q run inside the agent", d.kind)
	case d.shell != "" && d.shell != "bash":
		return "there is no " + d.shell + " here"
	case d.async:
		return "it is async, and mulligan waits for its hooks"
	case d.hasCondition:
		return "it has an if, which holds for tools only"
	}
	return ""
}

func (r *reader) readHandler(place jsonPlace, event string, fields []member) handler {
	d := handler{kind: TypeCommand}
	for _, m := range fields {
		into := map[string]any{
			"type": &d.kind, "command": &d.command, "args": &d.args, "shell": &d.shell, "url": &d.url,
			"headers": &d.headers, "allowedEnvVars": &d.allowed, "prompt": &d.prompt, "async": &d.async,
		}[m.name]
		at := place.field(m.name)
		switch {
		case isAbsent(m.value):
		case into != nil:
			if json.Unmarshal(m.value, into) != nil {
				r.addWrongShape(event, at, "is %s, which is not what it should be", showValue(m.value))
			}
		case m.name == "timeout":
			d.timeout = r.readTimeout(at, m.value)
		case m.name == "if":
			d.hasCondition = true
		case m.name == "asyncRewake":
			d.async = d.async || isTrue(m.value)
		case slices.Contains([]string{"statusMessage", "once"}, m.name):
		case m.name == "model":
			r.addNote(at, "is passed over: an agent of the plan answers")
		default:
			r.addNote(at, "is not known here and passed over")
		}
		d.hasArgs = d.hasArgs || m.name == "args" && !isAbsent(m.value)
	}
	return d
}

func (r *reader) readTimeout(place jsonPlace, raw json.RawMessage) time.Duration {
	var n float64
	if json.Unmarshal(raw, &n) == nil && n > 0 {
		if d, ok := scaleDuration(n, r.unit); ok && d > 0 {
			return d
		}
	}
	r.addNote(place, "is %s: want a number above 0; the usual time is taken", showValue(raw))
	return 0
}

// commandLine returns the command as /bin/sh is to read it.
func (d handler) commandLine() string {
	command := strings.TrimSpace(d.command)
	switch {
	case command == "":
		return ""
	case d.hasArgs:
		command = quoteWord(command)
		for _, word := range d.args {
			command += " " + quoteWord(word)
		}
	case d.shell == "bash":
		return "bash -c " + quoteWord(command)
	}
	return command
}

// quoteWord returns a word that a shell reads as it is. A word with a NUL cannot exist at all.
func quoteWord(word string) string {
	q, err := syntax.Quote(strings.ReplaceAll(word, "\x00", ""), syntax.LangPOSIX)
	if err != nil {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return q
}

// filterHeaders removes the variables from headers that the file does not allow in them.
func (r *reader) filterHeaders(place jsonPlace, d handler) map[string]string {
	for name, value := range d.headers {
		d.headers[name] = replaceReferences(value, func(variable, ref string) string {
			if slices.Contains(d.allowed, variable) {
				return ref
			}
			r.addNote(place.field("headers").field(name), "%s is left out: it is not in allowedEnvVars", ref)
			return ""
		})
	}
	return d.headers
}

// Name returns a name for a hook that has none: its command, its address, or its question.
func Name(h mulligan.AgentHook) string {
	switch h.Type {
	case TypeHTTP:
		at, err := url.Parse(h.URL)
		if err != nil {
			return "http"
		}
		at.User, at.RawQuery, at.Fragment = nil, "", "" // there may be a key in them
		return text.Clip(at.String(), nameLength)
	case TypePrompt:
		return text.Clip(strings.TrimSpace("ask: "+text.OneLine(h.Prompt)), nameLength)
	}
	return text.Clip(text.OneLine(h.Command), nameLength)
}

const nameLength = 80 // characters of a hook's name
