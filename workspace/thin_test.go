//go:build unix

package workspace

import (
	"slices"
	"testing"

	"mulligan"
)

// What verified, what was left, given, carried and put aside outlives the thinning of a session, and so do the trees that a
// later run goes back to. The trees of attempts go, and other sessions keep theirs.
func TestThin(t *testing.T) {
	f := newFixture(t, map[string]string{"file": "as it was\n"})
	store := f.site.Store()
	for _, label := range []string{"1", "1-after", "2-failed", "verified", "left", "given", "carried", "aside-1"} {
		f.take(label)
	}
	if _, err := f.site.Workspace.Take(t.Context(), "other/1-after", mulligan.AtFiles); err != nil {
		t.Fatal(err)
	}
	f.write(f.site.Workspace.Dir(), map[string]string{"file": "needed\n"})
	needed := f.take("3-after")

	names := func(session string) []string {
		list, err := store.List(t.Context(), session)
		f.check(err)
		var names []string
		for _, k := range list {
			names = append(names, k.Name())
		}
		slices.Sort(names)
		return names
	}
	for _, want := range []bool{true, false} {
		changed, err := store.Thin(t.Context(), "s1", []string{needed.ID})
		f.check(err)
		if changed != want {
			t.Errorf("Thin reports %v, want %v", changed, want)
		}
		if got, want := names("s1"), []string{"aside-1", "carried", "given", "keep-" + needed.ID, "left", "verified"}; !slices.Equal(got, want) {
			t.Errorf("the session keeps %q, want %q", got, want)
		}
	}
	if got := names("other"); !slices.Equal(got, []string{"1-after"}) {
		t.Errorf("another session keeps %q", got)
	}
	if text := f.git(store.dir, "cat-file", "blob", needed.ID+":file"); text != "needed" {
		t.Errorf("the tree that is needed has %q", text)
	}
}
