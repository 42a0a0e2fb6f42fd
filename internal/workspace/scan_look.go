package workspace

import (
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// manyEntries is the number of known entries from which several processors look at them sooner than one.
const manyEntries = 1000

// A knownFolder is a folder that an earlier walk has entered.
type knownFolder struct {
	folder *folder
	path   string // the whole path
}

// lookAtKnown looks at all entries that earlier walks know, several folders at once, if they are many. The walk then
// takes what was seen: it looks again only at what may have changed, or could not be looked at. The rules must be those
// under which the kinds of the entries were found.
func (s *scan) lookAtKnown() {
	if !s.known {
		return
	}
	all, entries := s.root.listKnown(nil, s.dir)
	if entries < s.lookFrom {
		return
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(all)); i = next.Add(1) - 1 {
				s.lookInto(all[i])
			}
		})
	}
	workers.Wait()
}

// listKnown adds the folder and those in it to all, and returns them with the number of entries that they have.
func (f *folder) listKnown(all []knownFolder, path string) ([]knownFolder, int) {
	all = append(all, knownFolder{f, path})
	entries := len(f.nodes)
	for _, n := range f.nodes {
		if n.kind == nested && n.sub != nil {
			var more int
			all, more = n.sub.listKnown(all, path+string(filepath.Separator)+n.name)
			entries += more
		}
	}
	return all, entries
}

// lookInto looks at a folder and its files. Other folders may be looked into meanwhile.
func (s *scan) lookInto(k knownFolder) {
	h, st, err := openFolder(k.path)
	if err != nil {
		return
	}
	defer h.close()
	k.folder.seen, k.folder.seenIn = st, s.round
	for _, n := range k.folder.nodes {
		switch n.kind {
		case plain, link, ignored:
			if n.kind == ignored && n.name != ignoreFile || n.read == 0 {
				continue
			}
			if st, err := h.lstat(n.name); err == nil && st == n.stat && st.isSettled(n.read) {
				n.stillIn = s.round
			}
		default:
		}
	}
}

// isStill reports whether this walk has nothing to do for an entry: it is ignored, or was seen to be as it was.
func (s *scan) isStill(n *node) bool {
	switch n.kind {
	case plain, link:
		return n.stillIn == s.round
	case ignored:
		return n.name != ignoreFile || n.stillIn == s.round
	default:
		return false
	}
}
