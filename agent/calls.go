package agent

import (
	"encoding/json"
	"strings"
)

// targetInputs are the inputs of tools that tell what a tool is used on, the best first, and looseInputs those
// that at least tell something about the call.
var (
	targetInputs = []string{"command", "cmd", "file_path", "filePath", "notebook_path", "path", "abs_path", "pattern", "url", "query", "skill"}
	looseInputs  = []string{"content", "description", "prompt"}
)

// CallCommand returns the command that a tool is given, or "" if it is given none.
func CallCommand(input json.RawMessage) string {
	var fields struct {
		Command any `json:"command"`
	}
	json.Unmarshal(input, &fields) // an input of another shape has no command
	return commandText(fields.Command)
}

// commandText returns a command as one text. One that is given in words is what its shell gets, if it
// is a shell.
func commandText(command any) string {
	switch c := command.(type) {
	case string:
		return c
	case []any:
		var words []string
		for _, word := range c {
			if text, ok := word.(string); ok {
				words = append(words, text)
			}
		}
		if len(words) == 3 && strings.HasSuffix(words[0], "sh") && (words[1] == "-c" || words[1] == "-lc") {
			return words[2]
		}
		return strings.Join(words, " ")
	}
	return ""
}

// CallTarget returns what a tool is used on: the command in full, the path …; "" if the input does not tell, or
// not yet.
func CallTarget(input json.RawMessage) string {
	if command := CallCommand(input); command != "" {
		return command
	}
	var fields map[string]any
	json.Unmarshal(input, &fields) // an input of another shape tells nothing
	return firstInput(fields, targetInputs)
}

// CallSubject returns what a tool is used on, or else the first line of the input that tells most.
func CallSubject(input json.RawMessage) string {
	if target := CallTarget(input); target != "" {
		return target
	}
	var fields map[string]any
	if json.Unmarshal(input, &fields) == nil {
		if line := firstInput(fields, looseInputs); line != "" {
			return line
		}
	}
	if text := string(input); len(fields) > 0 || fields == nil && text != "null" {
		return text
	}
	return ""
}

// firstInput returns the first line of the first of the named inputs that is a text.
func firstInput(fields map[string]any, names []string) string {
	for _, name := range names {
		if text, ok := fields[name].(string); ok && text != "" {
			line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			return line
		}
	}
	return ""
}

// RunsExactly reports whether a command is the allowed one: as it is, or as the one argument of a shell's -c.
func RunsExactly(command, allowed string) bool {
	allowed = strings.TrimSpace(allowed)
	if command = strings.TrimSpace(command); command == allowed {
		return allowed != ""
	}
	for _, shell := range []string{"bash", "/bin/bash", "/usr/bin/bash", "sh", "/bin/sh", "/usr/bin/sh", "zsh", "/bin/zsh", "/usr/bin/zsh"} {
		for _, flag := range []string{" -c ", " -lc "} {
			if rest, ok := strings.CutPrefix(command, shell+flag); ok {
				return allowed != "" && (rest == quoteSingle(allowed) || rest == quoteDouble(allowed) || rest == allowed && !strings.ContainsFunc(allowed, isShellSpecial))
			}
		}
	}
	return false
}

// quoteSingle returns a text as a word of the shell in single quotes.
func quoteSingle(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// quoteDouble returns a text as a word of the shell in double quotes, as programs write a word that has single
// quotes in it; "" stands for one that cannot be written so without escapes.
func quoteDouble(s string) string {
	if strings.ContainsAny(s, "\"$`\\!") {
		return ""
	}
	return `"` + s + `"`
}

// isShellSpecial reports whether a character ends or changes a word of the shell.
func isShellSpecial(r rune) bool { return strings.ContainsRune(" \t\n'\"\\$`;&|<>()*?[]{}~#!", r) }
