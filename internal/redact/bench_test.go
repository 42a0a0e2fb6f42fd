package redact

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func environOf(n int) []string {
	var environ []string
	for i := range n {
		environ = append(environ, fmt.Sprintf("SERVICE_%d_TOKEN=%c%c%s%d", i, 'a'+i%26, 'q'-i%13, fill(24), i))
	}
	return environ
}

// BenchmarkWriter is what every byte that a child prints goes through.
func BenchmarkWriter(b *testing.B) {
	const size = 1 << 20
	log := `--- FAIL: TestAdd (0.00s)
    calc_test.go:12: got 3, want 4; see https://go.dev/doc/ and the author's notes // with "quotes"
ok  	example.com/internal/journal/jetstream	1.204s
2026-01-02T15:04:05.000Z INFO  request handled path=/api/v1/users/550e8400-e29b-41d4-a716-446655440000 status=200 sha=2ccab70e0a1b2c3d4e5f60718293a4b5c6d7e8f9
func (s *Session) flush(ctx context.Context) error { if len(s.batch) == 0 { return nil } }
`
	for _, test := range []struct {
		name    string
		text    string
		environ int
	}{
		{"clean log", log, 20},
		{"clean log, 200 variables", log, 200},
		{"one long line", strings.Repeat("0123456789abcdef", 1000), 20},
		{"dashes", strings.Repeat("-", 79) + "\n", 20},
		{"a secret each 10 lines", strings.Repeat(log, 2) + "token " + strings.TrimPrefix(environOf(20)[7], "SERVICE_7_TOKEN=") + "\n", 20},
		{"secrets only", "ghp_" + fill(36) + "\n" + strings.TrimPrefix(environOf(20)[7], "SERVICE_7_TOKEN=") + "\n", 20},
	} {
		b.Run(test.name, func(b *testing.B) {
			r := New(environOf(test.environ))
			text := []byte(strings.Repeat(test.text, size/len(test.text)+1)[:size])
			b.SetBytes(size)
			for b.Loop() {
				w := r.Writer(io.Discard)
				for rest := text; len(rest) > 0; rest = rest[min(32<<10, len(rest)):] {
					w.Write(rest[:min(32<<10, len(rest))])
				}
				w.Close()
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	environ := environOf(10)
	for b.Loop() {
		New(environ)
	}
}
