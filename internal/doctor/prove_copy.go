package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/regular"
)

// What is copied at most of a checkout.
const (
	maxCopied      = 2 << 30 // bytes
	maxCopiedFiles = 300_000
)

// source is what bad changes are made to: the source files of the checkout, relative to it.
type source struct {
	all   []string
	tests []string
}

// sourceEndings are those of languages in which a file of nonsense does not compile, or does not load.
var sourceEndings = []string{
	".go", ".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".rs", ".java", ".kt", ".scala", ".rb", ".php", ".c", ".h", ".cc", ".cpp", ".hpp",
	".cs", ".fs", ".swift", ".m", ".ex", ".exs", ".erl", ".hs", ".ml", ".lua", ".pl", ".pm", ".sh", ".bats", ".dart", ".zig", ".vue", ".svelte", ".json",
}

// isTest reports whether a path is that of a test, by the names that runners look for.
func isTest(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	base := strings.TrimSuffix(name, filepath.Ext(name))
	for _, part := range strings.Split(strings.ToLower(filepath.ToSlash(filepath.Dir(path))), "/") {
		if slices.Contains([]string{"test", "tests", "spec", "specs", "__tests__", "t"}, part) {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") || strings.HasSuffix(base, ".test") ||
		strings.HasSuffix(base, ".spec") || strings.HasSuffix(base, "_spec") || strings.HasSuffix(base, "test") || strings.HasSuffix(base, "tests") ||
		filepath.Ext(name) == ".bats"
}

// makeCopy copies the checkout, its git folder too unless that is shared with another checkout. What is
// neither a file, a folder nor a link is left out.
func (p *prover) makeCopy(ctx context.Context) (*source, error) {
	if err := os.MkdirAll(p.output, 0o700); err != nil {
		return nil, err
	}
	s, size, count := &source{}, int64(0), 0
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(p.root, path)
		if err != nil {
			return err
		}
		if rel == ".git" && !d.IsDir() {
			return nil // of a worktree: it leads to the git folder of the person's
		}
		if count++; count > maxCopiedFiles {
			return fmt.Errorf("it has more than %d files", maxCopiedFiles)
		}
		n, err := copyEntry(path, filepath.Join(p.dir, rel), d)
		if size += n; size > maxCopied {
			return fmt.Errorf("it is larger than %d bytes", maxCopied)
		}
		if err == nil && d.Type().IsRegular() {
			s.add(rel)
		}
		return err
	})
	return s, err
}

// add adds a file, if it is a source file of the checkout's own.
func (s *source) add(rel string) {
	parts := strings.Split(filepath.ToSlash(rel), "/")
	foreign := func(part string) bool {
		return slices.Contains([]string{".git", "node_modules", "vendor", ".venv", "venv", "target", "dist", "build"}, part)
	}
	if slices.ContainsFunc(parts, foreign) || !slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(rel))) {
		return
	}
	if isTest(rel) {
		s.tests = append(s.tests, rel)
	}
	if filepath.Ext(rel) != ".json" {
		s.all = append(s.all, rel)
	}
}

// copyEntry copies a file, a folder or a link, and returns the bytes that it has copied.
func copyEntry(from, to string, d fs.DirEntry) (int64, error) {
	info, err := d.Info()
	if err != nil {
		return 0, err
	}
	switch {
	case d.IsDir():
		return 0, os.MkdirAll(to, info.Mode().Perm()|0o700)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return 0, err
		}
		return 0, os.Symlink(target, to)
	case !info.Mode().IsRegular():
		return 0, nil
	}
	in, _, err := regular.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxCopied))
	return n, errors.Join(err, out.Close())
}

// removeCopy removes a copy, folders that may not be written too: module caches have such.
func removeCopy(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}
