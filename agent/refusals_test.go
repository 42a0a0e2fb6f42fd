package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// V9: a refused write is found in what agents and their tools print, in lines and in JSON.
func TestRefusalsAreFound(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	ws, outside := filepath.Join(base, "ws"), filepath.Join(base, "out")
	for _, dir := range []string{ws, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dash", "sh: 1: cannot create $O/f: Permission denied\n", []string{"$O/f"}},
		{"bash", "bash: line 1: $O/f: Permission denied\n", []string{"$O/f"}},
		{"dash of a script", "$O/tool: 2: cannot create $O/f: Permission denied\n", []string{"$O/f"}},
		{"bash by its path", "$O/bash: line 1: $O/f: Read-only file system\n", []string{"$O/f"}},
		{"two on a line", "cannot write $O/f: Permission denied, cannot write $O/g: Permission denied\n", []string{"$O/f", "$O/g"}},
		{"coreutils", "touch: cannot touch '$O/f': Permission denied\n", []string{"$O/f"}},
		{"relative", "sh: 1: cannot create ../out/f: Permission denied\n", []string{"$O/f"}},
		{"node", "Error: EACCES: permission denied, open '$O/f'\n", []string{"$O/f"}},
		{"python", "PermissionError: [Errno 13] Permission denied: '$O/f'\n", []string{"$O/f"}},
		{"go", "open $O/f: permission denied\n", []string{"$O/f"}},
		{"bubblewrap", "touch: cannot touch '$O/f': Read-only file system\n", []string{"$O/f"}},
		{"in JSON", `{"content":"cat: $O/other\nsh: 1: cannot create $O/f: Permission denied\nthen $O/g"}` + "\n", []string{"$O/f"}},
		{"twice", strings.Repeat("open $O/f: permission denied\n", 500), []string{"$O/f"}},
		{"bounded", "a $O/1 $O/2 $O/3 $O/4 $O/5 EACCES\n", []string{"$O/1", "$O/2", "$O/3"}},
		{"in the workspace", "open $W/f: permission denied\n", nil},
		{"nothing to write there", "open $O/none/f: permission denied\n", nil},
		{"not refused", "wrote $O/f\n", nil},
		{"another line", "see $O/f\npermission denied\n", nil},
		{"a long line", strings.Repeat("x", 200<<10) + " open $O/f: permission denied\n", []string{"$O/f"}},
	} {
		for _, size := range []int{1 << 20, 100} {
			fill := strings.NewReplacer("$O", outside, "$W", ws).Replace
			var found refusals
			var to bytes.Buffer
			w := &refusalWatcher{to: &to, found: &found, dir: ws, writable: []string{ws}}
			for chunk := range slices.Chunk([]byte(fill(c.text)), size) {
				if _, err := w.Write(chunk); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for _, path := range c.want {
				want = append(want, fill(path))
			}
			if !slices.Equal(found.list(), want) || to.String() != fill(c.text) {
				t.Errorf("%s in pieces of %d: got %q, want %q", c.name, size, found.list(), want)
			}
		}
	}
}
