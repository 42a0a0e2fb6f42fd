//go:build !linux

package process

import "os/exec"

// startTool starts a tool that is to be apart from us. Here an interrupt that is typed before it is
// reaches it too.
func startTool(cmd *exec.Cmd) error { return cmd.Start() }
