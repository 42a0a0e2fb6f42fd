package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const ignoreFile = ".gitignore"

// rules tell which files of the user's checkout git tracks and which it ignores. Git is asked again only
// when a file that it reads for that has changed.
type rules struct {
	git  git
	root Root
	log  func(string)

	hidden   map[string]bool // files that count as ignored, whatever git says
	changed  bool            // since the scan last cleared it
	watched  []watchedFile   // files outside the tree that git reads, as they were
	local    []string        // those of them with rules that only this clone has
	index    watchedFile
	listing  [sha256.Size]byte // hash of the index's list
	files    map[string]indexEntry
	folders  map[string]bool // those that hold a tracked file
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
	if r.hasOutsideChange() {
		if err := r.readConfig(ctx); err != nil {
			return err
		}
		r.changed = true
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

// hasOutsideChange reports whether a file outside the tree that git reads has changed.
func (r *rules) hasOutsideChange() bool {
	return r.watched == nil || slices.ContainsFunc(r.watched, func(was watchedFile) bool { return lookAt(was.path) != was })
}

// readConfig reads the settings that matter, and finds the files of rules outside the tree.
func (r *rules) readConfig(ctx context.Context) error {
	watched := []watchedFile{
		lookAt(filepath.Join(r.root.common, "config")), lookAt(filepath.Join(r.root.git, "config.worktree")),
		lookAt(filepath.Join(r.root.common, "info", "exclude")),
	}
	out, err := r.git.run(ctx, "config", "-z", "--includes", "--type=path", "--get-regexp", `^(core\.(filemode|sparsecheckout|excludesfile)|user\.(name|email))$`)
	if err != nil && exitCode(err) != 1 {
		return err
	}
	r.fileMode, r.sparse = true, false
	var name, email bool
	excludes := defaultExcludes()
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, given := strings.Cut(item, "\n")
		switch key {
		case "core.filemode":
			r.fileMode = !given || parseGitBool(value)
		case "core.sparsecheckout":
			r.sparse = !given || parseGitBool(value)
		case "core.excludesfile":
			excludes = resolveFrom(r.root.Dir, value)
		case "user.name":
			name = value != ""
		case "user.email":
			email = value != ""
		}
	}
	r.hasIdentity = name && email
	r.watched = append(watched, lookAt(excludes))
	r.local = []string{filepath.Join(r.root.common, "info", "exclude"), excludes}
	return nil
}

// parseGitBool parses a boolean as git does.
func parseGitBool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// defaultExcludes returns where git reads the user's own rules if the config names no file.
func defaultExcludes() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore")
	}
	return filepath.Join(os.Getenv("HOME"), ".config", "git", "ignore")
}

// readIndex asks git which files it tracks.
func (r *rules) readIndex(ctx context.Context) error {
	out, err := r.git.run(ctx, "ls-files", "-z", "-s", "-v")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(out)
	if r.files != nil && sum == r.listing {
		return nil
	}
	files, err := parseIndex(out)
	if err != nil {
		return err
	}
	r.files, r.listing, r.folders, r.changed = files, sum, make(map[string]bool), true
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

// tracksFolder reports whether the index has the path as a folder or a module.
func (r *rules) tracksFolder(path string) bool { return r.folders[path] || r.isModule(path) }

func (r *rules) isModule(path string) bool { return r.files[path].mode == modeModule }

// listIgnored returns those of the paths that git ignores. None of the paths may be tracked.
func (r *rules) listIgnored(ctx context.Context, paths []string) (map[string]bool, error) {
	var in bytes.Buffer
	for _, p := range paths {
		// The dot keeps git from reading a name that begins with a colon as pathspec magic.
		in.WriteString("./" + p + "\x00")
	}
	// The rules know the index already, and a look into it for each path is slow.
	out, err := r.git.runWithInput(ctx, in.Bytes(), "check-ignore", "-z", "--stdin", "--no-index")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	found := make(map[string]bool)
	for p := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		found[strings.TrimPrefix(p, "./")] = true
	}
	return found, nil
}
