package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Git-lfs keeps the contents of large files beside git's objects, and looks for those that it lacks beside the objects of
// alternates. Ours have their own in the store. A filter writes into a scratch folder, as git does.

// largeFiles returns the store's folder of the contents of large files.
func (s *Store) largeFiles() string { return filepath.Join(s.dir, "lfs", "objects") }

// linkLargeFiles makes an empty folder of objects beside which git-lfs finds what the person has of large files.
func (s *Site) linkLargeFiles() error {
	if s.filterRunner == nil {
		return nil
	}
	dir := filepath.Join(settingsIn(s.slot), "person")
	storage := filepath.Join(s.checkout.Common, "lfs")
	if e, ok := s.frozen.Config.Last("lfs.storage"); ok && e.Value != "" {
		if storage = e.Value; !filepath.IsAbs(storage) {
			storage = filepath.Join(s.checkout.Common, storage)
		}
	}
	s.personObjects = filepath.Join(dir, "objects")
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(s.personObjects, 0o700), os.Symlink(storage, filepath.Join(dir, "lfs")))
}

// largeFilesEnv returns the variables by which git-lfs keeps large files in a scratch folder, and finds those of the store and
// of the person. What nobody has stays the text that stands for it.
func (s *Site) largeFilesEnv(scratch string) []string {
	return []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=lfs.storage", "GIT_CONFIG_VALUE_0=" + filepath.Join(scratch, "lfs"), "GIT_LFS_SKIP_DOWNLOAD_ERRORS=1",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + s.store.objects() + string(filepath.ListSeparator) + s.personObjects,
	}
}

// adoptLargeFiles copies the contents of large files from a scratch folder to the store. Git-lfs may have linked them to those of
// the person.
func (s *Store) adoptLargeFiles(scratch string) error {
	err := filepath.WalkDir(filepath.Join(scratch, "lfs", "objects"), func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		oid := d.Name()
		to := s.largeFile(oid)
		if to == "" || exists(to) {
			return nil
		}
		return copyLargeFile(to, at, oid)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // there are none
	}
	return err
}

// largeFile returns where the store has a large file of a name, or "" for what is no name of one.
func (s *Store) largeFile(oid string) string {
	if len(oid) != hex.EncodedLen(sha256.Size) || strings.Trim(oid, "0123456789abcdef") != "" {
		return ""
	}
	return filepath.Join(s.largeFiles(), oid[:2], oid[2:4], oid)
}

// copyLargeFile copies a large file to a place where it is complete or not there. A content that is not what its name says is
// left out.
func copyLargeFile(to, from, oid string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	temp := fmt.Sprintf("%s.%d.new", to, os.Getpid())
	out, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), in)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil && hex.EncodeToString(h.Sum(nil)) == oid {
		return os.Rename(temp, to)
	}
	return errors.Join(err, os.Remove(temp))
}

// maxPointer is the size of the largest text that git-lfs takes for one that stands for a large file.
const maxPointer = 1024

// pointerID finds the name of the large file that a text of git-lfs's stands for.
var pointerID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})$`) })

// sendLargeFiles copies the large files of the commits that the person does not have yet to the person's repository that g
// works in.
func (s *Store) sendLargeFiles(ctx context.Context, g git, commit string) error {
	if !exists(s.largeFiles()) {
		return nil
	}
	names, err := s.listLargeFiles(ctx, commit)
	if err != nil || len(names) == 0 {
		return err
	}
	storage, err := findLargeFiles(ctx, g)
	if err != nil {
		return err
	}
	for _, oid := range names {
		from, to := s.largeFile(oid), filepath.Join(storage, "objects", oid[:2], oid[2:4], oid)
		if exists(to) || !exists(from) {
			continue
		}
		if err := copyLargeFile(to, from, oid); err != nil {
			return err
		}
	}
	return nil
}

// findLargeFiles returns the folder in which the repository that g works in has its large files.
func findLargeFiles(ctx context.Context, g git) (string, error) {
	common, err := g.line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return "", err
	}
	storage, err := g.line(ctx, "config", "--get", "--type=path", "lfs.storage")
	if _, failed := errors.AsType[*GitError](err); failed || storage == "" {
		storage, err = "lfs", nil
	}
	return resolveFrom(common, storage), err
}

// listLargeFiles lists the names of the large files of the commits that the person does not have yet.
func (s *Store) listLargeFiles(ctx context.Context, commit string) ([]string, error) {
	g := s.git("")
	out, err := g.run(ctx, "rev-list", "--objects", "--no-object-names", fmt.Sprintf("--filter=blob:limit=%d", maxPointer+1), commit, "--not", "--branches", "--tags", "--remotes", headRef)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	out, err = g.feed(ctx, out, "cat-file", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil, err
	}
	var blobs bytes.Buffer
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(line, "blob "); ok {
			blobs.WriteString(id)
		}
	}
	if blobs.Len() == 0 {
		return nil, nil
	}
	if out, err = g.feed(ctx, blobs.Bytes(), "cat-file", "--batch"); err != nil {
		return nil, err
	}
	contents, err := parseBatch(out)
	var names []string
	for _, text := range contents {
		if found := pointerID().FindSubmatch(text); found != nil && bytes.HasPrefix(text, []byte("version ")) {
			names = append(names, string(found[1]))
		}
	}
	return names, err
}
