package markup

import (
	"strconv"
	"strings"

	"mulligan/internal/text"
)

// A FileChange is what a patch changes in one file.
type FileChange struct {
	Old, New string // names; Old differs where the file was renamed or copied, and is "" where it is new
	Status   string // added, deleted, renamed, copied, changed
	Binary   bool
	Notes    []string // changes of the file's mode
	Hunks    []Hunk
	Added    int // lines
	Removed  int
	LeftOut  int // lines that were not taken: the patch is too large
}

// Name returns the name that the file has now, or had if it was deleted.
func (f FileChange) Name() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// A Hunk is a run of lines around a change.
type Hunk struct {
	Header string // what git says of the place: the function that the lines are in
	Lines  []Line
}

// A Line is a line of a hunk. Old and New are its numbers, 0 on the side that does not have it.
type Line struct {
	Kind     LineKind
	Old, New int
	Text     string
}

// A LineKind is the first character of a line of a patch.
type LineKind byte

const (
	Same    LineKind = ' '
	Added   LineKind = '+'
	Removed LineKind = '-'
	Remark  LineKind = '\\' // "No newline at end of file"
)

const (
	maxPatchLines = 20_000
	maxPatchLine  = 2_000 // characters
)

// ReadPatch takes a patch apart, in git's form. What is not part of a patch is skipped. Lines beyond the first
// 20,000 are counted and left out.
func ReadPatch(patch string) []FileChange {
	var r patchReader
	for line := range strings.Lines(patch) {
		r.take(strings.TrimRight(line, "\n"))
	}
	return r.files
}

// A patchReader takes the lines of a patch.
type patchReader struct {
	files    []FileChange
	taken    int
	old, new int // numbers of the next lines
	oldLeft  int // lines of the hunk that have not come
	newLeft  int
}

func (r *patchReader) take(line string) {
	if rest, ok := strings.CutPrefix(line, "diff --git "); ok && r.oldLeft <= 0 && r.newLeft <= 0 {
		r.files = append(r.files, FileChange{Status: "changed", New: nameOf(lastName(rest), "b/")})
		return
	}
	if len(r.files) == 0 {
		return
	}
	f := &r.files[len(r.files)-1]
	switch {
	case r.oldLeft > 0 || r.newLeft > 0 || strings.HasPrefix(line, `\`) && len(f.Hunks) > 0:
		r.takeLine(f, line)
	case strings.HasPrefix(line, "@@ "):
		r.startHunk(f, line)
	default:
		takeHeader(f, line)
	}
}

// takeHeader takes a line before the first hunk of a file.
func takeHeader(f *FileChange, line string) {
	key, value, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "new file mode"):
		f.Status, f.Old = "added", ""
	case strings.HasPrefix(line, "deleted file mode"):
		f.Status = "deleted"
	case strings.HasPrefix(line, "rename from "):
		f.Status, f.Old = "renamed", nameOf(strings.TrimPrefix(line, "rename from "), "")
	case strings.HasPrefix(line, "rename to "):
		f.New = nameOf(strings.TrimPrefix(line, "rename to "), "")
	case strings.HasPrefix(line, "copy from "):
		f.Status, f.Old = "copied", nameOf(strings.TrimPrefix(line, "copy from "), "")
	case strings.HasPrefix(line, "copy to "):
		f.New = nameOf(strings.TrimPrefix(line, "copy to "), "")
	case strings.HasPrefix(line, "old mode "), strings.HasPrefix(line, "new mode "):
		f.Notes = append(f.Notes, line)
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		f.Binary = true
	case key == "---" && value != "/dev/null":
		f.Old = nameOf(value, "a/")
	case key == "+++" && value != "/dev/null":
		f.New = nameOf(value, "b/")
	}
}

// lastName returns the second of the two names after "diff --git". They are the same, unless a line that follows
// names both.
func lastName(rest string) string {
	if at := strings.LastIndex(rest, ` "b/`); at >= 0 {
		return rest[at+1:]
	}
	if half := len(rest) / 2; len(rest)%2 == 1 && rest[half] == ' ' {
		return rest[half+1:]
	}
	return rest[strings.LastIndex(rest, " b/")+1:]
}

// nameOf returns a name as git writes it in a patch: in quotes where it has characters that are not plain.
func nameOf(name, prefix string) string {
	name = strings.TrimRight(name, "\t\r")
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	return strings.TrimPrefix(name, prefix)
}

// startHunk takes the line that begins a hunk: @@ -1,2 +3,4 @@ where.
func (r *patchReader) startHunk(f *FileChange, line string) {
	places, header, _ := strings.Cut(strings.TrimPrefix(line, "@@ "), " @@")
	before, after, _ := strings.Cut(places, " ")
	r.old, r.oldLeft = readRange(strings.TrimPrefix(before, "-"))
	r.new, r.newLeft = readRange(strings.TrimPrefix(after, "+"))
	f.Hunks = append(f.Hunks, Hunk{Header: strings.TrimSpace(header)})
}

// readRange reads the first line and the number of lines of one side of a hunk.
func readRange(s string) (first, count int) {
	from, size, sized := strings.Cut(s, ",")
	first, _ = strconv.Atoi(from)
	if !sized {
		return first, 1
	}
	count, _ = strconv.Atoi(size)
	return first, count
}

// takeLine takes a line of a hunk.
func (r *patchReader) takeLine(f *FileChange, s string) {
	line := Line{Kind: Same}
	if s != "" {
		line.Kind, line.Text = LineKind(s[0]), s[1:]
	}
	switch line.Kind {
	case Added:
		line.New = r.new
		f.Added++
	case Removed:
		line.Old = r.old
		f.Removed++
	case Remark:
	case Same:
		line.Old, line.New = r.old, r.new
	default: // not a line of a patch: it is shown as it is
		line = Line{Kind: Same, Old: r.old, New: r.new, Text: s}
	}
	if line.Old > 0 {
		r.old++
		r.oldLeft--
	}
	if line.New > 0 {
		r.new++
		r.newLeft--
	}
	if r.taken >= maxPatchLines {
		f.LeftOut++
		return
	}
	r.taken++
	line.Text = text.Clip(line.Text, maxPatchLine)
	last := &f.Hunks[len(f.Hunks)-1]
	last.Lines = append(last.Lines, line)
}
