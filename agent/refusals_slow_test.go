//go:build !race

package agent

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

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
