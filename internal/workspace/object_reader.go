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

// A objectReader gives the objects of a repository. The git that it asks stays.
type objectReader struct {
	git          git
	conversation *process.Conversation
	out          *bufio.Reader
}

// An object is what a reader gives; its body is to be read before the next is asked for.
type object struct {
	id   string
	kind string
	size int64
	body io.Reader
}

// open asks for an object. A git that has died meanwhile is started once more.
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

func (r *objectReader) requestObject(ctx context.Context, id string) (string, error) {
	if r.conversation == nil {
		if err := r.start(ctx); err != nil {
			return "", err
		}
	}
	_, err := io.WriteString(r.conversation.Stdin, id+"\n")
	if err == nil {
		var head string
		if head, err = r.out.ReadString('\n'); err == nil {
			return head, nil
		}
	}
	return "", errors.Join(err, r.close())
}

func (r *objectReader) start(ctx context.Context) error {
	// It serves later calls too: the end of this one's context is not its own.
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
		// What is left of the answer would be taken for the next one.
		return errors.Join(fmt.Errorf("cannot read object %s: %w", o.id, err), r.close())
	}
	return nil
}

// readObject gives an object's body.
func (r *objectReader) readObject(ctx context.Context, id string) ([]byte, error) {
	var b bytes.Buffer
	err := r.copyObject(ctx, id, &b)
	return b.Bytes(), err
}

// close ends the git that stayed. How it ended is of no interest: it only ever reads.
func (r *objectReader) close() error {
	if r.conversation == nil {
		return nil
	}
	c := r.conversation
	r.conversation = nil
	c.Stdout.Close() // a body that nobody has read must not hold it up
	_ = c.Close()
	return nil
}
