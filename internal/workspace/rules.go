package workspace

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
)

// The files of rules in a checkout.
const (
	ignoreFile     = ".gitignore"
	attributesFile = ".gitattributes"
	modulesFile    = ".gitmodules"
)

// rules tell which files of the user's checkout git tracks and which it ignores. Git is asked again only
// when a file of the checkout that it reads for that, or the index, has changed: all else is as the
// session's start had it.
type rules struct {
	git  git
	root Root
	log  func(string)

	hidden   map[string]bool // files that count as ignored, whatever git says
	changed  bool            // since the scan last cleared it
	local    []string        // files with rules that only this clone has, as they are now
	index    watchedFile
	files    map[string]indexEntry
	folders  map[string]bool // those that hold a tracked file
	settled  bool            // the config was read
	fileMode bool
	sparse   bool
	// hasIdentity is set if the config has a name and an address to commit with.
	hasIdentity bool
}

// An indexEntry is a path's entry in the index.
type indexEntry struct {
	mode   uint32
	id     string
	hidden bool // skip-worktree: git skips the file
	assume bool // assume-unchanged
}

// A watchedFile is a file as it was when it was last read.
type watchedFile struct {
	path string
	stat stat
	ok   bool
}

// lookAt returns the present state of a file, which need not exist.
func lookAt(path string) watchedFile {
	st, err := lstat(path)
	return watchedFile{path: path, stat: st, ok: err == nil}
}

// refresh brings the rules up to date, and sets changed if they differ from before.
func (r *rules) refresh(ctx context.Context) error {
	if !r.settled {
		r.readConfig()
		r.settled, r.changed = true, true
	}
	now := lookAt(filepath.Join(r.root.git, "index"))
	if now == r.index && r.files != nil {
		return nil
	}
	if err := r.readIndex(ctx); err != nil {
		if r.files == nil || ctx.Err() != nil {
			return err
		}
		r.log(fmt.Sprintf("the index cannot be read, so what git tracked before counts: %v", err))
	}
	r.index = now
	return nil
}

// readConfig takes the settings that matter from the config of the session's start.
func (r *rules) readConfig() {
	frozen := r.git.folder.Frozen()
	r.fileMode = frozen.Config.Bool("core.filemode", true)
	r.sparse = frozen.Config.Bool("core.sparsecheckout", false)
	name, _ := frozen.Config.Last("user.name")
	email, _ := frozen.Config.Last("user.email")
	r.hasIdentity = name.Value != "" && email.Value != ""
	r.local = []string{filepath.Join(r.root.common, "info", "exclude"), frozen.ExcludesFile}
}

// readIndex finds out which files git tracks.
func (r *rules) readIndex(ctx context.Context) error {
	files, err := r.listIndex(ctx)
	if err != nil || r.files != nil && maps.Equal(files, r.files) {
		return err
	}
	r.files, r.folders, r.changed = files, make(map[string]bool), true
	for path := range files {
		for at := strings.LastIndexByte(path, '/'); at > 0; at = strings.LastIndexByte(path[:at], '/') {
			if r.folders[path[:at]] {
				break
			}
			r.folders[path[:at]] = true
		}
	}
	return nil
}

// listIndex returns the entries of the index. Git is asked for what an index has but rarely.
func (r *rules) listIndex(ctx context.Context) (map[string]indexEntry, error) {
	x, err := readIndexFile(filepath.Join(r.root.git, "index"), idSizeOf(r.git.folder.Frozen().Config))
	if err == nil {
		return x.listEntries(), nil
	}
	out, err := r.git.run(ctx, "ls-files", "-z", "-s", "-v")
	if err != nil {
		return nil, err
	}
	return parseIndex(out)
}

// parseIndex parses the lines of `ls-files -z -s -v`: "H 100644 ID 0\tPATH".
func parseIndex(out []byte) (map[string]indexEntry, error) {
	files := make(map[string]indexEntry, bytes.Count(out, []byte{0}))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		head, path, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 4 {
			return nil, fmt.Errorf("git ls-files gave a line that mulligan cannot read: %q", line)
		}
		mode, err := strconv.ParseUint(words[1], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("git ls-files gave a mode that mulligan cannot read: %q", line)
		}
		flag := words[0]
		files[path] = indexEntry{
			mode: uint32(mode), id: words[2],
			hidden: strings.EqualFold(flag, "S"), assume: strings.ToLower(flag) == flag,
		}
	}
	return files, nil
}

// tracksPath reports whether the index has the path as a folder, or else as a file: a file that has taken
// the place of a tracked folder is a new one.
func (r *rules) tracksPath(path string, folder bool) bool {
	if folder {
		return r.tracksFolder(path)
	}
	_, ok := r.files[path]
	return ok
}

// hidesAny reports whether git was told to skip a file.
func (r *rules) hidesAny() bool {
	for _, f := range r.files {
		if f.hidden {
			return true
		}
	}
	return false
}

// tracksFolder reports whether the index has the path as a folder or a module.
func (r *rules) tracksFolder(path string) bool { return r.folders[path] || r.isModule(path) }

func (r *rules) isModule(path string) bool { return r.files[path].mode == modeModule }

// listIgnored returns those of the paths that git ignores. None of the paths may be tracked. A .gitignore that
// is no file counts as not there.
func (r *rules) listIgnored(ctx context.Context, paths []string) (map[string]bool, error) {
	if !r.hasIgnoreRules(paths) {
		return nil, nil
	}
	g := r.git.withEnv("GIT_INDEX_FILE=" + filepath.Join(r.git.folder.Dir(), "no-index"))
	if r.hasOddIgnoreFile(paths) {
		var (
			remove func()
			err    error
		)
		if g, remove, err = r.mirrorRules(g, paths); err != nil {
			return nil, err
		}
		defer remove()
	}
	var in bytes.Buffer
	for _, p := range paths {
		// The dot keeps git from reading a name that begins with a colon as pathspec magic.
		in.WriteString("./" + p + "\x00")
	}
	// The rules know the index already, and a look into it for each path is slow.
	out, err := g.runWithInput(ctx, in.Bytes(), "check-ignore", "-z", "--stdin", "--no-index")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	found := make(map[string]bool)
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		found[strings.TrimPrefix(p, "./")] = true
	}
	return found, nil
}
