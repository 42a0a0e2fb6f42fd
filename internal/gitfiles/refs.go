package gitfiles

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Refs are guarded refs by name: the id of an object, or "ref: NAME".
type Refs map[string]string

// symbolic begins the value of a ref that names another one.
const symbolic = "ref: "

// Target returns the ref that a value names, if it is a symbolic one.
func Target(value string) (ref string, ok bool) { return strings.CutPrefix(value, symbolic) }

// guarded are the folders of the refs that are guarded.
var guarded = []string{"refs/heads/", "refs/mulligan/", "refs/replace/"}

// IsGuarded reports whether a ref is compared.
func IsGuarded(name string) bool {
	return slices.ContainsFunc(guarded, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// A RefReader reads the refs of a git folder that has them as files. Files that have not changed since are not read
// again.
type RefReader struct {
	Common  string
	Folders *FolderReader // may be nil

	loose       map[string]looseRef
	packed      Refs
	packedStamp stamp
}

// A looseRef is a ref in a file of its own.
type looseRef struct {
	stamp stamp
	value string
}

// A stamp is what a file shows when it was changed. The zero value is no file's.
type stamp struct {
	size, changed int64
	inode         uint64
}

// settle is how old a file's last change has to be, so that a later one shows.
const settle = 2 * time.Second

// stampOf returns the stamp of a file, or the zero value if a change of it might not show.
func stampOf(info fs.FileInfo) stamp {
	changed := changeTime(info)
	if changed == 0 || time.Since(time.Unix(0, changed)) < settle {
		return stamp{}
	}
	inode, _, _ := identify(info)
	return stamp{size: info.Size(), changed: changed, inode: inode}
}

// Read returns the guarded refs. One that git could not read is left out.
func (r *RefReader) Read() (Refs, error) {
	packed, err := r.readPacked()
	if err != nil {
		return nil, err
	}
	all := make(Refs, len(packed)+len(r.loose))
	for name, value := range packed {
		all[name] = value
	}
	loose := make(map[string]looseRef, len(r.loose))
	for _, prefix := range guarded {
		top := filepath.Join(r.Common, filepath.FromSlash(prefix))
		r.Folders.walk(top, func(dir string, it item) {
			if !it.kind.IsRegular() || strings.HasSuffix(it.name, ".lock") {
				return
			}
			path := filepath.Join(dir, it.name)
			name := filepath.ToSlash(strings.TrimPrefix(path, r.Common+string(filepath.Separator)))
			if ref, ok := r.readLoose(path, name); ok {
				loose[name] = ref
				all[name] = ref.value
			}
		})
	}
	r.loose = loose
	return all, nil
}

// readLoose reads a ref's own file, if it has changed.
func (r *RefReader) readLoose(path, name string) (looseRef, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return looseRef{}, false
	}
	now := stampOf(info)
	if had, ok := r.loose[name]; ok && now != (stamp{}) && had.stamp == now {
		return had, true
	}
	_, data := readContent(path)
	value := strings.TrimSpace(string(data))
	if to, ok := strings.CutPrefix(value, "ref:"); ok {
		return looseRef{now, symbolic + strings.TrimSpace(to)}, true
	}
	return looseRef{now, value}, isID(value)
}

// readPacked reads the refs of packed-refs, if it has changed.
func (r *RefReader) readPacked() (Refs, error) {
	path := filepath.Join(r.Common, "packed-refs")
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	now := stampOf(info)
	if r.packed != nil && now != (stamp{}) && now == r.packedStamp {
		return r.packed, nil
	}
	refs := make(Refs)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, name, ok := strings.Cut(lines.Text(), " "); ok && isID(id) && IsGuarded(name) {
			refs[strings.Clone(name)] = strings.Clone(id)
		}
	}
	r.packed, r.packedStamp = refs, now
	return refs, lines.Err()
}
