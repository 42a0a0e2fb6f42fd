package feedback

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// F5: what is kept does not grow with the output.
func TestBoundedMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		pattern string
		size    int
	}{
		{"log", "2026-01-05 10:00:%02d worker %d took a job from the queue and finished it\n", 64 << 20},
		{"no newline", "%02d%d.", 20 << 20},
		{"go test", "=== RUN   TestCase%02d_%d\n    a_test.go:1: x\n", 8 << 20},
		{"go failures", "--- FAIL: TestCase%02d/%d (0.00s)\n    a_test.go:1: x\n", 8 << 20},
		{"go json", `{"Time":"x","Action":"output","Package":"p%02d","Test":"T%d","Output":"--- FAIL: T (0s)\n"}` + "\n", 8 << 20},
		{"errors", "src/file%02d.c:%d:1: error: no\n", 8 << 20},
		{"pytest", "=== FAILURES ===\n____ test_%02d_%d ____\nE  no\n", 8 << 20},
		{"jest", "FAIL a%02d.js\n  ● a › %d\n\n  no\n", 8 << 20},
		{"vitest", " FAIL  a%02d.ts > %d\nError: no\n", 8 << 20},
		{"colours", "\x1b[3%02dm\x1b]0;%d\atext", 8 << 20},
		{"progress", "%02d%%\r%d%%\r", 8 << 20},
		{"stray escape", "\x1b]%02d%d", 8 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.size /= 10
			}
			block := generate(c.pattern)
			d := NewDistiller(0)
			before := heap()
			for n := 0; n < c.size; n += len(block) {
				_, _ = d.Write(block)
			}
			if grown := heap() - before; grown > readEnd+8<<20 {
				t.Errorf("%d bytes are kept of %d", grown, c.size)
			}
			if n := utf8.RuneCountInString(d.Finish("").Text); n > DefaultLimit {
				t.Errorf("%d characters", n)
			}
		})
	}
}

// F5: a JSON document on one line, with findings that have no file's name, is not kept until that comes.
func TestBoundedMemoryOfJSON(t *testing.T) {
	block := generate(`{"about":"x%02d","messages":[{"ruleId":"r","severity":2,"message":"m%d","line":3}]},`)
	d := NewDistiller(0)
	_, _ = d.Write([]byte("["))
	before := heap()
	for range 20 {
		_, _ = d.Write(block)
	}
	if grown := heap() - before; grown > readEnd+2<<20 {
		t.Errorf("%d bytes are kept of %d", grown, 20*len(block))
	}
	if n := utf8.RuneCountInString(d.Finish("").Text); n > DefaultLimit {
		t.Errorf("%d characters", n)
	}
}

func generate(pattern string) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, pattern, i%60, i)
	}
	return b.Bytes()
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkDistiller(b *testing.B) {
	for _, c := range []struct{ name, pattern string }{
		{"short lines", "compiled unit %02d of %d\n"},
		{"go test -v", "=== RUN   TestCase%02d\n--- PASS: TestCase%d (0.00s)\n"},
		{"log lines", "2026-01-05 10:00:%02d info worker %d took a job from the queue and finished it in 12 ms without errors\n"},
		{"long lines", "%02d %d " + strings.Repeat("all work and no play makes a dull line ", 50) + "\n"},
		{"wide lines", "✓ %02d прошло %d мс\n"},
		{"coloured lines", "\x1b[32mok\x1b[0m %02d passed in %d ms\n"},
		{"go test -json", `{"Time":"2026-01-05T10:00:00Z","Action":"output","Package":"p%02d","Test":"T%d","Output":"    text\n"}` + "\n"},
	} {
		block := generate(c.pattern)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(block)))
			d := NewDistiller(0)
			for b.Loop() {
				for rest := block; len(rest) > 0; { // as a pipe gives it
					n := min(32<<10, len(rest))
					_, _ = d.Write(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}
