//go:build !linux

package process

import "os/exec"

// startApart starts a tool that is to be apart from us. Here an interrupt that is typed before it is
// reaches it too.
func startApart(cmd *exec.Cmd) error { return cmd.Start() }
