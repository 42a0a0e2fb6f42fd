package workspace

import "testing"

// Only a branch of a session's is deleted, only if a branch of the user's has all of it, and only if it is
// checked out nowhere.
func TestDeleteMerged(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	for _, name := range []string{"mulligan/merged", "mulligan/out", "mulligan/ahead", "mulligan/beside", "mine"} {
		l.git("branch", name)
	}
	l.git("switch", "-q", "mulligan/ahead")
	l.git("commit", "-q", "--allow-empty", "-m", "ahead")
	l.git("branch", "-f", "mulligan/beside", "mulligan/ahead") // only another session's branch has it
	l.git("switch", "-q", "main")
	l.git("worktree", "add", "-q", t.TempDir()+"/out", "mulligan/out")
	for branch, deleted := range map[string]bool{
		"mulligan/merged": true, "mulligan/out": false, "mulligan/ahead": false, "mine": false, "main": false, "mulligan/gone": false, "mulligan": false,
	} {
		if err := DeleteMerged(t.Context(), l.dir, branch); (err == nil) != deleted {
			t.Errorf("%s: %v", branch, err)
		}
	}
	wantEqual(t, "the branches", l.git("for-each-ref", "--format=%(refname:short)", "refs/heads"),
		"main\nmine\nmulligan/ahead\nmulligan/beside\nmulligan/out")
	into, err := MergedInto(t.Context(), l.dir, "mulligan/out")
	must(t, err)
	wantEqual(t, "merged into", into, "main")
}
