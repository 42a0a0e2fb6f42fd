package workspace

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// ownFiles are settings by which git writes objects and the index in another way than all others do.
var ownFiles = []string{"core.sharedrepository", "core.fsync", "core.fsyncmethod", "core.fsyncobjectfiles"}

// writesPlainFiles reports whether mulligan may write files of the user's git folder itself, as git would: there is no
// setting by which git would write them in another way.
func (w *Workspace) writesPlainFiles() bool {
	config := w.git.folder.Frozen().Config
	for _, key := range ownFiles {
		if _, set := config.Last(key); set {
			return false
		}
	}
	return runtime.GOOS == "linux"
}

// putUserObject writes an object into the user's repository, unless it has it as a loose one, and returns its id.
func (w *Workspace) putUserObject(kind string, data []byte) (string, error) {
	h := newObjectHash(fmt.Sprintf("%0*d", w.idLen, 0))
	h.Write(objectHeader(kind, int64(len(data))))
	h.Write(data)
	id := hex.EncodeToString(h.Sum(nil))
	return id, w.writeUserObject(id, kind, int64(len(data)), func(to io.Writer) error {
		_, err := io.Copy(to, bytes.NewReader(data))
		return err
	})
}

// errPacked means that git may have an object already, where mulligan does not look.
var errPacked = errors.New("the object may be in a pack")

// writeUserObject writes an object, whose body copyBody writes, as git does, compressed as fast as can be: a loose one that
// is there already is made young, so that no git frees it. The error is errPacked if git may have it elsewhere.
func (w *Workspace) writeUserObject(id, kind string, size int64, copyBody func(io.Writer) error) (err error) {
	objects := filepath.Join(w.root.common, "objects")
	if !isOutsidePacks(objects, id) {
		return errPacked
	}
	file := filepath.Join(objects, id[:2], id[2:])
	if st, err := os.Lstat(file); err == nil {
		if !st.Mode().IsRegular() {
			return fmt.Errorf("%s is no file", file)
		}
		now := time.Now()
		return os.Chtimes(file, now, now)
	}
	dir := filepath.Dir(file)
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("tmp_obj_%016x", rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	z := w.store.zips.Get().(*zlib.Writer)
	defer w.store.zips.Put(z)
	z.Reset(f)
	_, err = z.Write(objectHeader(kind, size))
	if err == nil {
		err = copyBody(z)
	}
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), file)
}
