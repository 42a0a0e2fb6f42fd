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
	"time"
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
	must(os.WriteFile(script, []byte("#!/bin/sh\nmkdir "+dir+"/hit && kill -INT $$\n"), 0o700))
	pool := NewPool(PoolOptions{Program: script, Env: os.Environ()})
	exit, err := pool.Run(context.Background(), Spec{Argv: []string{"true"}})
	if err != nil || exit.Code != 0 {
		t.Errorf("%+v, %v", exit, err)
	}
}

// actInterrupted starts tools while Ctrl-C is held down.
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

// TestToolTidiesUp: a git that is killed leaves its locks; one that is asked to end takes them away.
func TestToolTidiesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lock := filepath.Join(t.TempDir(), "index.lock")
	text := "trap 'rm " + lock + "; exit 1' TERM; touch " + lock + "; while :; do sleep 0.01; done"
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(lock); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := (Tool{Argv: []string{"sh", "-c", text}, Tidy: true}).Output(ctx); err == nil {
		t.Error("it was not ended")
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("its lock is still there")
	}
}

// heardLate is a context that ends only when a child of ours has ended already, by the same signal.
type heardLate struct {
	context.Context
	cancel context.CancelFunc
	looks  int
}

func (h *heardLate) Done() <-chan struct{} {
	if h.looks++; h.looks == 2 {
		h.cancel()
	}
	return h.Context.Done()
}

// TestStoppedTogether: who stops a service asks all of its processes to end. That the child has heard it
// first is not a failure of the child's; without a signal to us it is.
func TestStoppedTogether(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for _, text := range []string{"kill -TERM $$", "kill -INT $$", "exit 143"} {
		within, cancel := context.WithCancel(t.Context())
		exit, err := p.Run(&heardLate{Context: within, cancel: cancel}, Spec{Argv: shell(text)})
		if err != nil || !exit.Cancelled {
			t.Errorf("%s: %+v, %v", text, exit, err)
		}
		cancel()
	}
	if exit, err := p.Run(t.Context(), Spec{Argv: shell("kill -TERM $$")}); err != nil || exit.Cancelled || exit.Signal != "terminated" {
		t.Errorf("%+v, %v", exit, err)
	}
}
