//go:build unix

package process

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Ctrl-C is for mulligan to hear. A tool that is only just being forked is in our process group still,
// so the signal reaches it too, and must not end it.
func TestStartedUnderInterrupts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux starts a thread's children with signals blocked")
	}
	out, err := Tool{Argv: []string{os.Args[0], "act", "interrupted"}}.Output(context.Background())
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestKeeperInterrupted is the same for a keeper, which the signal does end: another takes its place.
func TestKeeperInterrupted(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "keeper")
	// The first two: one of them is the pool's spare.
	text := "#!/bin/sh\nmkdir " + dir + "/hit || mkdir " + dir + "/again && kill -INT $$\nexec " + os.Args[0] + " keeper\n"
	must(os.WriteFile(script, []byte(text), 0o700))
	pool := NewPool(PoolOptions{Executable: script, Env: os.Environ()})
	defer pool.Close()
	exit, err := pool.Run(context.Background(), Spec{Argv: []string{"true"}})
	if err != nil || exit.Code != 0 {
		t.Errorf("%+v, %v", exit, err)
	}
}

// actInterrupted starts tools while somebody leans on Ctrl-C.
func actInterrupted() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT)
	<-interrupting(caught)
	for range 200 {
		_, err := Tool{Argv: []string{"true"}}.Output(context.Background())
		must(err)
	}
}

// interrupting sends interrupts to our process group until the process ends; its result is closed
// when the first was caught.
func interrupting(caught <-chan os.Signal) <-chan struct{} {
	begun := make(chan struct{})
	go func() {
		for {
			must(syscall.Kill(0, syscall.SIGINT))
		}
	}()
	go func() {
		<-caught
		close(begun)
	}()
	return begun
}
