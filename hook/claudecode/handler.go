package claudecode

import (
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

// A handler is a hook as a settings file writes it, as far as mulligan knows it.
type handler struct {
	kind     string
	command  string
	args     []string
	shell    string
	url      string
	headers  map[string]string
	allowed  []string
	prompt   string
	timeout  time.Duration
	async    bool
	only     bool // it has an "if"
	explicit bool // "args" are given: no shell reads the command
}

// hook reads one hook into h and takes it in, unless it is nothing that could be run.
func (r *reader) hook(place string, h mulligan.AgentHook, raw json.RawMessage) {
	fields, ok := members(raw)
	if !ok {
		r.note(place, "is %s: want an object with type and command; it is passed over", shown(raw))
		return
	}
	d := r.handler(place, fields)
	h.Type = d.kind
	h.Timeout = d.timeout
	if h.Timeout == 0 {
		h.Timeout = r.defaults(h.Event, d.kind)
	}
	switch d.kind {
	case TypeCommand:
		h.Command = d.line()
	case TypeHTTP:
		h.URL, h.Headers = d.url, r.headers(place, d)
	case TypePrompt, "agent":
		h.Type, h.Prompt = TypePrompt, d.prompt
	}
	if h.Command == "" && h.URL == "" && h.Prompt == "" && slices.Contains(runnable(), d.kind) {
		r.note(place, "has no %s: it is passed over", needed(d.kind))
		return
	}
	h.Name = Name(h)
	h.Unhandled = unhandled(h.Event, d)
	if h.Unhandled != "" && slices.Contains(ours(), h.Event) {
		r.note(place, "is not run: %s", h.Unhandled)
	}
	r.read = append(r.read, h)
}

func runnable() []string { return []string{TypeCommand, TypeHTTP, TypePrompt, "agent"} }

func needed(kind string) string {
	switch kind {
	case TypeHTTP:
		return "url"
	case TypePrompt, "agent":
		return "prompt"
	}
	return "command"
}

// unhandled is why mulligan does not run a hook.
func unhandled(event string, d handler) string {
	switch {
	case !slices.Contains(ours(), event):
		return "runs inside the agent (" + event + ")"
	case !slices.Contains(runnable(), d.kind):
		return fmt.Sprintf("hooks of type %q run inside the agent", d.kind)
	case d.shell != "" && d.shell != "bash":
		return "there is no " + d.shell + " here"
	case d.async:
		return "it is async, and mulligan waits for its hooks"
	case d.only:
		return "it has an if, which holds for tools only"
	}
	return ""
}

func (r *reader) handler(place string, fields []member) handler {
	d := handler{kind: TypeCommand}
	for _, m := range fields {
		into := map[string]any{
			"type": &d.kind, "command": &d.command, "args": &d.args, "shell": &d.shell, "url": &d.url,
			"headers": &d.headers, "allowedEnvVars": &d.allowed, "prompt": &d.prompt, "async": &d.async,
		}[m.name]
		at := place + "." + m.name
		switch {
		case isNull(m.value):
		case into != nil:
			if json.Unmarshal(m.value, into) != nil {
				r.note(at, "is %s, which is not understood: it is passed over", shown(m.value))
			}
		case m.name == "timeout":
			d.timeout = r.timeout(at, m.value)
		case m.name == "if":
			d.only = true
		case m.name == "asyncRewake":
			d.async = d.async || off(m.value)
		case slices.Contains([]string{"statusMessage", "once"}, m.name):
		case m.name == "model":
			r.note(at, "is passed over: an agent of the plan answers")
		default:
			r.note(at, "is not known here and passed over")
		}
		d.explicit = d.explicit || m.name == "args" && !isNull(m.value)
	}
	return d
}

func (r *reader) timeout(place string, raw json.RawMessage) time.Duration {
	var n float64
	if json.Unmarshal(raw, &n) == nil && n > 0 {
		if d, ok := scaled(n, r.unit); ok && d > 0 {
			return d
		}
	}
	r.note(place, "is %s: want a number above 0; the usual time is taken", shown(raw))
	return 0
}

// line is the command as /bin/sh is to read it.
func (d handler) line() string {
	command := strings.TrimSpace(d.command)
	switch {
	case command == "":
		return ""
	case d.explicit:
		words := make([]string, 0, len(d.args)+1)
		for _, word := range append([]string{command}, d.args...) {
			words = append(words, quoted(word))
		}
		return strings.Join(words, " ")
	case d.shell == "bash":
		return "bash -c " + quoted(command)
	}
	return command
}

// quoted is a word that a shell reads as it is. One with a NUL cannot be a word at all.
func quoted(word string) string {
	q, err := syntax.Quote(strings.ReplaceAll(word, "\x00", ""), syntax.LangPOSIX)
	if err != nil {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return q
}

// headers takes out the variables that the file does not allow in them.
func (r *reader) headers(place string, d handler) map[string]string {
	for name, value := range d.headers {
		d.headers[name] = replaced(value, func(variable, ref string) string {
			if slices.Contains(d.allowed, variable) {
				return ref
			}
			r.note(place+".headers."+name, "%s is left out: it is not in allowedEnvVars", ref)
			return ""
		})
	}
	return d.headers
}

// Name is what people call a hook that has no name: its command, its address, or what it asks.
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
