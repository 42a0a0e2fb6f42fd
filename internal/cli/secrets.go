package cli

import (
	"io"
	"slices"

	"mulligan/internal/redact"
)

// conceal keeps secrets out of all that the command writes. The function that it gives
// writes what is held back.
func (a *App) conceal() func() {
	a.secrets = redact.New(slices.Concat(a.Environ, []string{"PWD=" + a.Dir}))
	out, errs := a.secrets.Writer(a.Stdout), a.secrets.Writer(a.Stderr)
	a.screen, a.Stdout, a.Stderr = a.Stdout, out, errs
	return func() {
		out.Close()
		errs.Close()
	}
}

// filter keeps secrets out of what a child prints.
func (a *App) filter(w io.Writer) io.WriteCloser { return a.secrets.Writer(w) }
