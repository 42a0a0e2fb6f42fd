//go:build !linux

package workspace

import "path/filepath"

// A folderHandle looks at the entries of a folder.
type folderHandle string

// openFolder returns a folder's handle and stat. A link to a folder is none.
func openFolder(path string) (folderHandle, stat, error) {
	st, err := lstat(path)
	if err == nil && !st.isFolder() {
		err = errNotFolder
	}
	return folderHandle(path), st, err
}

func (h folderHandle) lstat(name string) (stat, error) { return lstat(filepath.Join(string(h), name)) }

func (h folderHandle) close() {}
