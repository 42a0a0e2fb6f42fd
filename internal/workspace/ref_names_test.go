package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMayHaveRefs(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	common := filepath.Join(l.dir, ".git")
	const prefix = "refs/mulligan/aside/s1"
	want := func(what string, is bool) {
		t.Helper()
		wantEqual(t, what, mayHaveRefs(common, prefix), is)
	}
	want("no such folder", false)
	l.git("update-ref", "refs/mulligan/aside/s2/1", "HEAD")
	want("refs of another session", false)
	l.git("pack-refs", "--all")
	want("those packed", false)
	l.git("update-ref", prefix+"/1", "HEAD")
	want("a loose ref", true)
	l.git("pack-refs", "--all")
	want("a packed ref", true)
	l.git("update-ref", "-d", prefix+"/1")
	want("a removed ref", false)

	// What cannot be read is left to git.
	packed := filepath.Join(common, "packed-refs")
	must(t, os.Rename(packed, packed+".away"))
	must(t, os.Mkdir(packed, 0o700))
	want("a packed-refs that is no file", true)
	must(t, os.Remove(packed))
	must(t, os.RemoveAll(filepath.Join(common, "refs", "mulligan")))
	must(t, os.WriteFile(filepath.Join(common, "refs", "mulligan"), nil, 0o600))
	want("a folder of refs that is none", true)
	must(t, os.Remove(filepath.Join(common, "refs", "mulligan")))
	want("none again", false)
	must(t, os.Mkdir(filepath.Join(common, "reftable"), 0o700))
	want("refs in a table", true)
}
