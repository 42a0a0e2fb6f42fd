package process

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// KeepAwake keeps the machine from sleeping until release is called. It does nothing on a system that
// offers no program for it.
func KeepAwake(p *Pool, why string) (release func()) {
	argv := awakeCommand(runtime.GOOS, why, os.Getpid())
	if argv == nil {
		return func() {}
	}
	if _, err := Find(argv[0], "/", os.Environ()); err != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		p.Run(ctx, Spec{Argv: argv, Dir: "/", Grace: time.Second}) // a failure is no reason to stop: the machine may just sleep
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// awakeCommand returns the command that keeps the machine awake while it runs, or nil if there is none.
func awakeCommand(system, why string, pid int) []string {
	switch system {
	case "darwin":
		return []string{"caffeinate", "-i", "-w", strconv.Itoa(pid)}
	case "linux":
		if _, err := os.Stat("/run/systemd/system"); err != nil {
			return nil // systemd-inhibit may be installed, but no systemd runs
		}
		return []string{
			"systemd-inhibit", "--what=idle:sleep", "--who=mulligan", "--why=" + why, "--mode=block",
			"sleep", "infinity",
		}
	}
	return nil
}
