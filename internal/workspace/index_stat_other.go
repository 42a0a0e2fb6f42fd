//go:build !linux

package workspace

// lstatForIndex returns errOddIndex: on this system git alone writes the index.
func lstatForIndex(string, uint32) (st stat, encoded [statSize]byte, err error) {
	return st, encoded, errOddIndex
}
