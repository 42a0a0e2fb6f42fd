package process

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// A process that has ended is not alive, even if its parent has not waited for it yet.
func TestAlive(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !Alive(cmd.Process.Pid) || !Alive(os.Getpid()) {
		t.Error("a process that runs is not alive")
	}
	in.Close()
	for began := time.Now(); Alive(cmd.Process.Pid); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("a process that has ended is alive")
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if Alive(cmd.Process.Pid) || Alive(0) {
		t.Error("a process that is gone is alive")
	}
}
