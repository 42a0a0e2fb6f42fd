package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var branchLine = regexp.MustCompile(`\bbranch +(mulligan/\S+)`)

// check checks that what the person wrote can be reached, and that none of their branches went back.
func (p *person) check() {
	p.t.Helper()
	if p.t.Failed() {
		return
	}
	now := p.listTips()
	for branch, was := range p.tips {
		if strings.HasPrefix(branch, "mulligan/") {
			continue // the session's own: what it goes back from is kept aside
		}
		if _, err := p.tryGit("merge-base", "--is-ancestor", was, now[branch]); err != nil {
			p.t.Errorf("%s was at %.7s and is at %.7s: %v", branch, was, now[branch], err)
		}
	}
	p.tips = now
	kept := []func() string{p.readFiles, p.readCommits}
	rest := p.written
	for _, read := range kept {
		if len(rest) == 0 {
			return
		}
		text := read()
		rest = slices.DeleteFunc(slices.Clone(rest), func(l line) bool { return strings.Contains(text, l.text) })
	}
	for _, l := range rest {
		p.t.Errorf("%q, which the person wrote to %s, is in no file, on no branch and in no stash", l.text, l.file)
	}
}

// listTips returns the commit of each branch.
func (p *person) listTips() map[string]string {
	tips := map[string]string{}
	for row := range strings.Lines(p.git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")) {
		name, id, _ := strings.Cut(strings.TrimSpace(row), " ")
		tips[name] = id
	}
	return tips
}

// readFiles returns the contents of the checkout.
func (p *person) readFiles() string {
	var b strings.Builder
	for name, text := range p.listFiles() {
		b.WriteString(name + "\n" + text)
	}
	return b.String()
}

// listFiles returns the files of the checkout.
func (p *person) listFiles() map[string]string {
	files := map[string]string{}
	root := os.DirFS(filepath.Join(p.dir, "proj"))
	p.must(fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == ".git" {
			return skipGit(path, err)
		}
		if d.Type().IsRegular() {
			data, err := fs.ReadFile(root, path)
			files[path] = string(data)
			return err
		}
		return nil
	}))
	return files
}

// readCommits returns the contents of every file of every commit that is on a branch or in a stash.
func (p *person) readCommits() string {
	from := []string{"HEAD", "--branches"}
	from = append(from, strings.Fields(p.git("stash", "list", "--format=%H"))...)
	return p.readObjects(filepath.Join(p.dir, "proj"), from...)
}

// readObjects returns the contents of everything that git finds from some revisions.
func (p *person) readObjects(dir string, revisions ...string) string {
	ids, err := p.gitIn(dir, "", append([]string{"rev-list", "--objects", "--no-object-names"}, revisions...)...)
	p.must(err)
	text, err := p.gitIn(dir, ids+"\n", "cat-file", "--batch", "--buffer")
	p.must(err)
	return text
}

// A picture is all that a refused command must leave as it is.
type picture struct {
	files map[string]string
	tips  map[string]string
	head  string
}

func (p *person) takePicture() picture {
	return picture{files: p.listFiles(), tips: p.listTips(), head: p.head()}
}

// checkUntouched checks that a command that was refused changed nothing.
func (p *person) checkUntouched(was picture, argv []string) {
	p.t.Helper()
	now := p.takePicture()
	if !maps.Equal(was.files, now.files) || !maps.Equal(was.tips, now.tips) || was.head != now.head {
		p.t.Errorf("mulligan %s was refused, and changed something:\n%s\n%v\n%v\nwas\n%s\n%v\n%v", strings.Join(argv, " "),
			now.head, now.tips, now.files, was.head, was.tips, was.files)
	}
}

// head returns the branch that HEAD is on.
func (p *person) head() string { return p.git("rev-parse", "--abbrev-ref", "HEAD") }
