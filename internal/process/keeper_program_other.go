//go:build unix && !linux

package process

import "os/exec"

// A keeperProgram is the path of a program for keepers; "" is no program.
type keeperProgram string

// openKeeperProgram returns the program at a path.
func openKeeperProgram(path string) keeperProgram { return keeperProgram(path) }

// use makes cmd execute the program, and reports whether there is one.
func (p keeperProgram) use(cmd *exec.Cmd) bool {
	cmd.Path = string(p)
	return p != ""
}
