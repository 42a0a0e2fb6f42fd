//go:build unix

package process

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

func BenchmarkRun(b *testing.B) {
	p := newPool(b)
	for b.Loop() {
		if exit, err := p.Run(b.Context(), Spec{Argv: []string{"true"}}); err != nil || !exit.OK() {
			b.Fatal(exit, err)
		}
	}
}

func BenchmarkBare(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

const floodSize = 1 << 30

func BenchmarkFlood(b *testing.B) {
	p := newPool(b)
	b.SetBytes(floodSize)
	for b.Loop() {
		kept := NewHeadTail(64<<10, 64<<10)
		if exit, err := p.Run(b.Context(), Spec{Argv: self("flood", strconv.Itoa(floodSize)), Stdout: kept}); err != nil || !exit.OK() {
			b.Fatal(exit, err)
		}
	}
}

func BenchmarkFloodBare(b *testing.B) {
	b.SetBytes(floodSize)
	for b.Loop() {
		argv := self("flood", strconv.Itoa(floodSize))
		cmd := exec.Command(argv[0], argv[1:]...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFloodCat is what `flood | cat >/dev/null` takes.
func BenchmarkFloodCat(b *testing.B) {
	b.SetBytes(floodSize)
	for b.Loop() {
		argv := self("flood", strconv.Itoa(floodSize))
		if err := exec.Command("/bin/sh", "-c", argv[0]+" act flood "+argv[3]+" | cat >/dev/null").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// What every command of a person's, and every caller of the journal, costs before it begins.
func BenchmarkBelowAgent(b *testing.B) {
	environ := os.Environ()
	for b.Loop() {
		IdentifySelf(environ, "")
	}
}
