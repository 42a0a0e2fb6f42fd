package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mulligan/internal/regular/regulartest"
)

// readTree returns what is in a folder: "name=content", "name -> target" and "name/", sorted.
func readTree(t *testing.T, root string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(full string, e fs.DirEntry, err error) error {
		if err != nil || full == root {
			return err
		}
		rel, _ := filepath.Rel(root, full)
		name := filepath.ToSlash(rel)
		switch {
		case e.IsDir():
			name += "/"
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(full)
			list = append(list, name+" -> "+target)
			return err
		case e.Type().IsRegular():
			data, err := os.ReadFile(full)
			list = append(list, name+"="+string(data))
			return err
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCopy(t *testing.T) {
	root, to := t.TempDir(), t.TempDir()
	writeTree(t, root, ".env=A=1", "a/b/run.sh=x", "modules/bin/tool=t", "modules/deep/.git/HEAD=h", "modules/empty/", "other=no")
	writeTree(t, to, ".env=old", "modules/mine=m")
	link(t, "../bin/tool", filepath.Join(root, "modules/deep/inside"))
	link(t, "gone", filepath.Join(root, "modules/dangling"))
	link(t, "gone", filepath.Join(to, "modules/dangling"))
	for name, mode := range map[string]fs.FileMode{"a/b/run.sh": 0o750, ".env": 0o600, "modules/deep": 0o700} {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{".env", "a/b/run.sh", "modules/"}
	copied, err := Copy(root, to, paths)
	if err != nil || !slices.Equal(copied, paths) {
		t.Fatalf("copied %q, %v", copied, err)
	}
	want := []string{
		".env=A=1", "a/", "a/b/", "a/b/run.sh=x", "modules/", "modules/bin/", "modules/bin/tool=t", "modules/dangling -> gone",
		"modules/deep/", "modules/deep/.git/", "modules/deep/.git/HEAD=h", "modules/deep/inside -> ../bin/tool", "modules/empty/", "modules/mine=m",
	}
	if got := readTree(t, to); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, mode := range map[string]fs.FileMode{"a/b/run.sh": 0o750, ".env": 0o600, "modules/deep": 0o700} {
		if info, err := os.Stat(filepath.Join(to, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestCopySkips(t *testing.T) {
	root, to, outside := t.TempDir(), t.TempDir(), t.TempDir()
	writeTree(t, outside, "secret=s", "folder/x=x")
	writeTree(t, root, ".git/config", "file=f", "dir/good=g", "dir/sub/x=x", "isfile/x", "isdir=f", "linked/new=n", "final=new")
	writeTree(t, to, "isfile=mine", "isdir/mine=m")
	link(t, filepath.Join(outside, "secret"), filepath.Join(root, "dir/absolute"))
	link(t, "../../"+filepath.Base(outside)+"/secret", filepath.Join(root, "dir/relative"))
	link(t, "absolute", filepath.Join(root, "dir/indirect"))
	link(t, outside, filepath.Join(root, "away"))
	link(t, "dir", filepath.Join(root, "alias"))
	link(t, outside, filepath.Join(to, "linked"))
	link(t, filepath.Join(outside, "secret"), filepath.Join(to, "final"))
	paths := []string{
		"none", "none/x", "", ".", "..", "../x", filepath.Join(root, "file"), ".git", ".Git/config", "away/secret", "alias/good", "file/x",
		"isfile", "isdir", "linked", "linked/new", "dir", "final",
	}
	copied, err := Copy(root, to, paths)
	if want := []string{"dir", "final"}; !slices.Equal(copied, want) {
		t.Errorf("copied %q, want %q", copied, want)
	}
	skipped, ok := errors.AsType[*SkipError](err)
	if !ok {
		t.Fatal(err)
	}
	slices.Sort(skipped.Paths)
	want := strings.Split(strings.ReplaceAll(`.: it is not a path inside the repository
..: it is not a path inside the repository
../x: it is not a path inside the repository
.Git/config: git's own folder is not copied
.git: git's own folder is not copied
: it is not a path inside the repository
ROOT/file: it is not a path inside the repository
alias/good: alias is a link, not a folder
away/secret: away is a link, not a folder
dir/absolute: it is a link that leads out
dir/indirect: it is a link that leads out
dir/relative: it is a link that leads out
file/x: file is a file, not a folder
isdir: a folder is where it would be written
isfile: isfile is a file, not a folder
linked/new: linked is a link, not a folder
linked: linked is a link, not a folder
none/x: none is not there
none: it is not there`, "ROOT", root), "\n")
	slices.Sort(want)
	if !slices.Equal(skipped.Paths, want) {
		t.Errorf("skipped\n%s\nwant\n%s", strings.Join(skipped.Paths, "\n"), strings.Join(want, "\n"))
	}
	if !strings.HasSuffix(err.Error(), "; and 14 more") {
		t.Error(err)
	}
	if got, want := readTree(t, outside), []string{"folder/", "folder/x=x", "secret=s"}; !slices.Equal(got, want) {
		t.Errorf("written through a link: %q", got)
	}
	if data, _ := os.ReadFile(filepath.Join(to, "final")); string(data) != "new" {
		t.Errorf("the link in its place was not replaced: %q", data)
	}
}

func TestCopySkipsPipes(t *testing.T) {
	root, to := t.TempDir(), t.TempDir()
	writeTree(t, root, "dir/x=x")
	if err := regulartest.MakeFifo(filepath.Join(root, "dir/pipe")); err != nil {
		t.Skip(err)
	}
	copied, err := Copy(root, to, []string{"dir"})
	if _, ok := errors.AsType[*SkipError](err); !ok || len(copied) != 1 || err.Error() != "not copied: dir/pipe: it is neither a file nor a folder" {
		t.Errorf("copied %q, %v", copied, err)
	}
}

func TestCopyIntoItself(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, "dir/x=x", "dir/clone/")
	if _, err := Copy(root, root, []string{"dir"}); err == nil || !strings.HasSuffix(err.Error(), "are the same folder") {
		t.Errorf("the same folder: %v", err)
	}
	_, err := Copy(root, filepath.Join(root, "dir/clone"), []string{"dir"})
	if err == nil || err.Error() != "not copied: dir/clone: it is what is copied to" {
		t.Errorf("a folder of it: %v", err)
	}
	if got, want := readTree(t, root), []string{"dir/", "dir/clone/", "dir/clone/dir/", "dir/clone/dir/x=x", "dir/x=x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCopyBounds(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, "small=12345", "dir/a=12345", "dir/b=12345", "deep/a/b/c/")
	tests := []struct {
		paths  []string
		most   limits
		copied int
		err    string
	}{
		{[]string{"small", "dir"}, limits{4, 15, 9}, 2, ""},
		{[]string{"small", "dir"}, limits{3, 15, 9}, 2, "copy dir: more than 3 files"},
		{[]string{"small", "dir"}, limits{4, 14, 9}, 2, "copy dir: more than 14 bytes"},
		{[]string{"small", "dir"}, limits{4, 4, 9}, 0, "copy small: more than 4 bytes"},
		{[]string{"deep"}, limits{9, 9, 3}, 1, "copy deep: folders are more than 3 levels deep"},
	}
	for _, test := range tests {
		to := t.TempDir()
		copied, err := copyWithin(root, to, test.paths, test.most)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if len(copied) != test.copied || message != test.err {
			t.Errorf("%v %+v: copied %q, %v", test.paths, test.most, copied, err)
		}
	}
	if got := describeBytes(defaultLimits().bytes); got != "4 GiB" {
		t.Error(got)
	}
	for _, pair := range [][2]string{{root, filepath.Join(root, "none")}, {filepath.Join(root, "none"), root}} {
		if _, err := Copy(pair[0], pair[1], []string{"small"}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", pair, err)
		}
	}
}
