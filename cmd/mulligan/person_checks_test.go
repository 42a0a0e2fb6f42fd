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

var (
	restoreCommand = regexp.MustCompile(`mulligan restore (\d{8}-\d{6}-[a-z0-9]{4})(?: ([a-z0-9][a-z0-9.-]*[a-z0-9]))?`)
	branchLine     = regexp.MustCompile(`\bbranch +(mulligan/\S+)`)
)

// hear notes the commands that mulligan printed to the person.
func (p *person) hear(out string) {
	for _, found := range restoreCommand.FindAllStringSubmatch(out, -1) {
		p.printed[command{found[1], found[2]}] = true
	}
}

// check checks that what the person wrote can be reached, and that none of their branches went back.
func (p *person) check() {
	p.t.Helper()
	if p.t.Failed() {
		return
	}
	if p.busy != nil {
		p.hear(p.busy.said())
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
	kept := []func() string{p.readFiles, p.readCommits, p.readSnapshots}
	rest := p.written
	for _, read := range kept {
		if len(rest) == 0 {
			return
		}
		text := read()
		rest = slices.DeleteFunc(slices.Clone(rest), func(l line) bool { return strings.Contains(text, l.text) })
	}
	for _, l := range rest {
		p.t.Errorf("%q, which the person wrote to %s, is in no file, on no branch, and in no snapshot that a command was printed for", l.text, l.file)
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

// readCommits returns the contents of every file of every commit that is on a branch, in a stash, or put aside.
func (p *person) readCommits() string {
	from := []string{"HEAD", "--branches", "--glob=refs/mulligan/aside"}
	from = append(from, strings.Fields(p.git("stash", "list", "--format=%H"))...)
	return p.readObjects(filepath.Join(p.dir, "proj"), from...)
}

// readSnapshots returns the contents of the snapshots that printed commands restore, as those are now.
func (p *person) readSnapshots() string {
	stores, err := filepath.Glob(filepath.Join(p.dir, "state", "mulligan", "workspaces", "*", "snapshots.git"))
	p.must(err)
	var b strings.Builder
	for _, store := range stores {
		list, err := p.gitIn(store, "", "for-each-ref", "--format=%(refname)", "refs/mulligan")
		p.must(err)
		var trees []string
		for ref := range strings.FieldsSeq(list) {
			session, name, _ := strings.Cut(strings.TrimPrefix(ref, "refs/mulligan/"), "/")
			if p.printed[command{session, name}] || p.printed[command{session, ""}] {
				trees = append(trees, ref+"^{tree}")
			}
		}
		if len(trees) > 0 {
			b.WriteString(p.readObjects(store, trees...))
		}
	}
	return b.String()
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
