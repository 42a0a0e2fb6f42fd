//go:build unix

package jetstream_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan/journal/jetstream"
)

// lockText returns the lines of host.lock: the host's process and its socket.
func lockText(t *testing.T, dir string) (pid, socket string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "host.lock"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 3 {
		t.Fatalf("host.lock: %q", text)
	}
	return lines[0], lines[1]
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has the mode %04o, want %04o", path, got, want)
	}
}

func TestNobodyElseGetsIn(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "new", "state")
	open(t, dir, jetstream.Session)
	_, socket := lockText(t, dir)
	wantMode(t, dir, 0o700)
	wantMode(t, socket, 0o600)
	wantMode(t, filepath.Dir(socket), 0o700)
	wantMode(t, filepath.Join(dir, "host.lock"), 0o600)
	if want := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "mulligan"); filepath.Dir(socket) != want {
		t.Errorf("the socket is %s, want it in %s", socket, want)
	}
}

// A client finds the host whatever its own environment says about sockets.
func TestSocketIsFoundFromAnotherEnvironment(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	open(t, dir, jetstream.Session)
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", t.TempDir())
	if open(t, dir, jetstream.Session).Hosting() {
		t.Error("two hosts")
	}
}

func TestSocketPathTooLong(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", long)
	dir := t.TempDir()
	open(t, dir, jetstream.Session)
	if _, socket := lockText(t, dir); strings.HasPrefix(socket, long) {
		t.Errorf("socket %s", socket)
	}
}

func TestSocketFolderOfOthersIsNotUsed(t *testing.T) {
	run := t.TempDir()
	if err := os.Mkdir(filepath.Join(run, "mulligan"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(run, "mulligan"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", run)
	dir := t.TempDir()
	open(t, dir, jetstream.Session)
	if _, socket := lockText(t, dir); strings.HasPrefix(socket, run) {
		t.Errorf("socket %s is in a folder that everyone can write", socket)
	}
}

// Another user who has taken the folder's name in /tmp does not keep us from working.
func TestSocketFolderThatAnotherUserMade(t *testing.T) {
	temp, home := t.TempDir(), t.TempDir()
	taken := filepath.Join(temp, fmt.Sprintf("mulligan-%d", os.Getuid()))
	if err := os.Mkdir(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", temp)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", "")
	if err := jetstream.MakePrivateFolder(taken); err == nil {
		t.Errorf("%s is used", taken)
	}
	own := filepath.Join(home, ".cache", "mulligan-run")
	if !slices.Contains(jetstream.SocketFolders(t.TempDir()), own) {
		t.Fatalf("%s is not tried", own)
	}
	if err := jetstream.MakePrivateFolder(own); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// A folder whose path is too long for the sockets in it is passed over.
func TestRuntimeDirIsShort(t *testing.T) {
	temp := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", temp)
	folder, err := jetstream.RuntimeDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	if path := filepath.Join(folder, "door-4194304", "door"); len(path) > 100 {
		t.Errorf("%s has %d bytes", path, len(path))
	}
}

// A state folder that others could read is closed to them.
func TestStateFolderIsClosed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	open(t, dir, jetstream.Short)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestBadStateFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o770); err != nil {
		t.Fatal(err)
	}
	unwritable := t.TempDir()
	if err := os.Mkdir(filepath.Join(unwritable, "host.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, want string }{
		{"none", "", "no state folder"},
		{"a file", file, "is a file"},
		{"below a file", filepath.Join(file, "x"), "make the state folder"},
		{"writable by the group", shared, "chmod 0700"},
		{"no lock can be made", unwritable, "host.lock: is a directory"},
	}
	if os.Getuid() == 0 {
		foreign := t.TempDir()
		if err := os.Chown(foreign, 12345, -1); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, struct{ name, dir, want string }{"another's", foreign, "belongs to the user with the id 12345"})
	} else {
		readOnly := t.TempDir()
		if err := os.Chmod(readOnly, 0o500); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, struct{ name, dir, want string }{"read-only", readOnly, "the journal cannot be written"})
	}
	for _, tt := range tests {
		s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: tt.dir})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// holdLock takes the lock as another process would, and writes what is given into it.
func holdLock(t *testing.T, dir, text string) *os.File {
	t.Helper()
	path := filepath.Join(dir, "host.lock")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHolderThatDoesNotAnswerIsNamed(t *testing.T) {
	dir, holder := t.TempDir(), 1234
	holdLock(t, dir, fmt.Sprintf("%d\n%s\n", holder, filepath.Join(dir, "no.sock")))
	if runtime.GOOS == "linux" {
		holder = os.Getpid() // the system tells, whatever is written
	}
	_, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir, Wait: 50 * time.Millisecond})
	if want := fmt.Sprintf("the process %d holds the journal and does not answer", holder); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// A host that starts, or ends, is waited for.
func TestHolderIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	lock := holdLock(t, dir, "")
	time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
	if !open(t, dir, jetstream.Short).Hosting() {
		t.Error("not the host")
	}
}

func TestStaleSocketIsNoObstacle(t *testing.T) {
	dir := t.TempDir()
	s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	pid, socket := lockText(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(socket); err == nil {
		t.Error("the socket outlives its host")
	}
	// As a host that is killed leaves them.
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	if err := os.WriteFile(filepath.Join(dir, "host.lock"), []byte(pid+"\n"+socket+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !open(t, dir, jetstream.Session).Hosting() {
		t.Error("not the host")
	}
}
