package agent

import (
	"bytes"
	"io"
	"math/rand/v2"
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

// lookSlowly is look as simple as it can be: it joins everything, and searches all of it for the words.
func (w *refusalWatcher) lookSlowly(p []byte) {
	search := func(data []byte) {
		for _, at := range refusalWords.FindAllIndex(data, maxLooks) {
			w.lookAround(data, at[0])
		}
	}
	data := slices.Concat(w.rest, p)
	if end := bytes.LastIndexByte(data, '\n'); end >= 0 {
		search(data[:end])
		data = data[end+1:]
	}
	if len(data) > 64*refusalScope {
		search(data)
		data = data[len(data)-refusalScope:]
	}
	w.rest = data
}

// V9: what is found does not depend on how little of the output is looked at.
func TestRefusalsAreFoundAsSlowly(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	parts := []string{
		"\n", "\n", "\n", `\n`, " ", "x", "permission denied", "Permission denied", "EACCES", "EROFS", "Read-only file system", "-only file system", "Read",
		"ermission", " denied", strings.Repeat("y", 700), "open " + outside + "/a: ", "'" + outside + "/b' ", outside + "/c:", " " + outside + "/d ", "\xff",
	}
	r := rand.New(rand.NewPCG(9, 10))
	seen := 0
	for round := range 400 {
		var quick, slow refusals
		w := &refusalWatcher{to: io.Discard, found: &quick, dir: outside}
		v := &refusalWatcher{to: io.Discard, found: &slow, dir: outside}
		for range 1 + r.IntN(12) {
			var piece []byte
			for range r.IntN(60) {
				piece = append(piece, parts[r.IntN(len(parts))]...)
			}
			if r.IntN(6) == 0 {
				piece = bytes.ReplaceAll(bytes.Repeat(piece, 4), []byte("\n"), nil) // a long line
			}
			w.look(piece)
			v.lookSlowly(piece)
			if !bytes.Equal(w.rest, v.rest) || !slices.Equal(quick.paths, slow.paths) {
				t.Fatalf("round %d: found %q and holds %d bytes, want %q and %d", round, quick.paths, len(w.rest), slow.paths, len(v.rest))
			}
		}
		seen += len(quick.paths)
	}
	if seen < 100 {
		t.Errorf("only %d refusals were in the texts", seen)
	}
}
