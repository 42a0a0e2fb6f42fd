package gitfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// names returns what a reader lists, as a sorted text of names and kinds.
func names(r *FolderReader, dir string, files bool) string {
	var all []string
	for _, it := range r.list(dir, files) {
		all = append(all, fmt.Sprintf("%s:%v", it.name, it.kind))
	}
	slices.Sort(all)
	return fmt.Sprint(all)
}

// letSettle waits until the last change of a folder is old enough for its listing to be kept.
func letSettle(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Lstat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if changed := changeTime(info); changed != 0 {
		time.Sleep(time.Until(time.Unix(0, changed).Add(folderSettle + 10*time.Millisecond)))
	}
}

// TestFolderReaderSeesChanges: whatever is made, removed, renamed or replaced in a folder, and a folder that takes
// the place of another, shows at the next listing, whether or not the one before was kept.
func TestFolderReaderSeesChanges(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"a file is made":        func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
		"a file is removed":     func(dir string) error { return os.Remove(filepath.Join(dir, "file")) },
		"a file is renamed":     func(dir string) error { return os.Rename(filepath.Join(dir, "file"), filepath.Join(dir, "other")) },
		"a folder is made":      func(dir string) error { return os.Mkdir(filepath.Join(dir, "folder"), 0o700) },
		"a link is made":        func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "link")) },
		"a file becomes a link": func(dir string) error { return replace(filepath.Join(dir, "file"), "nowhere") },
		"with the time set back": func(dir string) error {
			info, err := os.Lstat(dir)
			if err == nil {
				err = replace(filepath.Join(dir, "file"), "nowhere")
			}
			if err == nil {
				err = os.Chtimes(dir, info.ModTime(), info.ModTime())
			}
			return err
		},
		"another folder takes its place": func(dir string) error {
			if err := os.Rename(dir, dir+".away"); err != nil {
				return err
			}
			return os.Mkdir(dir, 0o700)
		},
		"it is removed": os.RemoveAll,
	} {
		for _, files := range []bool{true, false} {
			t.Run(fmt.Sprint(name, files), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "dir")
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				letSettle(t, dir)
				r := new(FolderReader)
				before := names(r, dir, files)
				if again := names(r, dir, files); again != before {
					t.Fatalf("first %s, then %s", before, again)
				}
				if err := change(dir); err != nil {
					t.Fatal(err)
				}
				want := names(nil, dir, files)
				if got := names(r, dir, files); got != want {
					t.Errorf("it lists %s, there is %s", got, want)
				}
				// The change is old now.
				time.Sleep(folderSettle + 10*time.Millisecond)
				if got := names(r, dir, files); got != want {
					t.Errorf("later it lists %s, there is %s", got, want)
				}
			})
		}
	}
}

// replace makes a file a link.
func replace(path, to string) error {
	if err := os.Symlink(to, path+".new"); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// TestFolderReaderKeepsListings: a folder that has not changed is listed once, where the file system is known; a
// fresh one, and one of a file system that is not known, every time.
func TestFolderReaderKeepsListings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	letSettle(t, dir)
	r := new(FolderReader)
	r.list(dir, true)
	kept, ok := r.known[dir]
	if !updatesFolderTimes(dir) {
		if ok {
			t.Errorf("kept %+v on a file system that is not known", kept)
		}
		return
	}
	if !ok || len(kept.items) != 1 {
		t.Fatalf("kept %+v, %v", kept, ok)
	}
	kept.items[0].name = "kept"
	if got := r.list(dir, true); len(got) != 1 || got[0].name != "kept" {
		t.Errorf("it listed the folder again: %v", got)
	}
	for device := range r.trusted {
		r.trusted[device] = false
	}
	if got := r.list(dir, true); len(got) != 1 || got[0].name != "file" || len(r.known) != 0 {
		t.Errorf("on a file system that is not known it gave %v", got)
	}

	fresh := new(FolderReader)
	if err := os.WriteFile(filepath.Join(dir, "another"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if fresh.list(dir, true); len(fresh.known) != 0 && time.Since(begun) < folderSettle/2 {
		t.Error("it kept the listing of a folder that had just changed")
	}
}
