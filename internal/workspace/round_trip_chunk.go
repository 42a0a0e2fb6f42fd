package workspace

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/gitfolder"
	"mulligan/internal/regular"
)

// checkChunk looks at the files of the chunk, and empties it.
func (t *roundTrip) checkChunk(ctx context.Context) error {
	files := t.chunk
	t.chunk = t.chunk[:0]
	files, err := t.keepConcerned(ctx, files)
	if err != nil || len(files) == 0 {
		return err
	}
	failed, err := t.checkOut(ctx, t.now, files)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(f fileAt) bool { return f.checkedOut == f.id })
	if files, err = t.dropOld(ctx, files); err != nil {
		return err
	}
	for _, f := range files[:min(len(files), maxRefused-len(t.found))] {
		rule, err := t.w.findAttributeLine(ctx, t.now, f.path, f.attributes)
		if err != nil {
			return err
		}
		t.found = append(t.found, mulligan.Unheld{Kind: mulligan.UnheldCheckout, Path: f.path, ID: failed[f.path], Rule: rule})
	}
	return nil
}

// keepConcerned returns the files to which git gives other converting attributes than by the base's rules. It leaves out
// those with a filter of the session's start that they had before: it may need a network to give the file back.
func (t *roundTrip) keepConcerned(ctx context.Context, files []fileAt) ([]fileAt, error) {
	now, err := readAttributes(ctx, t.now, files)
	if err != nil {
		return nil, err
	}
	before, err := readAttributes(ctx, t.before, files)
	if err != nil {
		return nil, err
	}
	filter := slices.Index(convertingAttributes, "filter")
	var kept []fileAt
	for i, f := range files {
		for k, attribute := range convertingAttributes {
			if now[i][k] != before[i][k] {
				f.attributes = append(f.attributes, attribute)
			}
		}
		if len(f.attributes) == 0 || now[i][filter] == before[i][filter] && t.isFilter(now[i][filter]) || t.isPlain(f.path, now[i]) {
			continue
		}
		kept = append(kept, f)
	}
	return kept, nil
}

// isPlain reports whether git is certain to write a file as the snapshot has it: its blob is that, and nothing converts
// it on the way out. Most files are so where an agent adds "* text=auto", and need not be checked out.
func (t *roundTrip) isPlain(name string, values []string) bool {
	if t.converted == nil || t.converted[name] {
		return false
	}
	for i, attribute := range convertingAttributes {
		value, plain := values[i], values[i] == "unspecified"
		switch attribute {
		case "text":
			plain = true // without eol it matters only to what is added
		case "eol":
			plain = plain || value == "lf"
		case "filter":
			plain = !t.isFilter(value)
		}
		if !plain {
			return false
		}
	}
	return true
}

// isFilter reports whether the session's start had a filter of that name.
func (t *roundTrip) isFilter(name string) bool {
	return slices.ContainsFunc(t.filters, func(f gitfolder.Filter) bool { return f.Name == name })
}

// readAttributes returns the values of the converting attributes of files, by the index of g.
func readAttributes(ctx context.Context, g git, files []fileAt) ([][]string, error) {
	args := append([]string{"check-attr", "--cached", "-z", "--stdin"}, convertingAttributes...)
	out, err := g.runWithInput(ctx, listPaths(files), args...)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(string(out), "\x00")
	n := len(convertingAttributes)
	if len(fields) != len(files)*n*3+1 {
		return nil, fmt.Errorf("git check-attr printed %d fields for %d files", len(fields), len(files))
	}
	values := make([][]string, len(files))
	for i := range len(files) * n {
		values[i/n] = append(values[i/n], fields[3*i+2]) // a path, an attribute, and its value
	}
	return values, nil
}

// listPaths returns the paths of files as git reads them with -z.
func listPaths(files []fileAt) []byte {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.path + "\x00")
	}
	return []byte(b.String())
}

// checkOut has git check files out of the index of g, and sets what it has written. It returns why it could not write
// some, as when a filter fails.
func (t *roundTrip) checkOut(ctx context.Context, g git, files []fileAt) (failed map[string]string, err error) {
	dir, err := os.MkdirTemp(t.scratch, "out-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	failed = make(map[string]string)
	if err := writeCheckout(ctx, g, dir, files, failed); err != nil {
		return nil, err
	}
	for i := range files {
		if _, bad := failed[files[i].path]; bad {
			continue
		}
		if files[i].checkedOut, err = hashFile(filepath.Join(dir, filepath.FromSlash(files[i].path)), files[i].id); err != nil {
			return nil, err
		}
	}
	return failed, nil
}

// writeCheckout writes files to a folder. It halves them where git fails, because git stops at the first.
func writeCheckout(ctx context.Context, g git, dir string, files []fileAt, failed map[string]string) error {
	if len(failed) >= maxRefused {
		return nil
	}
	_, err := g.runWithInput(ctx, listPaths(files), "checkout-index", "-z", "--force", "--quiet", "--prefix="+dir+"/", "--stdin")
	switch {
	case err == nil || exitCode(err) <= 0 || isDiskFull(err):
		return err
	case len(files) == 1:
		failed[files[0].path] = gitReason(err)
		return nil
	}
	half := len(files) / 2
	if err := writeCheckout(ctx, g, dir, files[:half], failed); err != nil {
		return err
	}
	return writeCheckout(ctx, g, dir, files[half:], failed)
}

// hashFile returns the id that a file has in a repository with ids like the given one, or "" if there is no file.
func hashFile(name, like string) (string, error) {
	f, info, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := newObjectHash(like)
	h.Write(objectHeader("blob", info.Size()))
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// dropOld returns the files that git would give back in another way by the base's rules. With core.autocrlf a
// checkout has other line ends than an agent wrote, whatever the attributes are.
func (t *roundTrip) dropOld(ctx context.Context, files []fileAt) ([]fileAt, error) {
	if len(files) == 0 {
		return nil, nil
	}
	if err := t.addToBefore(ctx, files); err != nil {
		if exitCode(err) > 0 && !isDiskFull(err) {
			return files, nil // it was refused before
		}
		return nil, err
	}
	old := slices.Clone(files)
	if _, err := t.checkOut(ctx, t.before, old); err != nil {
		return nil, err
	}
	var kept []fileAt
	for i, f := range files {
		if f.checkedOut == "" || f.checkedOut != old[i].checkedOut {
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// addToBefore adds files, as the snapshot has them, to the index that has the base's rules.
func (t *roundTrip) addToBefore(ctx context.Context, files []fileAt) (err error) {
	root, err := os.OpenRoot(t.at("files"))
	if err != nil {
		return err
	}
	defer root.Close()
	out := checkoutWriter{root: root, blobs: t.w.snapshots}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
		if err := root.MkdirAll(path.Dir(f.path), 0o700); err != nil {
			return err
		}
		if err := out.writeEntry(ctx, f.path, f.entry); err != nil {
			return err
		}
	}
	before := t.before
	// The objects are needed for a moment only.
	before.options = append(slices.Clone(before.options), "-c", "core.safecrlf=false", "-c", "core.fsync=none", "-c", "core.fsyncObjectFiles=false")
	_, err = addPaths(ctx, before, paths)
	for _, name := range paths {
		top, _, _ := strings.Cut(name, "/")
		err = errors.Join(err, root.RemoveAll(top))
	}
	return err
}
