package processtest

import (
	"os"
	"os/signal"
	"syscall"
)

// Lead runs a program in the foreground of our own terminal, as a person's shell does, and returns the
// exit code that a shell would set.
func Lead(tty *os.File, path string, argv, env []string) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	child, err := os.StartProcess(path, argv, &os.ProcAttr{Env: env, Files: []*os.File{tty, tty, tty}})
	if err != nil {
		return 0, err
	}
	go func() {
		for sig := range signals {
			if sig == syscall.SIGHUP { // the terminal has sent the others to it already
				child.Signal(sig)
			}
		}
	}()
	state, err := child.Wait()
	if err != nil {
		return 0, err
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return state.ExitCode(), nil
}

// OwnTerminal starts a session whose terminal is the one of that name, and opens it.
func OwnTerminal(name string) (*os.File, error) {
	if _, err := syscall.Setsid(); err != nil {
		return nil, err
	}
	// The first terminal that a session's leader opens becomes the session's.
	return os.OpenFile(name, os.O_RDWR, 0)
}
