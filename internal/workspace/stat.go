package workspace

import "time"

// A stat holds the fields by which a changed file is noticed.
type stat struct {
	size, mtime, ctime int64
	inode, device      uint64
	mode               uint32
}

// For so long after its last change a file may change again without a change of its times: the tick of
// the clock that stamps files, and the grain of file systems that store whole seconds.
const (
	tick        = int64(50 * time.Millisecond)
	coarseGrain = int64(2 * time.Second)
)

// isSettled reports whether a file with this stat, read at the given time, cannot have changed since
// without a change of its stat.
func (s stat) isSettled(read int64) bool {
	grain := tick
	if s.mtime%int64(time.Second) == 0 && s.ctime%int64(time.Second) == 0 {
		grain = coarseGrain
	}
	return max(s.mtime, s.ctime)+grain < read
}

func (s stat) isExec() bool { return s.mode&0o100 != 0 }
