package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// everyOccurrence stands over the diff of an edit that is made wherever its text occurs.
const everyOccurrence = "\nevery occurrence is replaced:"

// A FileDiff is what an edit would do to a file.
type FileDiff struct {
	Path  string
	Lines string // of a diff, each after a line end
}

// NewFileDiff returns the difference between two texts of a file.
func NewFileDiff(path, before, after string) FileDiff {
	lines := diffLines(before, after)
	if len(lines) > permitHead {
		// What the two have in common would hide what is changed. Where it is left out, the digest tells edits apart.
		compact := diff.Diff("", []byte(before), "", []byte(after))
		if _, hunks, ok := strings.Cut(string(compact), "\n@@ "); ok {
			lines = "\n@@ " + strings.TrimSuffix(hunks, "\n") + "\n" + digestMark(before+"\x00"+after)
		}
	}
	return FileDiff{path, boundLines(lines)}
}

// GivenFileDiff returns a difference that an agent gives as the lines of a diff.
func GivenFileDiff(path, lines string) FileDiff {
	return FileDiff{path, boundLines("\n" + strings.TrimRight(lines, "\n"))}
}

// maxDiff is how many bytes are kept of the beginning, and of the end, of a diff. A person sees less.
const maxDiff = 8 << 10

func boundLines(lines string) string {
	if len(lines) <= 2*maxDiff {
		return lines
	}
	head, tail := strings.ToValidUTF8(lines[:maxDiff], ""), strings.ToValidUTF8(lines[len(lines)-maxDiff:], "")
	return head + "\n[…]\n" + tail + "\n" + digestMark(lines)
}

// EditWish returns what an edit would do, in words: what it is, and under it the diff of each file, after the file's
// path unless what has that.
func EditWish(what string, files []FileDiff) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(what, "\n", "\n  "))
	for _, f := range files {
		if len(files) > 1 || !strings.Contains(what, f.Path) {
			fmt.Fprintf(&b, "\nfile %s", strings.ReplaceAll(f.Path, "\n", `\n`))
		}
		b.WriteString(f.Lines)
	}
	return b.String()
}

// EveryOccurrence returns what an edit is, if it is made wherever its text occurs.
func EveryOccurrence(wish string) string {
	first, rest, _ := strings.Cut(wish, "\n")
	return strings.TrimSuffix(first+everyOccurrence+"\n"+rest, "\n")
}

// showEdit returns an edit of Claude Code as a diff, and reports whether the call is one that can be shown so: it
// does nothing that the diff does not tell.
func showEdit(tool string, fields map[string]json.RawMessage) (text string, ok bool) {
	var path, lines string
	if json.Unmarshal(fields["file_path"], &path) != nil || path == "" || strings.Contains(path, "\n") {
		return "", false
	}
	rest := fieldsBut(fields, "file_path")
	switch tool {
	case "Edit":
		lines, ok = showReplacement(rest)
	case "MultiEdit":
		lines, ok = showReplacements(rest)
	case "Write":
		var content string
		ok = json.Unmarshal(rest["content"], &content) == nil && len(rest) == 1
		lines = diffLines("", content)
	}
	return tool + ": " + path + lines, ok
}

func fieldsBut(fields map[string]json.RawMessage, name string) map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	for n, value := range fields {
		if n != name {
			rest[n] = value
		}
	}
	return rest
}

// showReplacement returns the replacement of a text as a diff.
func showReplacement(fields map[string]json.RawMessage) (lines string, ok bool) {
	var before, after string
	if json.Unmarshal(fields["old_string"], &before) != nil || json.Unmarshal(fields["new_string"], &after) != nil {
		return "", false
	}
	all := false
	for name, value := range fields {
		switch {
		case name == "replace_all" && string(value) == "true":
			all = true
		case !slices.Contains([]string{"old_string", "new_string"}, name) && string(value) != "false":
			return "", false
		}
	}
	if all {
		lines = everyOccurrence
	}
	return lines + diffLines(before, after), true
}

// showReplacements returns several replacements in a file, in their order.
func showReplacements(fields map[string]json.RawMessage) (lines string, ok bool) {
	var edits []map[string]json.RawMessage
	if len(fields) != 1 || json.Unmarshal(fields["edits"], &edits) != nil || len(edits) == 0 {
		return "", false
	}
	for i, edit := range edits {
		change, ok := showReplacement(edit)
		if !ok {
			return "", false
		}
		lines += fmt.Sprintf("\nedit %d", i+1) + change
	}
	return lines, true
}
