//go:build !linux

package process

import "net"

// This system does not tell a process's ancestors in a way that a child could not change, so only the
// environment marks an agent's processes.

// setComm does nothing.
func setComm(string) error { return nil }

// explainAncestry returns "".
func explainAncestry() string { return "" }

// PeerRefused refuses no process.
func PeerRefused(*net.UnixConn) (why string, agents bool) { return "", false }
