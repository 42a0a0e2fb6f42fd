package workspace

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// plantPack puts a pack into the repository that has other content under the id of a file's.
func plantPack(t *testing.T, l *lab, good, evil string) {
	t.Helper()
	other := t.TempDir()
	gitIn(t, other, "init", "-q")
	must(t, os.WriteFile(filepath.Join(other, "evil"), []byte(evil), 0o644))
	gitIn(t, other, "add", "evil")
	gitIn(t, other, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x")
	id := gitIn(t, other, "rev-parse", ":evil")
	gitIn(t, other, "repack", "-q", "-a", "-d")
	index, err := filepath.Glob(filepath.Join(other, ".git", "objects", "pack", "*.idx"))
	must(t, err)
	data, err := os.ReadFile(index[0])
	must(t, err)
	// The id is replaced, and the table of first bytes and the ids are sorted anew.
	const table, names = 8, 8 + 4*256
	count := int(data[names-1])
	was, err := hex.DecodeString(id)
	must(t, err)
	now, err := hex.DecodeString(good)
	must(t, err)
	data = renameInIndex(data, names, count, was, now)
	for b, n := 0, 0; b < 256; b++ {
		for n < count && int(data[names+20*n]) <= b {
			n++
		}
		data[table+4*b+3] = byte(n)
	}
	sum := sha1.Sum(data[:len(data)-20])
	copy(data[len(data)-20:], sum[:])
	to := l.path(".git/objects/pack/" + filepath.Base(index[0]))
	must(t, os.WriteFile(to, data, 0o444))
	pack, err := os.ReadFile(strings.TrimSuffix(index[0], ".idx") + ".pack")
	must(t, err)
	must(t, os.WriteFile(strings.TrimSuffix(to, ".idx")+".pack", pack, 0o444))
}

// renameInIndex replaces an id of a pack's index, and puts the entries in the order of their ids.
func renameInIndex(data []byte, names, count int, was, now []byte) []byte {
	at := func(i int) (id, crc, offset []byte) {
		return data[names+20*i:][:20], data[names+20*count+4*i:][:4], data[names+24*count+4*i:][:4]
	}
	for i := range count {
		if id, _, _ := at(i); string(id) == string(was) {
			copy(id, now)
		}
	}
	for range count {
		for i := range count - 1 {
			a, b, c := at(i)
			d, e, f := at(i + 1)
			if string(a) < string(d) {
				continue
			}
			for _, pair := range [][2][]byte{{a, d}, {b, e}, {c, f}} {
				held := string(pair[0])
				copy(pair[0], pair[1])
				copy(pair[1], held)
			}
		}
	}
	return data
}

// A planted object in a pack cannot be put aside alone: the attempt fails, and nothing is committed. When the pack is gone
// the commit is made.
func TestPlantedPack(t *testing.T) {
	l := newLab(t, map[string]string{"README": "hello\n"})
	l.write("answer.txt", "42\n")
	tree := l.snap("s/1")
	good := objectID("blob", []byte("42\n")).String()
	plantPack(t, l, good, "41 BACKDOOR\n")
	wantEqual(t, "what git shows", gitIn(t, l.dir, "cat-file", "blob", good), "41 BACKDOOR")
	head := l.git("rev-parse", "HEAD")
	dropped, err := l.TryCommit(t.Context(), tree, head, head)
	refused, ok := errors.AsType[*mulligan.RefusedError](err)
	if !ok || len(dropped) > 0 {
		t.Fatalf("TryCommit put aside %v, and failed with %v", dropped, err)
	}
	wantEqual(t, "what is refused", refused.Found[0], mulligan.Unheld{Kind: mulligan.UnheldObject, Path: "answer.txt", ID: good})
	packs, err := filepath.Glob(l.path(".git/objects/pack/*"))
	must(t, err)
	for _, pack := range packs {
		must(t, os.Remove(pack))
	}
	l.reopen()
	commit, err := l.Commit(t.Context(), mulligan.Commit{Tree: tree, Parent: head, Message: "made", Time: time.Unix(1e9, 0)})
	must(t, err)
	wantEqual(t, "what is committed", l.git("show", commit+":answer.txt"), "42")
}

// A tree that was tried is not made again for its commit, unless an object has been planted since.
func TestTriedTreeIsUsed(t *testing.T) {
	l := newLab(t, map[string]string{"README": "hello\n"})
	l.write("answer.txt", "42\n")
	tree := l.snap("s/1")
	head := l.git("rev-parse", "HEAD")
	_, err := l.TryCommit(t.Context(), tree, head, head)
	must(t, err)
	before := l.started.Load()
	_, _, err = l.makeUserTree(t.Context(), tree.ID, head, l.git("rev-parse", "HEAD^{tree}"))
	must(t, err)
	wantEqual(t, "processes for the tree", l.started.Load()-before, 0)
	good := objectID("blob", []byte("42\n")).String()
	object := l.path(".git/objects/" + good[:2] + "/" + good[2:])
	must(t, os.Chmod(object, 0o644))
	must(t, os.WriteFile(object, []byte("garbage"), 0o644))
	l.objects.close()
	commit, err := l.Commit(t.Context(), mulligan.Commit{Tree: tree, Parent: head, Message: "made", Time: time.Unix(1e9, 0)})
	must(t, err)
	wantEqual(t, "what is committed", l.git("show", commit+":answer.txt"), "42")
}
