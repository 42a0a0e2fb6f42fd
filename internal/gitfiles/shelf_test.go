package gitfiles

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestShelf: the memory before the last one stays, since the journal may still have its digest; what is not what was stored
// is refused.
func TestShelf(t *testing.T) {
	r := newGitFolder(t)
	shelf := &Shelf{Base: filepath.Join(t.TempDir(), "[a]", "key")}
	var digests []string
	for _, session := range []string{"one", "two", "two", "three"} {
		digest, err := shelf.Store(Look(r, session, new(FolderReader)))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, digest)
	}
	if digests[1] != digests[2] {
		t.Errorf("the same memory has the digests %q and %q", digests[1], digests[2])
	}
	for digest, session := range map[string]string{digests[0]: "", digests[1]: "two", digests[3]: "three"} {
		m, err := shelf.Load(digest)
		if err != nil || (m == nil) != (session == "") || m != nil && m.Session != session {
			t.Errorf("%.8s is %+v, %v; want that of %q", digest, m, err, session)
		}
	}
	if err := os.WriteFile(shelf.Path(digests[1]), []byte(`{"repo":{"git":"x"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := shelf.Load(digests[1]); !errors.Is(err, ErrChanged) || m != nil {
		t.Errorf("a changed one is %+v, %v", m, err)
	}
	// Of an earlier version: it has no digest, and is taken as it is.
	if err := os.WriteFile(shelf.Path(""), []byte(`{"repo":{"git":"x"},"session":"old"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := shelf.Load(""); err != nil || m == nil || m.Session != "old" {
		t.Errorf("one without a digest is %+v, %v", m, err)
	}
	if err := shelf.Clear(); err != nil {
		t.Fatal(err)
	}
	if left := shelf.Digests(); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
