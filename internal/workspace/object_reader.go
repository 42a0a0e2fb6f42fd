package workspace

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"mulligan/internal/process"
)

// An objectReader reads the objects of a repository. It keeps one git process running for that. It is
// not safe for concurrent use.
type objectReader struct {
	git          git
	conversation *process.Conversation
	out          *bufio.Reader
}

// An object is an opened object, whose body must be read with copyBody before the next is opened.
type object struct {
	id   string
	kind string
	size int64
	body io.Reader
}

// open returns an object. If the git process has died since the last call, it is started again.
func (r *objectReader) open(ctx context.Context, id string) (object, error) {
	had := r.conversation != nil
	head, err := r.requestObject(ctx, id)
	if err != nil && had {
		head, err = r.requestObject(ctx, id)
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

// requestObject asks git for an object and returns the first line of its answer. After an error the
// process is closed.
func (r *objectReader) requestObject(ctx context.Context, id string) (string, error) {
	if r.conversation == nil {
		if err := r.start(ctx); err != nil {
			return "", err
		}
	}
	var head string
	_, err := io.WriteString(r.conversation.Stdin, id+"\n")
	if err == nil {
		head, err = r.out.ReadString('\n')
	}
	if err != nil {
		r.close()
	}
	return head, err
}

func (r *objectReader) start(ctx context.Context) error {
	// The process serves later calls too, so it must outlive this call's context.
	c, err := r.git.newTool([]string{"cat-file", "--batch"}).Converse(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	r.conversation, r.out = c, bufio.NewReaderSize(c.Stdout, 1<<16)
	return nil
}

// copyObject writes an object's body to dst.
func (r *objectReader) copyObject(ctx context.Context, id string, dst io.Writer) error {
	o, err := r.open(ctx, id)
	if err != nil {
		return err
	}
	return r.copyBody(o, dst)
}

// copyBody writes the body of an open object to dst.
func (r *objectReader) copyBody(o object, dst io.Writer) error {
	n, err := io.Copy(dst, o.body)
	if err == nil && n == o.size {
		_, err = r.out.Discard(1)
	} else if err == nil {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		r.close() // what is left of the answer would be taken for the next one
		return fmt.Errorf("cannot read object %s: %w", o.id, err)
	}
	return nil
}

// readObject returns an object's body.
func (r *objectReader) readObject(ctx context.Context, id string) ([]byte, error) {
	var b bytes.Buffer
	err := r.copyObject(ctx, id, &b)
	return b.Bytes(), err
}

// close ends the git process. How it ends does not matter, since it only reads.
func (r *objectReader) close() {
	if c := r.conversation; c != nil {
		r.conversation = nil
		c.Stdout.Close() // or an unread body would block it
		_ = c.Close()
	}
}
