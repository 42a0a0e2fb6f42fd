package workspace

import (
	"syscall"
	"time"
)

func statusTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
