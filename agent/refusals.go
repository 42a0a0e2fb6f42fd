package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/text"
)

const (
	maxRefusals  = 3       // that a turn reports
	refusalScope = 1 << 10 // bytes of a line that are looked at
	maxLooks     = 200     // at lines of a turn that may tell of one
)

// NoteRefusals returns an agent that adds to the result of a turn the paths that it was refused writing, as
// far as its output tells. The system tells nobody else. They are a hint for a person: nothing is decided by
// what an agent prints.
// home is the user's.
func NoteRefusals(a mulligan.Agent, spec mulligan.AgentSpec, home string) mulligan.Agent {
	return refusalNoter{a, spec.Name, home}
}

type refusalNoter struct {
	agent      mulligan.Agent
	name, home string
}

func (n refusalNoter) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	var found refusals
	r, err := n.agent.Turn(context.WithValue(ctx, refusalsKey{}, &found), t)
	for _, path := range found.list() {
		allow := fmt.Sprintf("agents: {%s: {writable: [%s]}}", n.name, n.choosePath(path))
		r.Refused = append(r.Refused, mulligan.Refusal{Path: path, Allow: allow})
	}
	return r, err
}

// choosePath returns what to allow so that a path can be written: the folder of a path that is not there
// yet, unless that is the whole home or everything.
func (n refusalNoter) choosePath(path string) string {
	folder := filepath.Dir(path)
	if _, err := os.Lstat(path); err == nil || folder == "/" || folder == filepath.Clean(n.home) {
		return path
	}
	return folder
}

type refusalsKey struct{}

// watchRefusals returns the process with streams that look for refusals, if its turn notes them.
func watchRefusals(ctx context.Context, p process.Spec) process.Spec {
	found, ok := ctx.Value(refusalsKey{}).(*refusals)
	if !ok || p.Confine == nil {
		return p
	}
	watch := func(w io.Writer) io.Writer {
		if w == nil {
			return nil
		}
		return &refusalWatcher{to: w, found: found, dir: p.Dir, writable: p.Confine.Write}
	}
	shared := p.Stdout != nil && p.Stdout == p.Stderr
	p.Stdout = watch(p.Stdout)
	if p.Stderr = watch(p.Stderr); shared {
		p.Stderr = p.Stdout // one stream keeps its order
	}
	return p
}

// refusals are the paths that a turn was refused. It is safe for concurrent use.
type refusals struct {
	mu    sync.Mutex
	paths []string
	looks int
}

func (r *refusals) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.paths
}

// mayLook reports whether another line may be looked at: what that costs is bounded.
func (r *refusals) mayLook() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.looks++
	return r.looks <= maxLooks && len(r.paths) < maxRefusals
}

func (r *refusals) add(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.paths) < maxRefusals && !slices.Contains(r.paths, path) {
		r.paths = append(r.paths, path)
	}
}

// A refusalWatcher passes on what is written, and looks for refused writes in it. Lines are those of the
// agent's tools, which may be escaped in lines of JSON.
type refusalWatcher struct {
	to       io.Writer
	found    *refusals
	dir      string
	writable []string
	rest     []byte // the last line, as far as it has come
}

var (
	refusalWords = regexp.MustCompile(`[Pp]ermission denied|EACCES|Read-only file system|EROFS`)
	// refusalHints are parts of these words that are rare in other text.
	refusalHints = [][]byte{[]byte("ermission denied"), []byte("EACCES"), []byte("-only file system"), []byte("EROFS")}
	refusedPath  = regexp.MustCompile(`(?:^|[\s"'(=:\[‘“` + "`" + `])((?:/|\.\./)[^\s"'\\:;,<>|()\[\]{}` + "`" + `‘’“”]+)`)
	lineEnds     = regexp.MustCompile(`\n|\\n|\\r`)
)

func (w *refusalWatcher) Write(p []byte) (int, error) {
	w.look(p)
	return w.to.Write(p)
}

// look examines the lines that p completes.
func (w *refusalWatcher) look(p []byte) {
	if end := bytes.LastIndexByte(p, '\n'); end >= 0 {
		lines := p[:end]
		if len(w.rest) > 0 { // what p continues is copied, not all of it
			first := bytes.IndexByte(p, '\n')
			w.lookAt(append(w.rest, p[:first]...))
			lines = lines[min(first+1, end):]
		}
		w.lookAt(lines)
		w.rest, p = w.rest[:0], p[end+1:]
	}
	w.rest = append(w.rest, p...)
	// A long line is looked at in pieces, and a path at a cut may be lost.
	if n := len(w.rest); n > 64*refusalScope {
		w.lookAt(w.rest)
		w.rest = append(w.rest[:0], w.rest[n-refusalScope:]...)
	}
}

// lookAt looks for the words of a refusal. Most output has none, and may be much.
func (w *refusalWatcher) lookAt(data []byte) {
	if !hasRefusalHint(data) {
		return
	}
	for _, at := range refusalWords.FindAllIndex(data, maxLooks) {
		w.lookAround(data, at[0])
	}
}

// hasRefusalHint reports whether a text may have the words of a refusal.
func hasRefusalHint(data []byte) bool {
	return slices.ContainsFunc(refusalHints, func(hint []byte) bool { return bytes.Contains(data, hint) })
}

// lookAround looks for refused paths in the line that has the words at a place.
func (w *refusalWatcher) lookAround(data []byte, at int) {
	if !w.found.mayLook() {
		return
	}
	from, to := max(0, at-refusalScope), min(len(data), at+refusalScope)
	line := data[from:to]
	for _, end := range lineEnds.FindAllIndex(line, -1) {
		switch {
		case from+end[1] <= at:
			line = data[from+end[1] : to]
		case from+end[0] > at:
			line = data[to-len(line) : from+end[0]]
			w.addPaths(line)
			return
		}
	}
	w.addPaths(line)
}

// addPaths adds the paths of a line that lie outside of what may be written, and that would be written
// without the confinement.
func (w *refusalWatcher) addPaths(line []byte) {
	found := refusedPath.FindAllSubmatchIndex(line, 8)
	for i, at := range found {
		if i+1 < len(found) && namesProgram(line[at[3]:found[i+1][2]]) {
			continue
		}
		path := string(line[at[2]:at[3]])
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.dir, path)
		}
		path = filepath.Clean(path)
		inside := slices.ContainsFunc(w.writable, func(folder string) bool {
			rel, err := filepath.Rel(folder, path)
			return err == nil && filepath.IsLocal(rel)
		})
		if !inside && len(path) < refusalScope && text.OneLine(path) == path && process.MayWrite(path) {
			w.found.add(path)
		}
	}
}

// namesProgram reports whether a path is that of the program which complains, by what stands between it and the next
// path: "/bin/bash: line 1: /etc/x: Permission denied".
func namesProgram(between []byte) bool {
	return bytes.HasPrefix(between, []byte(": ")) && !refusalWords.Match(between)
}
