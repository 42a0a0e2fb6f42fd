package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
)

// makeBothTrees returns the tree of a snapshot on top of HEAD as git makes it, and as it is made without git.
func makeBothTrees(l *lab, snapshot mulligan.Tree) (git, own string, ok bool) {
	l.t.Helper()
	ctx := l.t.Context()
	l.Workspace.mu.Lock()
	defer l.Workspace.mu.Unlock()
	parent, err := l.readCommit(ctx, snapshot.Head)
	must(l.t, err)
	found, attributes, err := l.compareToUser(ctx, parent.tree, snapshot.ID)
	must(l.t, err)
	if !attributes {
		own, ok, err = l.writePlainTree(ctx, parent.tree, found)
		must(l.t, err)
	}
	git, err = l.writeUserTree(ctx, snapshot.Head, parent.tree, found, true)
	must(l.t, err)
	return git, own, ok
}

// Without git the same tree is made as with it, from all that an agent may do to files.
func TestMakeRandomTreesLikeGit(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b/c": "2"})
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 15 {
		for range 1 + r.IntN(6) {
			name := []string{"a", "b", "b/c", "b/d", "b/d/e", "d/e/f/g", "a.b", "a-b", "a/b", "x y", ".gitignore"}[r.IntN(11)]
			for _, above := range append(parentFolders(name), name) {
				if st, err := os.Lstat(l.path(above)); err == nil && (above == name || !st.IsDir()) {
					l.remove(above)
				}
			}
			switch r.IntN(5) {
			case 0:
			case 1:
				l.write(name+".t", "")
				must(t, os.Symlink("target", l.path(name)))
			case 2:
				l.write(name, "#!/bin/sh\n")
				must(t, os.Chmod(l.path(name), 0o755))
			default:
				l.write(name, fmt.Sprint(r.IntN(5)))
			}
		}
		tree := l.snap(fmt.Sprintf("s/%d", n))
		git, own, ok := makeBothTrees(l, tree)
		if !ok || git != own {
			t.Fatalf("made %s %v, git makes %s of %v", own, ok, git, l.files(tree))
		}
		l.done(tree, tree.Head)
		wantEqual(t, "what differs from the commit", l.git("status", "--porcelain"), "")
		l.git("fsck", "--strict")
	}
}

// What git may convert or refuse is left to git.
func TestLeaveOddTreesToGit(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"attributes":          func(l *lab) { l.write(".gitattributes", "* text\n"); l.write("new", "1\r\n") },
		"attributes below":    func(l *lab) { l.write("sub/.gitattributes", "* text\n"); l.write("sub/new", "1\r\n") },
		"line ends":           func(l *lab) { l.git("config", "core.autocrlf", "input"); l.write("new", "1\r\n") },
		"the clone's":         func(l *lab) { l.write(".git/info/attributes", "* text\n"); l.write("new", "1\r\n") },
		"a shared repository": func(l *lab) { l.git("config", "core.sharedRepository", "group"); l.write("new", "1") },
		"flushed":             func(l *lab) { l.git("config", "core.fsync", "all"); l.write("new", "1") },
		"case":                func(l *lab) { l.git("config", "core.ignoreCase", "true"); l.write("new", "1") },
		"a name":              func(l *lab) { l.write("ü", "1") },
		"a module": func(l *lab) {
			l.git("init", "-q", "mod")
			l.git("-C", "mod", "commit", "-q", "--allow-empty", "-m", "m")
			l.git("add", "mod")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1"})
			t.Setenv("GIT_AUTHOR_NAME", "Ada")
			t.Setenv("GIT_AUTHOR_EMAIL", "ada@example.com")
			t.Setenv("GIT_COMMITTER_NAME", "Ada")
			t.Setenv("GIT_COMMITTER_EMAIL", "ada@example.com")
			change(l)
			l.reopen()
			if _, _, ok := makeBothTrees(l, l.snap("s/1")); ok {
				t.Error("it is not left to git")
			}
		})
	}
}

