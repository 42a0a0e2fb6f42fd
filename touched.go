package mulligan

import (
	"fmt"
	"strings"

	"mulligan/internal/text"
)

// Touched is what differs between two trees, in figures, and by name what a reader of a green verdict wants to
// know of: tests, and files that steer the checks. All lists are bounded.
type Touched struct {
	Files   int           `json:"files"`
	Added   int           `json:"added"` // lines
	Deleted int           `json:"deleted"`
	Top     []TouchedFile `json:"top,omitempty"` // the most changed first
	// Tests are those that were deleted, emptied, skipped or changed; Steering the files that steer the checks
	// without being tests.
	Tests        []TouchedFile `json:"tests,omitempty"`
	MoreTests    int           `json:"more_tests,omitempty"` // that are not listed
	Steering     []TouchedFile `json:"steering,omitempty"`
	MoreSteering int           `json:"more_steering,omitempty"`
}

// A TouchedFile is a file that differs between two trees.
type TouchedFile struct {
	Path    string    `json:"path"`   // quoted where it is not one line of plain text
	Change  TouchKind `json:"change"` // added, changed, deleted, emptied
	Added   int       `json:"added,omitempty"`
	Deleted int       `json:"deleted,omitempty"`
	Skips   int       `json:"skips,omitempty"` // marks that were added, each of which skips a test
	Fewer   int       `json:"fewer,omitempty"` // how many tests fewer it has
}

// A TouchKind is how a touched file differs.
type TouchKind string

const (
	FileAdded   TouchKind = "new"
	FileChanged TouchKind = "changed"
	FileDeleted TouchKind = "deleted"
	FileEmptied TouchKind = "emptied" // no test is left in it
)

// Figures returns the touched files in a few words: "3 files, +12 -4".
func (t Touched) Figures() string {
	if t.Files == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, +%d -%d", text.Count(t.Files, "file"), t.Added, t.Deleted)
}

// TestWords names the tests: "deleted: a_test.go; changed: b_test.go (skip added)". It returns "" if there
// are none.
func (t Touched) TestWords() string { return describeFiles(t.Tests, t.MoreTests) }

// SteeringWords names the files that steer the checks, as TestWords does tests.
func (t Touched) SteeringWords() string { return describeFiles(t.Steering, t.MoreSteering) }

// describeFiles names files, those of one change together.
func describeFiles(files []TouchedFile, more int) string {
	var parts []string
	for _, change := range []TouchKind{FileDeleted, FileEmptied, FileChanged, FileAdded} {
		var names []string
		for _, f := range files {
			if f.Change == change {
				names = append(names, f.Path+f.details())
			}
		}
		if len(names) > 0 {
			parts = append(parts, string(change)+": "+strings.Join(names, ", "))
		}
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// details returns what happened to the tests of a file, in parentheses, or "".
func (f TouchedFile) details() string {
	var parts []string
	switch {
	case f.Skips == 1:
		parts = append(parts, "skip added")
	case f.Skips > 1:
		parts = append(parts, text.Count(f.Skips, "skip")+" added")
	}
	if f.Fewer > 0 && f.Change != FileEmptied {
		parts = append(parts, text.Count(f.Fewer, "test")+" fewer")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
