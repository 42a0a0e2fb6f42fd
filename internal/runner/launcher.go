package runner

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"mulligan/internal/environ"
	"mulligan/internal/protocol"
)

// A Launcher is the process that started this one to run a session. The zero value is none: what is
// sent to it is dropped.
type Launcher struct {
	file    *os.File
	watches bool // it shows the session to a person
	env     *environ.Env
	report  func(w io.Writer, err error) int
}

// OpenLauncher returns the launcher that the environment names, once: it takes the variable out of
// the environment, which children inherit. report is as of Config.
func OpenLauncher(env *environ.Env, report func(w io.Writer, err error) int) Launcher {
	number, mode, _ := strings.Cut(env.Getenv(protocol.LauncherVariable), " ")
	fd, err := strconv.Atoi(number)
	if err != nil {
		return Launcher{}
	}
	env.Environ = slices.DeleteFunc(slices.Clone(env.Environ), func(kv string) bool {
		return strings.HasPrefix(kv, protocol.LauncherVariable+"=")
	})
	return Launcher{file: os.NewFile(uintptr(fd), "ready"), watches: mode == protocol.LauncherWatches, env: env, report: report}
}

// isOpen reports whether there is a launcher.
func (l Launcher) isOpen() bool { return l.file != nil }

// send writes a line to the launcher, if there is one.
func (l Launcher) send(n protocol.News) {
	if !l.isOpen() {
		return
	}
	line, _ := json.Marshal(n)
	l.file.Write(append(line, '\n')) // a launcher that has gone does not matter
}

// SendExit tells the launcher how this process ends, and closes the line to it.
func (l Launcher) SendExit(err error) {
	if !l.isOpen() {
		return
	}
	var words strings.Builder
	code := l.report(&words, err)
	l.send(protocol.News{Exit: &code, Error: l.env.Secrets.String(words.String())})
	l.file.Close()
}
