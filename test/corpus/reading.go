package corpus

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// A reading is one form of a text, and where the paths of the case's items stand in it.
type reading struct {
	text  string
	paths []pathMark // in order
}

type pathMark struct {
	at   int
	path string
}

// findPaths returns where the paths stand in text. One inside a longer one does not count.
func findPaths(text string, paths []string) (marks []pathMark) {
	for _, path := range paths {
		for at := findWords(text, path, 0); at >= 0; at = findWords(text, path, at+len(path)) {
			marks = append(marks, pathMark{at, path})
		}
	}
	slices.SortFunc(marks, func(a, b pathMark) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(len(b.path), len(a.path)))
	})
	end := 0
	return slices.DeleteFunc(marks, func(m pathMark) bool {
		inside := m.at+len(m.path) <= end
		end = max(end, m.at+len(m.path))
		return inside
	})
}

// near is how far from what an item says its line may stand, in bytes of collapsed text.
const near = 300

// hasNear reports whether one of the item's texts has the path and a match of line beside it.
func (r reading) hasNear(item Item, path string, line *regexp.Regexp) bool {
	if !slices.ContainsFunc(r.paths, func(m pathMark) bool { return strings.Contains(m.path, path) }) {
		return false
	}
	for _, s := range append([]string{item.Name}, item.Message...) {
		s = collapseSpace(s)
		if s == "" {
			continue
		}
		for at := findWords(r.text, s, 0); at >= 0; at = findWords(r.text, s, at+len(s)) {
			end := min(len(r.text), at+len(s)+near)
			if r.isUnderPath(at, end, path) && line.MatchString(r.text[max(0, at-near):end]) {
				return true
			}
		}
	}
	return false
}

// isUnderPath reports whether of all the paths of the case this one is the last before at, or
// the first between at and end.
func (r reading) isUnderPath(at, end int, path string) bool {
	n, _ := slices.BinarySearchFunc(r.paths, at, func(m pathMark, at int) int { return cmp.Compare(m.at, at) })
	before := n > 0 && strings.Contains(r.paths[n-1].path, path)
	after := n < len(r.paths) && r.paths[n].at < end && strings.Contains(r.paths[n].path, path)
	return before || after
}
