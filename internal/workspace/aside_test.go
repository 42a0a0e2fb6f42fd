package workspace

import (
	"fmt"
	"testing"
)

func TestListAside(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "text": "one\ntwo\n"})
	list := func() string {
		t.Helper()
		found, err := ListAside(t.Context(), l.dir, l.snaps, "s1")
		must(t, err)
		out := ""
		for _, a := range found {
			out += fmt.Sprintf("%s%s %d %d %s\n", a.Snapshot, a.Ref, a.Files, a.Commits, a.Subject)
		}
		return out
	}
	wantEqual(t, "nothing", list(), "")

	l.write("text", "one\r\ntwo\r\n") // as a checkout with other line ends has it
	l.write("a", "2")
	l.write("new", "n")
	l.snap("s1/aside-1")
	l.write("more", "m")
	for n := 2; n <= 10; n++ {
		l.snap(fmt.Sprintf("s1/aside-%d", n))
	}
	l.snap("s1/left")
	l.snap("s2/aside-1")
	first := l.git("rev-parse", "HEAD")
	l.git("commit", "-qam", "mine")
	l.git("update-ref", "refs/mulligan/aside/s1/1", "HEAD")
	l.git("commit", "-q", "--allow-empty", "-m", "on a branch")
	l.git("update-ref", "refs/mulligan/aside/s2/1", "HEAD")
	l.git("reset", "-q", "--hard", first)
	want := "aside-1 2 0 \n"
	for n := 2; n <= 10; n++ {
		want += fmt.Sprintf("aside-%d 3 0 \n", n)
	}
	wantEqual(t, "what was put aside", list(), want+"refs/mulligan/aside/s1/1 -1 1 mine\n")

	// Where the checkout is gone, the snapshots are still listed.
	found, err := ListAside(t.Context(), l.dir+"-gone", l.snaps, "s2")
	must(t, err)
	wantEqual(t, "entries", len(found), 1)
	wantEqual(t, "files", found[0].Files, -1)
}
