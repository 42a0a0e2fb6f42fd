package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const ignoreFile = ".gitignore"

// rules are what git knows of the user's checkout: what it tracks and what it ignores. Git
// is asked again only when a file that it would read has changed.
type rules struct {
	git  git
	root Root
	log  func(string)

	changed  bool          // since the walk last looked
	watched  []watchedFile // files outside the tree that git reads, as they were
	index    watchedFile
	listing  [sha256.Size]byte // of what the index listed
	files    map[string]indexEntry
	folders  map[string]bool // those that hold a tracked file
	fileMode bool
	sparse   bool
}

// indexEntry is what the index says of a path.
type indexEntry struct {
	mode   uint32
	id     string
	hidden bool // skip-worktree: git does not look at the file
	assume bool // assume-unchanged
}

type watchedFile struct {
	path string
	stat stat
	ok   bool
}

func lookAt(path string) watchedFile {
	st, err := lstat(path)
	return watchedFile{path: path, stat: st, ok: err == nil}
}

// refresh brings the rules up to date, and sets changed where they are others than before.
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

func (r *rules) hasOutsideChange() bool {
	if r.watched == nil {
		return true
	}
	for _, was := range r.watched {
		if lookAt(was.path) != was {
			return true
		}
	}
	return false
}

// readConfig notes what the config says, and where the rules outside the tree are.
func (r *rules) readConfig(ctx context.Context) error {
	paths := []string{
		filepath.Join(r.root.common, "config"), filepath.Join(r.root.git, "config.worktree"),
		filepath.Join(r.root.common, "info", "exclude"),
	}
	watched := make([]watchedFile, 0, 4)
	for _, p := range paths {
		watched = append(watched, lookAt(p))
	}
	out, err := r.git.run(ctx, "config", "-z", "--includes", "--type=path", "--get-regexp", `^core\.(filemode|sparsecheckout|excludesfile)$`)
	if err != nil && exitCode(err) != 1 {
		return err
	}
	r.fileMode, r.sparse = true, false
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
		}
	}
	r.watched = append(watched, lookAt(excludes))
	return nil
}

// parseGitBool reads a boolean as git does.
func parseGitBool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// defaultExcludes is where git looks for the user's own rules when the config names no file.
func defaultExcludes() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore")
	}
	return filepath.Join(os.Getenv("HOME"), ".config", "git", "ignore")
}

// readIndex asks git what it tracks.
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

// parseIndex reads lines of `ls-files -z -s -v`: "H 100644 ID 0\tPATH".
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

// tracksPath says whether the index has the path as what it is now, a folder or not: a file that
// has taken the place of a tracked folder is a new one.
func (r *rules) tracksPath(path string, folder bool) bool {
	if folder {
		return r.tracksFolder(path)
	}
	_, ok := r.files[path]
	return ok
}

// tracksFolder says whether the index has the path as a folder or a module.
func (r *rules) tracksFolder(path string) bool { return r.folders[path] || r.isModule(path) }

func (r *rules) isModule(path string) bool { return r.files[path].mode == modeModule }

func (r *rules) moduleID(path string) string { return r.files[path].id }

func (r *rules) trackedMode(path string) uint32 {
	if r.files[path].mode == modeExec {
		return modeExec
	}
	return modeFile
}

// listIgnored gives those of the paths, none of them tracked, that git ignores.
func (r *rules) listIgnored(ctx context.Context, paths []string) (map[string]bool, error) {
	var in bytes.Buffer
	for _, p := range paths {
		// The dot keeps a name that begins with a colon from being read as magic.
		in.WriteString("./" + p + "\x00")
	}
	// The index was asked already, and asking it for each path is slow.
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
