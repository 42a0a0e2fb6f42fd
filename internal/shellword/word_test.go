package shellword

import (
	"os"
	"path/filepath"
	"strings"
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
		{`n"p"'m' test`, "npm"},
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
		if got := Unresolved(tt.command, dir, environ); got != tt.want {
			t.Errorf("Unresolved(%q) = %q, want %q", tt.command, got, tt.want)
		}
	}
}

// A hook that cannot be run is found before it is run: the program, and the script of an interpreter.
func TestFind(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(bin, "tool"):            0o755,
		filepath.Join(bin, "python3.12"):      0o755,
		filepath.Join(bin, "sh"):              0o755,
		filepath.Join(dir, "hooks/check.sh"):  0o755,
		filepath.Join(dir, "hooks/plain.py"):  0o644,
		filepath.Join(bin, "hooks/mine.sh"):   0o755,
		filepath.Join(dir, "a folder/run it"): 0o755,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=" + bin, "HOME=" + bin}
	for _, tt := range []struct{ command, word, why string }{
		{"tool --now", "", ""},
		{"tol --now", "tol", "is not on PATH"},
		{"hooks/check.sh", "", ""},
		{"./hooks/chekc.sh && tool", "./hooks/chekc.sh", "does not exist"},
		{"./hooks", "./hooks", "is not a file"},
		{"hooks/plain.py", "hooks/plain.py", "may not be executed"},
		{"$PROJECT/hooks/check.sh", "", ""},
		{`"$PROJECT"/hooks/check.sh -x`, "", ""},
		{`"${PROJECT}/a folder/run it"`, "", ""},
		{`"$PROJECT/hooks/gone.sh"`, dir + "/hooks/gone.sh", "does not exist"},
		{"${PROJECT:-.}/hooks/gone.sh", "", ""},
		{"${#PROJECT}", "", ""},
		{"$OTHER/hooks/gone.sh", "", ""},
		{"~/hooks/mine.sh", "", ""},
		{"~/hooks/gone.sh", bin + "/hooks/gone.sh", "does not exist"},
		{"$HOME/hooks/gone.sh", bin + "/hooks/gone.sh", "does not exist"},
		{"~other/hooks/gone.sh", "", ""},
		{"python3.12 hooks/plain.py", "", ""},
		{"python3.12 hooks/gone.py x", "hooks/gone.py", "does not exist"},
		{`sh "$PROJECT"/hooks/gone.sh`, dir + "/hooks/gone.sh", "does not exist"},
		{"sh -c 'gone.sh'", "", ""},
		{"sh $SCRIPT", "", ""},
		{"sh", "", ""},
		{"tool gone.sh", "", ""},
		{"PATH=x gone", "", ""},
		{"exit 2", "", ""},
		{"echo 'open", "", ""},
		{"", "", ""},
	} {
		word, err := Find(tt.command, dir, environ, map[string]string{"PROJECT": dir})
		if tt.why == "" && err == nil {
			continue
		}
		if err == nil || tt.why == "" || !strings.Contains(err.Error(), tt.why) || word != tt.word {
			t.Errorf("Find(%q) = %q, %v, want %q, %q", tt.command, word, err, tt.word, tt.why)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"make test", ""},
		{"[[ -f x ]] && echo <(ls)", ""},
		{"echo 'open", "1:6: reached EOF without closing quote `'`"},
		{"é; echo \"open", "1:9: reached EOF without closing quote `\"`"},
		{"make\nif x; then\n", "2:7: "},
		{"make\n a\x00b", "2:3: it has a zero byte"},
	} {
		err := Check(tt.command)
		if err == nil && tt.want == "" {
			continue
		}
		if err == nil || tt.want == "" || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("Check(%q) = %v, want %q", tt.command, err, tt.want)
		}
	}
}

func TestIsBlank(t *testing.T) {
	for command, want := range map[string]bool{
		"": true, " \n\t": true, "# later": true, "\n  # one\n# two": true,
		":": false, "true # well": false, "x=1": false, ">out": false, "if": false, "f() { x; }": false,
	} {
		if got := IsBlank(command); got != want {
			t.Errorf("IsBlank(%q) = %v", command, got)
		}
	}
}
