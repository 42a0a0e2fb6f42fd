//go:build !linux

package process

import "os/exec"

// startTool starts a tool. On this system an interrupt that is typed before the tool has left our process
// group reaches it.
func startTool(cmd *exec.Cmd) error { return cmd.Start() }
