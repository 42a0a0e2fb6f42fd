package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/regular"
)

// Unheld lists what the workspace has and a commit of it does not hold, and the rules by which only this
// clone ignores files. since is the tree of the last commit; if it has no ID, as at a session's start, what
// is hidden is not listed, and all links are looked at. Otherwise what is hidden by rules that are not among known is.
func (w *Workspace) Unheld(ctx context.Context, since mulligan.Tree, known []mulligan.Unheld) ([]mulligan.Unheld, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, err := w.walkAgain(ctx, walkServesLook)
	if err = errors.Join(err, w.store.flush()); err != nil {
		return nil, err
	}
	found := w.scan.root.listForeign("")
	for _, module := range w.scan.rules.listModules() {
		in, err := w.examineModule(ctx, module)
		if err != nil {
			w.scan.logOnce("the submodule %s cannot be looked into, so what is in it is not known: %v", module, err)
			continue
		}
		found = append(found, in...)
	}
	rules := w.scan.rules.listLocalRules()
	found = append(found, rules...)
	if since.ID == "" {
		links, err := w.listStrayLinks(&w.scan.root, "")
		return append(found, links...), err
	}
	links, err := w.listNewStrayLinks(ctx, since.ID, now)
	if err != nil {
		return nil, err
	}
	found = append(found, links...)
	fresh := slices.DeleteFunc(rules, func(r mulligan.Unheld) bool { return slices.Contains(known, r) })
	hidden, err := w.listHiddenBy(ctx, fresh)
	if err != nil {
		return nil, err
	}
	skipped, err := w.listSkipped(ctx, since.ID, now)
	return slices.Concat(found, hidden, skipped), err
}

// listForeign returns what a folder has that no commit can have: repositories that git does not track, names that git
// takes for its own, and what cannot be read.
func (f *folder) listForeign(prefix string) []mulligan.Unheld {
	var found []mulligan.Unheld
	if f.unheld != "" {
		found = append(found, mulligan.Unheld{Kind: f.unheld, Path: strings.TrimSuffix(prefix, "/")})
	}
	for _, name := range f.refused {
		found = append(found, mulligan.Unheld{Kind: mulligan.UnheldName, Path: prefix + name})
	}
	for _, n := range f.nodes {
		switch {
		case n.kind == odd && n.stat.isFolder():
			found = append(found, mulligan.Unheld{Kind: mulligan.UnheldRepository, Path: prefix + n.name})
		case n.kind == odd && n.stat.isRegular():
			found = append(found, mulligan.Unheld{Kind: mulligan.UnheldUnreadable, Path: prefix + n.name})
		case n.kind == nested && n.sub != nil:
			found = append(found, n.sub.listForeign(prefix+n.name+"/")...)
		}
	}
	return found
}

// listModules returns the paths of the modules, sorted.
func (r *rules) listModules() []string {
	var paths []string
	for path, f := range r.files {
		if f.mode == modeModule {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// examineModule lists what is changed and not committed in a module, and its commit if no remote-tracking
// ref has that. A module that is not checked out has nothing.
func (w *Workspace) examineModule(ctx context.Context, module string) ([]mulligan.Unheld, error) {
	head := readModuleHead(w.root.Dir, module)
	if head == "" {
		return nil, nil
	}
	g, done, err := w.gitForModule(module)
	if err != nil {
		return nil, err
	}
	defer done()
	// Git would look into a module of the module with that one's own config, so we do it.
	out, err := g.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var found []mulligan.Unheld
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if len(item) > 3 {
			name := path.Join(module, item[3:])
			found = append(found, mulligan.Unheld{Kind: mulligan.UnheldModuleFile, Path: name, ID: w.identifyFile(name)})
		}
	}
	nested, err := listNestedModules(ctx, g, module)
	if err != nil {
		return nil, err
	}
	for _, inner := range nested {
		in, err := w.examineModule(ctx, inner)
		if err != nil {
			return nil, err
		}
		found = append(found, in...)
	}
	if w.pushed[module] == head {
		return found, nil
	}
	has, err := g.line(ctx, "for-each-ref", "--count=1", "--contains="+head, "refs/remotes")
	switch {
	case err != nil:
		return nil, err
	case has == "":
		found = append(found, mulligan.Unheld{Kind: mulligan.UnheldModuleCommit, Path: module, ID: head})
	default:
		w.pushed[module] = head
	}
	return found, nil
}

// identifyFile returns the id of a file's content, or what it is instead of a file.
func (w *Workspace) identifyFile(name string) string {
	full := filepath.Join(w.root.Dir, filepath.FromSlash(name))
	st, err := lstat(full)
	switch {
	case err != nil:
		return "deleted"
	case !st.isRegular():
		return "folder"
	case st.size > inMemory:
		return fmt.Sprintf("%d bytes of %d", st.size, st.mtime)
	}
	data, err := regular.ReadFile(full, inMemory)
	if err != nil {
		return "unreadable"
	}
	return objectID("blob", data).String()
}

// maxRuleFile is the size of the largest file of ignore rules that is read.
const maxRuleFile = 1 << 20

// listLocalRules returns the rules that only this clone has: those of info/exclude, and of the user's own
// file.
func (r *rules) listLocalRules() []mulligan.Unheld {
	var found []mulligan.Unheld
	for _, file := range r.local {
		text, err := regular.ReadFile(file, maxRuleFile)
		if err != nil {
			continue // there need not be one
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
				found = append(found, mulligan.Unheld{Kind: mulligan.UnheldRule, Path: filepath.Base(file), ID: line})
			}
		}
	}
	return found
}

// listHiddenBy returns the paths that the person's git ignores because of one of the rules, which the session's
// start did not have. Our own git does not know these rules.
func (w *Workspace) listHiddenBy(ctx context.Context, rules []mulligan.Unheld) ([]mulligan.Unheld, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	file := filepath.Join(scratch, "rules")
	var text strings.Builder
	for _, r := range rules {
		text.WriteString(r.ID + "\n")
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	paths, err := w.git.run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+file, "--directory")
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	why, err := w.explainIgnored(ctx, paths, "-c", "core.excludesFile="+file)
	if err != nil {
		return nil, err
	}
	var found []mulligan.Unheld
	for _, i := range why {
		if i.source == file {
			found = append(found, mulligan.Unheld{Kind: mulligan.UnheldHidden, Path: strings.TrimSuffix(i.path, "/"), ID: i.rule})
		}
	}
	return found, nil
}

// An ignoredPath is a path that git ignores, and why.
type ignoredPath struct{ source, line, rule, path string }

// explainIgnored returns by which rule git ignores each of the paths, which are separated by zero bytes. options
// come before git's command.
func (w *Workspace) explainIgnored(ctx context.Context, paths []byte, options ...string) ([]ignoredPath, error) {
	out, err := w.git.runWithInput(ctx, paths, append(options, "check-ignore", "-z", "-v", "--stdin")...)
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	var found []ignoredPath
	fields := strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		found = append(found, ignoredPath{fields[0], fields[1], fields[2], fields[3]})
	}
	return found, nil
}

