package gitfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A FolderReader lists folders of a git folder. One that has not changed since is not listed again: on the file
// systems that it knows, whatever is made, removed or renamed in a folder changes the folder's own time of change, and
// no program can set that back. The zero value is ready to use, and nil lists every time.
type FolderReader struct {
	known   map[string]listing
	trusted map[uint64]bool // devices, by whether their file system is known
}

// A listing is what a folder had when it was listed.
type listing struct {
	stamp folderStamp
	items []item
}

// A folderStamp is what a folder shows when something in it was made, removed or renamed. The zero value is no
// folder's.
type folderStamp struct {
	inode, device uint64
	changed       int64
}

// An item is a name in a folder.
type item struct {
	name string
	kind fs.FileMode
}

// folderSettle is how old a folder's last change has to be, so that a later one shows: the clock that file systems
// take their times from moves at least every hundredth of a second.
const folderSettle = 100 * time.Millisecond

// list returns what a folder has; without files only what is no regular file. What is no folder has nothing, and
// neither has one that cannot be read. The times of a folder are looked at before its names, so that what changes
// meanwhile shows the next time.
func (r *FolderReader) list(dir string, files bool) []item {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return nil // a link there is found in the folder that it is in
	}
	now := r.stamp(dir, info)
	if now != (folderStamp{}) {
		if had, ok := r.known[dir]; ok && had.stamp == now {
			return had.items
		}
	}
	entries, err := os.ReadDir(dir)
	items := make([]item, 0, len(entries))
	for _, d := range entries {
		if files || !d.Type().IsRegular() {
			items = append(items, item{d.Name(), d.Type()})
		}
	}
	if r != nil {
		r.keep(dir, now, items, err)
	}
	return items
}

// keep keeps the listing of a folder, if it can be told from a later one.
func (r *FolderReader) keep(dir string, now folderStamp, items []item, err error) {
	if err != nil || now == (folderStamp{}) {
		delete(r.known, dir)
		return
	}
	if r.known == nil {
		r.known = make(map[string]listing)
	}
	r.known[dir] = listing{now, items}
}

// stamp returns the stamp of a folder, or the zero value if a change of it might not show.
func (r *FolderReader) stamp(dir string, info fs.FileInfo) folderStamp {
	if r == nil {
		return folderStamp{}
	}
	changed := changeTime(info)
	inode, device, ok := identify(info)
	if !ok || changed == 0 || time.Since(time.Unix(0, changed)) < folderSettle {
		return folderStamp{}
	}
	trusted, known := r.trusted[device]
	if !known {
		if r.trusted == nil {
			r.trusted = make(map[uint64]bool)
		}
		trusted = updatesFolderTimes(dir)
		r.trusted[device] = trusted
	}
	if !trusted {
		return folderStamp{}
	}
	return folderStamp{inode: inode, device: device, changed: changed}
}

// walk calls visit for everything below a folder.
func (r *FolderReader) walk(dir string, visit func(dir string, it item)) {
	for _, it := range r.list(dir, true) {
		visit(dir, it)
		if it.kind.IsDir() {
			r.walk(filepath.Join(dir, it.name), visit)
		}
	}
}
