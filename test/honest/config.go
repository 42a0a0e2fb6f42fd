package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// writeConfig returns the mulligan.yaml of a run.
func writeConfig(r run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nagent: it\nagents:\n  it: {type: program, exec: [the-agent], timeout: 10m}\npipelines:\n  default:\n    - name: work\n      retry: 1\n      check:\n")
	if r.checks != "" {
		b.WriteString(indent(r.checks, 8))
	} else {
		b.WriteString(indent(writeCheck(r), 8))
	}
	b.WriteString(indent(writeAccess(r)+r.step, 6))
	b.WriteString(r.config)
	return b.String()
}

// writeCheck returns the project's check as an item of a list.
func writeCheck(r run) string {
	more := ""
	if r.on.counted && r.column != bare && r.check == "" {
		more += ", min_tests: 1"
	}
	if r.column == golden {
		more += ", golden: true"
	}
	return fmt.Sprintf("- {type: shell, name: tests, command: %s, timeout: 60s%s}\n", quote(r.command()), more)
}

// command returns the command of the run's check.
func (r run) command() string {
	if r.check != "" {
		return r.check
	}
	return r.on.check
}

// writeAccess returns the step's file_access.
func writeAccess(r run) string {
	guarded := slices.Concat(r.on.tests, r.protect)
	switch r.column {
	case protect:
		return fmt.Sprintf("file_access:\n  allow_write: %s\n  protect: %s\n", list(patterns(slices.Concat(r.on.source, r.allow))), list(guarded))
	case golden:
		return fmt.Sprintf("file_access:\n  protect: %s\n", list(guarded))
	case bare:
	}
	return ""
}

// patterns returns patterns for paths: a folder, which ends with a slash, stands for all that is below it.
func patterns(paths []string) []string {
	var all []string
	for _, path := range paths {
		if strings.HasSuffix(path, "/") {
			path += "**"
		}
		all = append(all, path)
	}
	return all
}

func list(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quote(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// quote returns a text as JSON, which YAML reads too.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // a string always can be
	return string(quoted)
}

func indent(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", by) + line)
	}
	return b.String()
}