// listSkipped returns the files that are deleted since a tree and that git was told to skip: in a sparse
// checkout a commit keeps them, and without one the person's git would not show that they are gone.
func (w *Workspace) listSkipped(ctx context.Context, since, now string) ([]mulligan.Unheld, error) {
	if !w.scan.rules.hidesAny() {
		return nil, nil
	}
	changed, err := w.compareSnapshots(ctx, since, now)
	var found []mulligan.Unheld
	for _, d := range changed {
		if d.to == nil && w.scan.rules.files[d.path].hidden {
			found = append(found, mulligan.Unheld{Kind: mulligan.UnheldSparse, Path: d.path})
		}
	}
	return found, err
}

// IgnoredSince returns the rule by which git ignores a path, if the rules of a commit's .gitignore files
// did not ignore it: "FILE:LINE: RULE". It returns "" if they did, or if git does not ignore the path.
func (w *Workspace) IgnoredSince(ctx context.Context, commit, name string) (rule string, err error) {
	w.lock()
	defer w.mu.Unlock()
	if name = path.Clean(filepath.ToSlash(name)); name == "." {
		return "", nil
	}
	why, err := w.explainIgnored(ctx, []byte("./"+name+"\x00"))
	if exitCode(err) == 128 { // beyond a link, or in a submodule: no rule is about it
		return "", nil
	}
	if err != nil || len(why) == 0 || strings.HasPrefix(why[0].rule, "!") {
		return "", err
	}
	before, err := w.ignoredAt(ctx, commit, name)
	if err != nil || before {
		return "", err
	}
	return fmt.Sprintf("%s:%s: %s", cmp.Or(why[0].source, "git's rules"), why[0].line, why[0].rule), nil
}

// IgnoredIn returns those of the paths that git ignores in the checkout that holds dir, by the rules that are
// there now. It opens no workspace.
func IgnoredIn(ctx context.Context, dir string, paths []string) ([]string, error) {
	root, err := Find(dir)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	var in bytes.Buffer
	for _, p := range paths {
		in.WriteString("./" + path.Clean(filepath.ToSlash(p)) + "\x00")
	}
	g, done, err := gitForTree(ctx, root, root.Dir)
	if err != nil {
		return nil, err
	}
	defer done()
	out, err := g.runWithInput(ctx, in.Bytes(), "check-ignore", "-z", "--stdin")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	var found []string
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if p = strings.TrimPrefix(p, "./"); p != "" {
			found = append(found, p)
		}
	}
	return found, nil
}

// ignoredAt reports whether the .gitignore files of a commit ignore a path.
func (w *Workspace) ignoredAt(ctx context.Context, commit, name string) (ignored bool, err error) {
	scratch, err := os.MkdirTemp(w.store.dir, scratchPrefix)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	for _, dir := range append([]string{""}, parentFolders(name)...) {
		text, err := w.git.run(ctx, "cat-file", "blob", commit+":"+path.Join(dir, ignoreFile))
		if err != nil {
			continue // the folder has no rules there
		}
		full := filepath.Join(scratch, filepath.FromSlash(dir))
		if err := os.MkdirAll(full, 0o700); err != nil {
			return false, err
		}
		if err := os.WriteFile(filepath.Join(full, ignoreFile), text, 0o600); err != nil {
			return false, err
		}
	}
	g := w.git.withEnv("GIT_WORK_TREE=" + scratch)
	g.dir = scratch
	_, err = g.runWithInput(ctx, []byte("./"+name+"\x00"), "check-ignore", "-z", "-q", "--stdin", "--no-index")
	if exitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}
