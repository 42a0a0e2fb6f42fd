package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// check checks that the checkout is byte for byte what the person made of it, that what they wrote can be reached, and that no
// branch of a session went back.
func (p *person) check() {
	p.t.Helper()
	if p.t.Failed() {
		return
	}
	p.checkFolder()
	for branch, was := range p.tips {
		now, err := p.tryGit("rev-parse", "--verify", "--quiet", branch)
		if err != nil {
			p.t.Errorf("%s is gone", branch)
		} else if _, err := p.tryGit("merge-base", "--is-ancestor", was, now); err != nil {
			p.t.Errorf("%s was at %.7s and is at %.7s: %v", branch, was, now, err)
		}
	}
	p.tips = p.listTips()
	for _, l := range p.listLost() {
		p.t.Errorf("%q, which the person wrote to %s, is in no file, on no branch and in no stash", l.text, l.file)
	}
}

// own notes what a person has made of their checkout: it stays so until they do the next thing.
func (p *person) own() {
	p.mine, p.tips = p.readFolder(), p.listTips()
	lost := p.listLost() // with a branch that they deleted
	p.written = slices.DeleteFunc(p.written, func(l line) bool { return slices.Contains(lost, l) })
}

// checkFolder checks that the checkout is as the person left it.
func (p *person) checkFolder() {
	p.t.Helper()
	now := p.readFolder()
	for name, was := range p.mine {
		if now[name] != was {
			p.t.Errorf("%s was\n%s\nand is\n%s", name, was, now[name])
		}
	}
	for name, is := range now {
		if _, had := p.mine[name]; !had {
			p.t.Errorf("%s is new in the checkout:\n%s", name, is)
		}
	}
}

// ours are the places of a checkout that mulligan writes.
var ours = []string{".git/objects", ".git/refs/heads/mulligan", ".git/refs/mulligan", ".git/logs/refs/heads/mulligan", ".git/logs/refs/mulligan"}

// readFolder returns all that is in the checkout, its git folder too, without what is ours: each path with its mode, time and
// content.
func (p *person) readFolder() map[string]string {
	folder := map[string]string{}
	root := os.DirFS(p.root())
	p.must(fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(ours, path) {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			folder[path] = "a folder"
			return err
		}
		data, err := fs.ReadFile(root, path)
		if path == ".git/packed-refs" { // deleting a ref of ours writes it anew
			folder[path] = dropOurs(string(data))
			return err
		}
		folder[path] = fmt.Sprintf("%v %v %q", info.Mode(), info.ModTime(), data)
		return err
	}))
	return folder
}

// dropOurs removes the refs that are mulligan's from a file of packed refs.
func dropOurs(packed string) string {
	var b strings.Builder
	for row := range strings.Lines(packed) {
		if !strings.Contains(row, " refs/heads/mulligan/") && !strings.Contains(row, " refs/mulligan/") {
			b.WriteString(row)
		}
	}
	return b.String()
}

// listTips returns the commit of each branch of a session.
func (p *person) listTips() map[string]string {
	tips := map[string]string{}
	for row := range strings.Lines(p.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/mulligan")) {
		name, id, _ := strings.Cut(strings.TrimSpace(row), " ")
		tips[name] = id
	}
	return tips
}

// listLost returns the lines of the person's that cannot be reached.
func (p *person) listLost() []line {
	rest := p.written
	for _, read := range []func() string{p.readFiles, p.readCommits} {
		if len(rest) == 0 {
			return nil
		}
		text := read()
		rest = slices.DeleteFunc(slices.Clone(rest), func(l line) bool { return strings.Contains(text, l.text) })
	}
	return rest
}

// readFiles returns the contents of the checkout.
func (p *person) readFiles() string {
	var b strings.Builder
	for name, text := range p.readFolder() {
		if !strings.HasPrefix(name, ".git/") {
			b.WriteString(text)
		}
	}
	return b.String()
}

// readCommits returns the contents of every file of every commit that is on a branch or in a stash.
func (p *person) readCommits() string {
	from := []string{"HEAD", "--branches"}
	from = append(from, strings.Fields(p.git("stash", "list", "--format=%H"))...)
	return p.readObjects(p.root(), from...)
}

// readObjects returns the contents of everything that git finds from some revisions.
func (p *person) readObjects(dir string, revisions ...string) string {
	ids, err := p.gitIn(dir, "", append([]string{"rev-list", "--objects", "--no-object-names"}, revisions...)...)
	p.must(err)
	text, err := p.gitIn(dir, ids+"\n", "cat-file", "--batch", "--buffer")
	p.must(err)
	return text
}

// head returns the branch that HEAD is on.
func (p *person) head() string { return p.git("rev-parse", "--abbrev-ref", "HEAD") }

// root returns where the repository is now.
func (p *person) root() string { return filepath.Join(p.dir, p.name) }
