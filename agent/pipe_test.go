package agent

import (
	"io"
	"strings"
	"testing"
)

func TestPipeNeverWaitsForTheReader(t *testing.T) {
	p := NewPipe()
	want := strings.Repeat("what we say ", 100_000)
	if n, err := io.WriteString(p, want); n != len(want) || err != nil {
		t.Fatal(n, err)
	}
	p.Close()
	if got, err := io.ReadAll(p); err != nil || string(got) != want {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
	if _, err := io.WriteString(p, "x"); err != io.ErrClosedPipe {
		t.Errorf("after the end: %v", err)
	}

	p = NewPipe()
	go func() {
		io.WriteString(p, "later")
		p.Close()
	}()
	if got, _ := io.ReadAll(p); string(got) != "later" {
		t.Errorf("%q", got)
	}
}
