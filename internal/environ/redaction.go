package environ

import (
	"io"
	"slices"

	"mulligan/internal/redact"
)

// RedactOutput keeps secrets out of everything that the command writes to its streams. flush
// writes what the filters hold back, and must be called at the command's end.
func (e *Env) RedactOutput() (flush func()) {
	e.Secrets = redact.New(slices.Concat(e.Environ, []string{"PWD=" + e.Dir}))
	out, errs := e.Secrets.Writer(e.Stdout), e.Secrets.Writer(e.Stderr)
	e.Screen, e.Stdout, e.Stderr = e.Stdout, out, errs
	return func() {
		out.Close()
		errs.Close()
	}
}

// Filter returns a writer that keeps secrets out of what a child prints to w.
func (e *Env) Filter(w io.Writer) io.WriteCloser { return e.Secrets.Writer(w) }
