package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// knownPacks are the packs of the snapshot repository, as its folder last had them. It is safe for concurrent use.
type knownPacks struct {
	dir string

	mu     sync.Mutex
	stat   stat // of the folder, when it was listed
	listed int64
	packs  []*packIndex
	young  map[*packIndex]bool // those that are seen to be there, and young, since the last refresh
}

// refresh lists the folder again if it may have changed. Packs that cannot be read do not count: what they have is
// stored again.
func (k *knownPacks) refresh() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.young)
	st, err := lstat(k.dir)
	if err == nil && st == k.stat && st.isSettled(k.listed) {
		return
	}
	k.stat, k.listed = st, time.Now().UnixNano()
	known := make(map[string]*packIndex, len(k.packs))
	for _, p := range k.packs {
		known[p.path] = p
	}
	k.packs = nil
	for _, name := range listIndexes(k.dir) {
		p := known[strings.TrimSuffix(name, indexSuffix)+packSuffix]
		if p == nil {
			if p, err = readPackIndex(name); err != nil {
				continue
			}
		}
		k.packs = append(k.packs, p)
	}
}

// listIndexes returns the paths of the indexes in a folder of packs.
func listIndexes(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), "pack-*"+indexSuffix)) // fails for a bad pattern only
	return names
}

// escapeGlob returns a pattern that matches the path alone.
func escapeGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // where a pattern cannot escape
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// hasID reports whether a pack that will not be freed for hours has the object.
func (k *knownPacks) hasID(id oid) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.packs {
		if p.hasID(id) && k.keepYoung(p) {
			return true
		}
	}
	return false
}

// keepYoung reports whether the pack is still there, and makes it young, as hasObject does loose objects. It must be
// called with k.mu held.
func (k *knownPacks) keepYoung(p *packIndex) bool {
	if k.young[p] {
		return true
	}
	st, err := os.Lstat(p.path)
	if err != nil {
		return false
	}
	if now := time.Now(); now.Sub(st.ModTime()) > freshenAfter && os.Chtimes(p.path, now, now) != nil {
		return false
	}
	if k.young == nil {
		k.young = make(map[*packIndex]bool)
	}
	k.young[p] = true
	return true
}
