package process

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// TCPPeerRefused is PeerRefused for a connection over the loopback address. TCP does not tell the process at
// its other end: the system's table of connections has the owner and the socket, and the open files of the
// owner's processes tell which of them have it. Every one of those must be a person's.
func TCPPeerRefused(c net.Conn, state string) (why string, role Role) {
	arrived := ticksSinceBoot()
	socket, err := findPeerSocket(c)
	if errors.Is(err, os.ErrNotExist) {
		return "", RoleNone // there is no /proc
	}
	if err != nil {
		return err.Error(), RoleNone
	}
	if socket.uid != os.Getuid() {
		return fmt.Sprintf("the caller is another user, %d", socket.uid), RoleNone
	}
	pids := findHolders(socket.inode)
	if len(pids) == 0 {
		return "the process that called is gone, or the system hides it", RoleNone
	}
	folder := identifyFolder(state)
	for _, pid := range pids {
		if why, role = checkPeer(pid, arrived, folder); why != "" {
			return why, role
		}
	}
	return "", RoleNone
}

// A peerSocket is the other end of a connection, as the system lists it.
type peerSocket struct {
	uid   int
	inode string
}

// findPeerSocket looks up the other end of a connection of this machine.
func findPeerSocket(c net.Conn) (peerSocket, error) {
	remote, errRemote := netip.ParseAddrPort(c.RemoteAddr().String())
	local, errLocal := netip.ParseAddrPort(c.LocalAddr().String())
	if err := errors.Join(errRemote, errLocal); err != nil {
		return peerSocket{}, fmt.Errorf("the caller has no address: %w", err)
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if errors.Is(err, os.ErrNotExist) && table == "/proc/net/tcp6" {
			continue // a system without IPv6
		}
		if err != nil {
			return peerSocket{}, err
		}
		if socket, ok := parseSocketTable(text, remote, local); ok {
			return socket, nil
		}
	}
	return peerSocket{}, errors.New("the caller has hung up, or is on another machine")
}

// parseSocketTable finds the socket whose own address is local and whose peer is remote.
func parseSocketTable(table []byte, local, remote netip.AddrPort) (peerSocket, bool) {
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 10 || !sameAddress(f[1], local) || !sameAddress(f[2], remote) {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		if err == nil && f[9] != "0" { // 0: its process has closed it
			return peerSocket{uid: uid, inode: f[9]}, true
		}
	}
	return peerSocket{}, false
}

// sameAddress reports whether an address of the table is the given one. The table has it in hexadecimal, by
// words in the machine's order of bytes: 0100007F:1F90.
func sameAddress(listed string, want netip.AddrPort) bool {
	host, port, _ := strings.Cut(listed, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	raw, broke := hex.DecodeString(host)
	if err != nil || broke != nil || len(raw)%4 != 0 {
		return false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	return ok && uint16(number) == want.Port() && addr.Unmap() == want.Addr().Unmap()
}

// findHolders returns the processes that have a socket open, as far as the system lets us see their files.
func findHolders(inode string) []int {
	all, err := listProcesses()
	if err != nil {
		return nil
	}
	want := "socket:[" + inode + "]"
	var found []int
	for _, p := range all {
		dir := "/proc/" + strconv.Itoa(p.PID) + "/fd"
		d, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := d.Readdirnames(-1) // a process that ends meanwhile has none
		d.Close()
		for _, name := range names {
			if target, err := os.Readlink(dir + "/" + name); err == nil && target == want {
				found = append(found, p.PID)
				break
			}
		}
	}
	return found
}
