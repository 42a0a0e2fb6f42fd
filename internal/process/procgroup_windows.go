package process

import "os/exec"

// setProcessGroup does nothing on this system.
func setProcessGroup(*exec.Cmd) {}

// terminateOnCancel leaves os/exec's way: the end of the context kills the tool.
func terminateOnCancel(*exec.Cmd) {}
