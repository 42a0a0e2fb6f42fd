package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mulligan/internal/process"
)

// A reader gives the objects of a repository. The git that it asks stays.
type reader struct {
	git git
	c   *process.Conversation
	out *bufio.Reader
}

// An object is what a reader gives; its body is to be read before the next is asked for.
type object struct {
	id   string
	kind string
	size int64
	body io.Reader
}

// open asks for an object. A git that has died meanwhile is started once more.
func (r *reader) open(ctx context.Context, id string) (object, error) {
	had := r.c != nil
	head, err := r.ask(ctx, id)
	if err != nil && had {
		head, err = r.ask(ctx, id)
	}
	if err != nil {
		return object{}, fmt.Errorf("cannot read object %s: %w", id, err)
	}
	o := object{id: id}
	if _, err := fmt.Sscanf(head, id+" %s %d", &o.kind, &o.size); err != nil {
		return object{}, fmt.Errorf("cannot read object: %s", strings.TrimSpace(head))
	}
	o.body = io.LimitReader(r.out, o.size)
	return o, nil
}

func (r *reader) ask(ctx context.Context, id string) (string, error) {
	if r.c == nil {
		if err := r.start(ctx); err != nil {
			return "", err
		}
	}
	_, err := io.WriteString(r.c.Stdin, id+"\n")
	if err == nil {
		var head string
		if head, err = r.out.ReadString('\n'); err == nil {
			return head, nil
		}
	}
	return "", errors.Join(err, r.close())
}

func (r *reader) start(ctx context.Context) error {
	// It serves later calls too: the end of this one's context is not its own.
	c, err := r.git.tool([]string{"cat-file", "--batch"}).Converse(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	r.c, r.out = c, bufio.NewReaderSize(c.Stdout, 1<<16)
	return nil
}

// copy writes an object's body to dst.
func (r *reader) copy(ctx context.Context, id string, dst io.Writer) error {
	o, err := r.open(ctx, id)
	if err != nil {
		return err
	}
	return r.finish(o, dst)
}

// finish writes the body of an open object to dst.
func (r *reader) finish(o object, dst io.Writer) error {
	n, err := io.Copy(dst, o.body)
	if err == nil && n == o.size {
		_, err = r.out.Discard(1)
	} else if err == nil {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		// What is left of the answer would be taken for the next one.
		return errors.Join(fmt.Errorf("cannot read object %s: %w", o.id, err), r.close())
	}
	return nil
}

// bytes gives an object's body.
func (r *reader) bytes(ctx context.Context, id string) ([]byte, error) {
	var b bytes.Buffer
	err := r.copy(ctx, id, &b)
	return b.Bytes(), err
}

// close ends the git that stayed. How it ended is of no interest: it only ever reads.
func (r *reader) close() error {
	if r.c == nil {
		return nil
	}
	c := r.c
	r.c = nil
	c.Stdout.Close() // a body that nobody has read must not hold it up
	_ = c.Close()
	return nil
}
