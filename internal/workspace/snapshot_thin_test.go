package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan/internal/lockfile"
)

// ageAll makes all that a folder has that much older than now.
func ageAll(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	old := time.Now().Add(-by)
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() == fs.ModeSymlink {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// hasContent reports whether the snapshot repository has an object of that content.
func (l *lab) hasContent(content string) bool {
	_, err := os.Lstat((&objectStore{dir: l.snaps}).objectPath(objectID("blob", []byte(content))))
	return err == nil
}

func TestThin(t *testing.T) {
	l := newLab(t, map[string]string{"a": "0"})
	take := func(name, content string) string {
		l.write("a", content)
		return l.snap("s1/" + name).ID
	}
	for _, name := range []string{"1", "1-after", "1-cut-short", "turn-1", "delivery-put-back", "left", "aside-1", "returned", "before-going-on", "before-restore-1"} {
		take(name, "of "+name)
	}
	needed := take("2", "needed")
	take("2-after", "used again")
	l.write("a", "of s2")
	l.snap("s2/1")
	list := func(age time.Duration) string {
		sessions, err := ListThinnable(l.snaps, time.Now().Add(-age))
		must(t, err)
		return strings.Join(sessions, " ")
	}
	wantEqual(t, "thinnable, young", list(ThinAfter), "")
	ageAll(t, l.snaps, ThinAfter+time.Hour)
	wantEqual(t, "thinnable, old", list(ThinAfter), "s1 s2")
	l.write("a", "of s2, later")
	l.snap("s2/2")
	wantEqual(t, "thinnable, one of them young", list(ThinAfter), "s1")
	l.reopen() // a session that begins, and has stored what it found, and not labelled it yet
	l.write("a", "used again")
	_, err := l.scan.walkAndFlush(t.Context())
	must(t, err)

	thinner, err := NewThinner(l.snaps)
	must(t, err)
	if _, err := NewThinner(l.snaps); !isBusy(err) {
		t.Errorf("a second thinner: %v", err)
	}
	must(t, thinner.Thin(t.Context(), "s1", []string{needed, strings.Repeat("0", 40)}, time.Now()))
	wantEqual(t, "to be freed", HasUnfreed(l.snaps), true)
	must(t, thinner.Free(t.Context()))
	wantEqual(t, "to be freed", HasUnfreed(l.snaps), false)
	must(t, thinner.Close())

	for name, stays := range map[string]bool{
		"of 1": false, "of 1-after": false, "of 1-cut-short": false, "of turn-1": false, "of delivery-put-back": false,
		"of left": true, "of aside-1": true, "of returned": true, "of before-going-on": true, "of before-restore-1": true,
		"needed": true, "used again": true, "of s2": true,
	} {
		wantEqual(t, name+" stays", l.hasContent(name), stays)
	}
	wantEqual(t, "thinnable, thinned", list(0), "s2")
	thinned, err := ReadThinned(l.snaps, "s1")
	must(t, err)
	wantEqual(t, "thinned", len(thinned.Names), 7)

	must(t, ForgetSnapshots(t.Context(), l.snaps, "s1"))
	wantEqual(t, "needed stays", l.hasContent("needed"), false)
	thinned, err = ReadThinned(l.snaps, "s1")
	must(t, err)
	wantEqual(t, "thinned, forgotten", len(thinned.Names), 0)
}

func isBusy(err error) bool {
	_, busy := errors.AsType[*lockfile.BusyError](err)
	return busy
}
