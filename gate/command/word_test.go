package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFirstWord(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"npm test", "npm"},
		{"  npm test | tee log", "npm"},
		{"CI=1 FOO='a b' npm test", "npm"},
		{"cd web && npm test", "cd"},
		{"! npm test", "npm"},
		{"(npm test)", "npm"},
		{"{ npm test; }", "npm"},
		{"npm test; other", "npm"},
		{"npm test || other && third", "npm"},
		{"'npm' test", "npm"},
		{`"npm" test`, "npm"},
		{"./run-tests.sh", "./run-tests.sh"},
		{"[ -f x ]", "["},
		{"# a comment\nmake", "make"},
		{"make > log 2>&1", "make"},
		{"PATH=$PWD/bin tool", ""},
		{"FOO=1", ""},
		{"$TOOL test", ""},
		{"${TOOL}x test", ""},
		{`"$TOOL" test`, ""},
		{"$(which npm) test", ""},
		{"~/bin/tool", ""},
		{`to\ol`, ""},
		{"./*.sh", ""},
		{"if npm test; then :; fi", ""},
		{"for i in 1 2; do x; done", ""},
		{"f() { x; }; f", ""},
		{"", ""},
		{"if then", ""},
	} {
		if got := firstWord(tt.command); got != tt.want {
			t.Errorf("firstWord(%q) = %q, want %q", tt.command, got, tt.want)
		}
	}
}

func TestUnresolved(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(bin, "tool"):      0o755,
		filepath.Join(bin, "notes"):     0o644,
		filepath.Join(dir, "inplace"):   0o755,
		filepath.Join(dir, "rel/other"): 0o755,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(bin, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=/nowhere:" + bin + ":rel"}
	for _, tt := range []struct{ command, want string }{
		{"tool -v", ""},
		{"other", ""}, // an entry of PATH that is relative is the workspace's
		{"notes", "notes"},
		{"folder", "folder"},
		{"inplace", "inplace"},
		{"./inplace", ""},
		{"./not-made-yet", ""},
		{"sub/not-made-yet", ""},
		{filepath.Join(dir, "not-made-yet"), ""},
		{filepath.Join(bin, "tool"), ""},
		{filepath.Join(bin, "gone"), filepath.Join(bin, "gone")},
		{"../gone", "../gone"},
		{"cd /nowhere", ""},
		{"test -f x", ""},
		{"exit 1", ""},
		{"$ANY", ""},
	} {
		if got := unresolved(tt.command, dir, environ); got != tt.want {
			t.Errorf("unresolved(%q) = %q, want %q", tt.command, got, tt.want)
		}
	}
}
