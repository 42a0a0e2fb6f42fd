package workspace

import (
	"context"
	"io"
)

// stream runs a command and gives its output to read while git writes it. After read has returned, git is
// stopped if it has more to say. readErr is what read returned, and err how git ended.
func (g git) stream(ctx context.Context, read func(io.Reader) error, args ...string) (readErr, err error) {
	t, err := g.newTool(args)
	if err != nil {
		return nil, err
	}
	limit := g.limitOf(args)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !g.startsFilters(args) {
		c, err := t.Converse(limited)
		if err != nil {
			return nil, err
		}
		readErr = read(c.Stdout)
		err = c.Close()
		if ctx.Err() == nil && limited.Err() != nil {
			err = &LimitError{Command: commandName(args), Dir: g.dir, Limit: limit}
		}
		return readErr, err
	}
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := g.filters.copy(limited, t, in, limit)
		in.Close()
		ended <- err
	}()
	readErr = read(out)
	out.Close()
	return readErr, <-ended
}
