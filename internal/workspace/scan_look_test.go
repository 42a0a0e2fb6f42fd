package workspace

import (
	"os"
	"testing"
)

// TestLookSeesEveryChange: a walk that knows the tree finds what one does that knows nothing, whatever has changed.
func TestLookSeesEveryChange(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"nothing":                    func(*lab) {},
		"a file edited":              func(l *lab) { l.write("top/sub/a", "edited by an agent") },
		"a file deep down edited":    func(l *lab) { l.write("top/sub/deep/er/b", "edited by an agent") },
		"a file created":             func(l *lab) { l.write("top/sub/new", "new") },
		"a folder created":           func(l *lab) { l.write("top/fresh/new", "new") },
		"a file removed":             func(l *lab) { l.remove("top/sub/a") },
		"a folder removed":           func(l *lab) { l.remove("top/sub") },
		"a folder emptied":           func(l *lab) { l.remove("top/sub/deep/er/b") },
		"a file made executable":     func(l *lab) { must(l.t, os.Chmod(l.path("top/sub/a"), 0o755)) },
		"a file replaced by another": func(l *lab) { must(l.t, os.Rename(l.path("top/c"), l.path("top/sub/a"))) },
		"a file replaced by a folder": func(l *lab) {
			l.remove("top/c")
			l.write("top/c/d", "in a folder")
		},
		"a folder replaced by a file": func(l *lab) {
			l.remove("top/sub")
			l.write("top/sub", "a file")
		},
		"a folder replaced by a link": func(l *lab) {
			must(l.t, os.Rename(l.path("top/sub"), l.path("moved")))
			must(l.t, os.Symlink("../moved", l.path("top/sub")))
		},
		"a file replaced by a link": func(l *lab) {
			l.remove("top/c")
			must(l.t, os.Symlink("sub/a", l.path("top/c")))
		},
		"a link changed": func(l *lab) {
			l.remove("top/link")
			must(l.t, os.Symlink("sub/a", l.path("top/link")))
		},
		"a rule added":              func(l *lab) { l.write("top/.gitignore", "*.log\nuntracked*\n") },
		"a rule removed":            func(l *lab) { l.remove("top/.gitignore") },
		"an ignored rule changed":   func(l *lab) { l.write("quiet/.gitignore", "*\n!untracked\n") },
		"an ignored file edited":    func(l *lab) { l.write("top/x.log", "edited by a check") },
		"an ignored file, a folder": func(l *lab) { l.remove("top/x.log"); l.write("top/x.log/y", "1") },
		"a file tracked":            func(l *lab) { l.git("add", "-f", "top/x.log") },
		"an untracked file edited":  func(l *lab) { l.write("top/untracked", "edited by an agent") },
		"a repository made":         func(l *lab) { l.git("init", "-q", l.path("loose")) },
		"a tracked folder with git": func(l *lab) { l.git("init", "-q", l.path("top/sub")) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{
				"top/sub/a": "1", "top/sub/deep/er/b": "2", "top/c": "3", "top/.gitignore": "*.log\n",
			})
			must(t, os.Symlink("c", l.path("top/link")))
			for _, name := range []string{"top/x.log", "top/untracked", "loose/file", "quiet/untracked"} {
				l.write(name, "0")
			}
			l.write("quiet/.gitignore", "*\n")
			l.snap("s/1")
			l.snap("s/1")
			l.scan.root.settle()
			change(l)
			got := l.snap("s/2")
			l.scan.root.settle()
			wantEqual(t, "the same again", l.snap("s/2"), got)
			want := l.files(got)
			l.reopen()
			fresh := l.snap("s/3")
			wantEqual(t, "by a process that knows nothing", fresh.ID, got.ID)
			l.wantFiles(fresh, want...)
		})
	}
}

// TestLookSkipsWhatIsStill: files and folders that are as they were are neither looked at again nor stored.
func TestLookSkipsWhatIsStill(t *testing.T) {
	l := newLab(t, map[string]string{"a/b/c": "1", "d/e": "2"})
	l.snap("s/1")
	l.snap("s/1")
	l.scan.root.settle()
	l.snap("s/1")
	wantEqual(t, "stored", l.scan.root.stored, true)
	wantEqual(t, "still", l.scan.isStill(l.scan.root.findNode("a/b/c")), true)
	l.write("d/e", "edited by an agent")
	_, err := l.scan.walkOnce(t.Context())
	must(t, err)
	wantEqual(t, "stored, after an edit", l.scan.root.stored, false)
	wantEqual(t, "the edited folder", l.scan.root.findNode("d").sub.stored, false)
	wantEqual(t, "the other folder", l.scan.root.findNode("a").sub.stored, true)
}
