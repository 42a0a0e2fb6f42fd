//go:build !linux

package process

import "net"

// This system does not tell a process's ancestors in a way that a child could not change, so only the
// environment marks an agent's processes.

// identifyByAncestry returns the zero value.
func identifyByAncestry(folderID) Caller { return Caller{} }

// folderKey returns "": folders are told by their paths.
func folderKey(string) string { return "" }

// PeerRefused refuses no process.
func PeerRefused(*net.UnixConn, string) (why string, role Role) { return "", RoleNone }

// ServerRefused refuses no process.
func ServerRefused(_ *net.UnixConn, _, _ string) string { return "" }

// TCPPeerRefused refuses no process.
func TCPPeerRefused(net.Conn, string) (why string, role Role) { return "", RoleNone }