func TestIsPlainName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "a/b.c": true, ".gitignore": true, "x/.gitignore": true, "-a": true, "a b": true, "git": true,
		".git": false, "a/.GIT": false, ".gitmodules": false, ".gitattributes": false, "git~1": false, "a.": false, "a /b": false,
		"a\\b": false, "a:b": false, "é": false, "a\nb": false, "a//b": false, "../a": true, "\x80": false,
	} {
		if name == "../a" {
			continue // no tree has it
		}
		wantEqual(t, name, isPlainName(name), want)
	}
}

// A commit that is written without git is the one that git makes.
func TestMakeCommitsLikeGit(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		l := newLab(t, map[string]string{"a": "1"}, "--object-format="+format)
		tree, parent := l.git("rev-parse", "HEAD^{tree}"), l.git("rev-parse", "HEAD")
		zone := time.FixedZone("", -(3*3600 + 1800))
		for _, c := range []mulligan.Commit{
			{Message: "one\n"},
			{Message: "one, without an end", Parent: parent},
			{Message: "", Parent: parent},
			{Message: "\n  two\n\n\nö ü — 🙂\n# no comment\n\n", Parent: parent, Time: time.Unix(1_800_000_000, 5).In(zone)},
		} {
			if c.Time.IsZero() {
				c.Time = time.Unix(1_700_000_000, 0).UTC()
			}
			own, ok := l.writePlainCommit(c, tree)
			git, err := l.askForCommit(t.Context(), c, tree)
			must(t, err)
			if !ok || own != git {
				t.Errorf("%q: %s %v, git makes %s", c.Message, own, ok, git)
			}
		}
		for _, c := range []mulligan.Commit{
			{Message: "\xff", Time: time.Now()},
			{Message: "a\x00b", Time: time.Now()},
			{Message: "\ufffe", Time: time.Now()},
			{Message: "old", Time: time.Unix(5, 0)},
			{Message: "signed", Time: time.Now(), Sign: true},
		} {
			if _, ok := l.writePlainCommit(c, tree); ok {
				t.Errorf("%q is not left to git", c.Message)
			}
		}
	}
}

// Who commits is known where the environment or the config tells it in letters that git keeps, and then as git has it.
func TestFindIdentityLikeGit(t *testing.T) {
	for name, test := range map[string]struct {
		env, config string // NAME=VALUE …
		known       bool
	}{
		"the user's config":       {"", "user.name=Ada L user.email=a@b", true},
		"the author's config":     {"", "user.name=Ada user.email=a@b author.name=Bob committer.email=c@d", true},
		"variables":               {"GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@d", "user.name=Ada user.email=a@b", true},
		"a variable":              {"GIT_AUTHOR_NAME=Zoë", "user.name=Ada user.email=a@b", true},
		"dots at the end":         {"", "user.name=Ada. user.email=a@b", false},
		"a bracket":               {"GIT_AUTHOR_NAME=A<b", "user.name=Ada user.email=a@b", false},
		"an empty variable":       {"GIT_AUTHOR_EMAIL=", "user.name=Ada user.email=a@b", false},
		"no address":              {"", "user.name=Ada user.email=", false},
		"no name of the author's": {"", "user.name=Ada user.email=a@b author.name=", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nil)
			for _, section := range []string{"user.name", "user.email"} {
				l.git("config", "--unset", section)
			}
			for _, kv := range splitSettings(test.config) {
				key, value, _ := strings.Cut(kv, "=")
				l.git("config", key, value)
			}
			for _, kv := range splitSettings(test.env) {
				key, value, _ := strings.Cut(kv, "=")
				t.Setenv(key, value)
			}
			l.reopen()
			for _, who := range []string{author, committer} {
				got, known := l.findIdentity(who)
				if known {
					out := l.git("var", "GIT_"+who+"_IDENT")
					wantEqual(t, who, got, out[:strings.LastIndex(out, ">")+1])
				}
				if who == author {
					wantEqual(t, "known", known, test.known)
				}
			}
		})
	}
}

// splitSettings splits "KEY=VALUE KEY=VALUE …", where values may have spaces.
func splitSettings(text string) (all []string) {
	for word := range strings.FieldsSeq(text) {
		if strings.Contains(word, "=") {
			all = append(all, word)
		} else {
			all[len(all)-1] += " " + word
		}
	}
	return all
}
