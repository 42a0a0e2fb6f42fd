package process

import "os/exec"

func setProcessGroup(*exec.Cmd) {}

func terminateOnCancel(*exec.Cmd) {}
