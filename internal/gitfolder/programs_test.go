package gitfolder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListRelative(t *testing.T) {
	for command, want := range map[string]string{
		"sh ./tools/clean.sh %f":               "sh tools/clean.sh %f",
		"tools/clean":                          "tools/clean",
		"cat | ./a/b.py --x=c/d":               "cat a/b.py --x c/d",
		"sh -c './x.sh; exec \"y/z.sh\"'":      "sh -c x.sh exec y/z.sh",
		"/usr/bin/clean ../out.sh . .. a/../b": "b",
	} {
		if got := strings.Join(listRelative(command), " "); got != want {
			t.Errorf("listRelative(%q) is %q, want %q", command, got, want)
		}
	}
}

func TestAddPrograms(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tools/clean.sh": "clean", "tools/sub/lib.sh": "lib", "top.sh": "top", "beside.sh": "beside", ".env": "secret", "other/x": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("top.sh", filepath.Join(dir, "link.sh")); err != nil {
		t.Skip(err)
	}
	for command, want := range map[string]struct{ files, failed string }{
		"sh ./tools/clean.sh": {files: "tools/clean.sh tools/sub/lib.sh"},
		"sh top.sh":           {files: "beside.sh top.sh"},
		"sh link.sh":          {failed: "link.sh"},
		"tr a-z A-Z":          {},
		"cat tools":           {},
	} {
		f := &Frozen{Config: Config{{Key: "filter.x.clean", Value: command}}}
		var failed, files []string
		for _, err := range f.AddPrograms(dir) {
			failed = append(failed, err.Path)
		}
		for name := range f.Programs {
			files = append(files, name)
		}
		slices.Sort(files)
		if got := strings.Join(files, " "); got != want.files || strings.Join(failed, " ") != want.failed {
			t.Errorf("%q: %q and %q", command, got, failed)
		}
		value := f.startInCopies("/it's 5%", f.Config[0]).Value
		if moved := strings.HasPrefix(value, `cd '/it'\''s 5%%/programs' || exit`+"\n"); moved != (want.files != "") || !strings.HasSuffix(value, command) {
			t.Errorf("%q becomes %q", command, value)
		}
	}
}
