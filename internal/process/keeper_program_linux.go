package process

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// A keeperProgram is the file of a program for keepers. It is held open, and executed only as long as it was not changed:
// an agent that is not confined may write to it, or put another in its place. The zero value is no program.
type keeperProgram struct {
	file    *os.File
	changed unix.Timespec // when it was changed last; no program can set that
}

// openKeeperProgram returns the program at a path, or the zero value if it cannot be opened.
func openKeeperProgram(path string) keeperProgram {
	file, err := os.Open(path)
	if err != nil {
		return keeperProgram{}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &stat); err != nil {
		file.Close()
		return keeperProgram{}
	}
	return keeperProgram{file, stat.Ctim}
}

// use makes cmd execute the program, and reports whether it is still the one that was opened.
func (p keeperProgram) use(cmd *exec.Cmd) bool {
	var stat unix.Stat_t
	if p.file == nil || unix.Fstat(int(p.file.Fd()), &stat) != nil || stat.Ctim != p.changed {
		return false
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, p.file)
	cmd.Path = fmt.Sprintf("/proc/self/fd/%d", socketFd+len(cmd.ExtraFiles)-1)
	return true
}
