package workspace

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
)

const (
	// maxExcluded bounds the paths that a command line excludes. Where there are more no patch is made.
	maxExcluded = 200
	// patchesHeld bounds the bytes of patches that are held.
	patchesHeld = 8 << 20
	// leastPatch is how many characters of a patch are worth being shown.
	leastPatch = 200
)

// A patch is the beginning of one file's patch.
type patch struct {
	text  []byte
	lost  int // bytes beyond text
	added int // lines
	taken int // lines that were removed
}

// readPatches returns the patches of the changes, in the order in which git prints them. It holds as
// much of each as could be shown.
func (t *treeDiffer) readPatches(ctx context.Context, limit int) ([]*patch, error) {
	args := t.diffArgs("--patch", "--unified=3", "--irreversible-delete", "--src-prefix=a/", "--dst-prefix=b/")
	shown, excluded := 0, 0
	for _, c := range t.changes {
		if !c.exclude {
			shown++
			continue
		}
		if excluded++; excluded > maxExcluded {
			return nil, nil
		}
		args = append(args, ":(top,exclude,literal)"+c.path)
	}
	if shown == 0 {
		return nil, nil
	}
	var patches []*patch
	readErr, err := t.git.stream(ctx, func(out io.Reader) (err error) {
		patches, err = splitPatches(out, limit)
		return err
	}, args...)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git diff: %w", context.Cause(ctx))
	case readErr != nil:
		return nil, readErr
	case err != nil && len(patches) == 0:
		return nil, fmt.Errorf("git diff: %w", err)
	case err != nil: // a file went away while git was reading
		t.notes = append(t.notes, "git could not complete the diff: files changed meanwhile, or cannot be read")
	}
	return patches, nil
}

// splitPatches reads patches, of each as many bytes as limit characters can have, until it holds enough
// of all.
func splitPatches(r io.Reader, limit int) ([]*patch, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var all []*patch
	held, body := 0, false
	for begins := true; ; {
		part, err := in.ReadSlice('\n')
		if begins && bytes.HasPrefix(part, []byte("diff --git ")) {
			all, body = append(all, &patch{}), false
		}
		if len(all) > 0 {
			p := all[len(all)-1]
			body = body || begins && bytes.HasPrefix(part, []byte("@@ "))
			if begins && body {
				p.countLine(part)
			}
			room := min(utf8.UTFMax*limit-len(p.text), patchesHeld-held)
			keep := max(0, min(len(part), room))
			p.text, p.lost, held = append(p.text, part[:keep]...), p.lost+len(part)-keep, held+keep
		}
		begins = bytes.HasSuffix(part, []byte("\n"))
		switch {
		case err == io.EOF:
			return all, nil
		case err != nil && err != bufio.ErrBufferFull:
			return all, err
		}
	}
}

// countLine counts a line of a patch's body.
func (p *patch) countLine(line []byte) {
	switch {
	case len(line) == 0:
	case line[0] == '+':
		p.added++
	case line[0] == '-':
		p.taken++
	}
}

// compose returns the text of a diff: the list of the paths, what cannot be shown, and the patches.
func (t *treeDiffer) compose(patches []*patch, limit int) (whole string, cut bool) {
	if len(t.changes) == 0 && len(t.notes) == 0 {
		return text.Clip(fmt.Sprintf("nothing changed since %.10s\n", t.base), limit), false
	}
	var b strings.Builder
	b.WriteString(t.describeCount())
	cut = writeLines(&b, t.listLines(patches), limit/3)
	cut = writeLines(&b, t.notes, limit/10) || cut || len(t.notes) > 0
	room := limit - utf8.RuneCountInString(b.String())
	sizes := make([]int, len(patches))
	texts := make([]string, len(patches))
	for i, p := range patches {
		texts[i] = cleanPatch(string(p.text))
		sizes[i] = utf8.RuneCountInString(texts[i])
	}
	each := max(shareRoom(sizes, room), leastPatch)
	for i, p := range patches {
		shown := "\n" + clipPatch(texts[i], p.lost, each)
		n := utf8.RuneCountInString(shown)
		if n > room-60 && (i < len(patches)-1 || n > room) {
			fmt.Fprintf(&b, "\n[… the patches of %s left out here …]\n", text.Count(len(patches)-i, "file"))
			cut = true
			break
		}
		b.WriteString(shown)
		room -= n
		cut = cut || p.lost > 0 || sizes[i] > each
	}
	return text.Clip(b.String(), limit), cut
}

// listLines returns a line for each path, with the lines that were added and removed where each path
// has its patch.
func (t *treeDiffer) listLines(patches []*patch) []string {
	lines := t.describePaths()
	next := 0
	for i, c := range t.changes {
		if c.exclude || next >= len(patches) {
			continue
		}
		if p := patches[next]; p.added+p.taken > 0 {
			lines[i] += fmt.Sprintf(" (+%d -%d)", p.added, p.taken)
		}
		if next++; c.letter == "T" { // git prints two patches: one for each type
			next++
		}
	}
	return lines
}

// writeLines writes lines of at most room characters, and reports whether it left some out.
func writeLines(b *strings.Builder, lines []string, room int) (cut bool) {
	for i, line := range lines {
		line = "  " + line + "\n"
		if room -= utf8.RuneCountInString(line); room < 0 {
			fmt.Fprintf(b, "  … %d more\n", len(lines)-i)
			return true
		}
		b.WriteString(line)
	}
	return false
}

// shareRoom returns how many characters each of the texts may have so that all fit: what small ones
// leave goes to the others.
func shareRoom(sizes []int, room int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		share := room/(len(sorted)-i) - 80 // for what is said about a cut
		if size > share {
			return share
		}
		room -= size + 1
	}
	return room
}

// clipPatch returns a patch of at most about n characters, of whole lines if there are some.
func clipPatch(p string, lost, n int) string {
	count := utf8.RuneCountInString(p)
	if count <= n && lost == 0 {
		return p
	}
	end, seen := len(p), 0
	for i := range p {
		if seen == n {
			end = i
			break
		}
		seen++
	}
	if at := strings.LastIndexByte(p[:end], '\n'); at > 0 {
		end = at + 1
	}
	rest := len(p) - end + lost
	return strings.TrimSuffix(p[:end], "\n") + fmt.Sprintf("\n[… %s of this patch left out here …]\n", text.Count(rest, "byte"))
}
