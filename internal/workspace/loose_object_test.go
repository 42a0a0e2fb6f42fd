package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Loose objects are read as git reads them, and without it; for all others git is asked.
func TestReadLooseObjects(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1\n", "b/c": strings.Repeat("x", 100_000)}, "--object-format="+format)
			before := l.started.Load()
			for _, name := range []string{"HEAD", "HEAD^{tree}", "HEAD:a", "HEAD:b/c"} {
				id := l.git("rev-parse", name)
				data, err := l.objects.readObject(t.Context(), id)
				must(t, err)
				want := gitBytes(t, l.dir, "cat-file", l.git("cat-file", "-t", id), id)
				if !bytes.Equal(data, want) {
					t.Errorf("%s is %.200q, git has %.200q", name, data, want)
				}
			}
			wantEqual(t, "processes", l.started.Load()-before, 0)
			l.git("repack", "-q", "-a", "-d")
			_, err := l.objects.readObject(t.Context(), l.git("rev-parse", "HEAD"))
			must(t, err)
			wantEqual(t, "processes for a packed object", l.started.Load()-before, 1)
		})
	}
}

// A loose object that is not what its id says is none: git tells what is wrong.
func TestRefuseDamagedLooseObjects(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1\n", "b": "2\n"})
	id, other := l.git("rev-parse", "HEAD:a"), l.git("rev-parse", "HEAD:b")
	objects := l.path(".git/objects")
	file := filepath.Join(objects, id[:2], id[2:])
	good, err := os.ReadFile(file)
	must(t, err)
	wrong, err := os.ReadFile(filepath.Join(objects, other[:2], other[2:]))
	must(t, err)
	for name, data := range map[string][]byte{
		"empty": {}, "cut": good[:len(good)-1], "with more behind it": append(bytes.Clone(good), 'x'), "another's": wrong, "no object": []byte("hello"),
	} {
		must(t, os.Remove(file))
		must(t, os.WriteFile(file, data, 0o600))
		if _, _, ok := readLoose(objects, id); ok {
			t.Errorf("an object that is %s was read", name)
		}
	}
	for _, name := range []string{"", "../../HEAD", strings.ToUpper(id), id[:10], id + "00"} {
		if _, _, ok := readLoose(objects, name); ok {
			t.Errorf("%q was read as an object", name)
		}
	}
}

// What git would take from a pack is taken from there, although there is a file of it too.
func TestAskForPackedObjects(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		l := newLab(t, map[string]string{"a": "1\n"}, "--object-format="+format)
		objects := l.path(".git/objects")
		packed := strings.Fields(l.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
		l.git("repack", "-q", "-a")
		for i := range 300 {
			l.write(fmt.Sprintf("f%d", i), fmt.Sprint(i))
		}
		l.git("add", "-A")
		all := strings.Fields(l.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)"))
		for _, id := range all {
			wantEqual(t, id+" is outside of the packs", isOutsidePacks(objects, id), !slices.Contains(packed, id))
		}
		loose := all[slices.IndexFunc(all, func(id string) bool { return !slices.Contains(packed, id) })]
		for name, plant := range map[string]func(){
			"alternates":   func() { l.write(".git/objects/info/alternates", "/nowhere\n") },
			"an odd index": func() { l.write(".git/objects/pack/pack-1.idx", "odd") },
			"a midx":       func() { l.write(".git/objects/pack/multi-pack-index", "") },
		} {
			plant()
			wantEqual(t, "it is outside in spite of "+name, isOutsidePacks(objects, loose), false)
			for _, file := range []string{"info/alternates", "pack/pack-1.idx", "pack/multi-pack-index"} {
				l.remove(".git/objects/" + file)
			}
		}
		wantEqual(t, "it is outside again", isOutsidePacks(objects, loose), true)
		must(t, os.RemoveAll(filepath.Join(objects, "pack")))
		wantEqual(t, "it is outside without packs", isOutsidePacks(objects, packed[0]), true)
	}
}
