package workspace

import "testing"

// Git is asked what it ignores where there is a rule, wherever that is, and not where there is none.
func TestAskOnlyWhereThereAreIgnoreRules(t *testing.T) {
	for name, test := range map[string]struct {
		rules   func(l *lab)
		ignored bool
	}{
		"none":             {func(l *lab) { l.write(".git/info/exclude", "# nothing\n\n") }, false},
		"the clone's":      {func(l *lab) { l.write(".git/info/exclude", "# these\n*.o\n") }, true},
		"the user's":       {func(l *lab) { l.write(".git/mine", "*.o\n"); l.git("config", "core.excludesFile", l.path(".git/mine")) }, true},
		"the repository's": {func(l *lab) { l.write(".gitignore", "*.o\n") }, true},
		"the folder's":     {func(l *lab) { l.write("b/.gitignore", "*.o\n") }, true},
		"another folder's": {func(l *lab) { l.write("c/.gitignore", "*.o\n") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1", "b/c": "2", "c/d": "3"})
			test.rules(l)
			l.reopen()
			l.write("b/x.o", "object")
			got, err := l.scan.rules.listIgnored(t.Context(), []string{"b/x.o"})
			must(t, err)
			wantEqual(t, "ignored", got["b/x.o"], test.ignored)
			wantEqual(t, "there may be rules", l.scan.rules.hasIgnoreRules([]string{"b/x.o"}), test.ignored)
		})
	}
}
