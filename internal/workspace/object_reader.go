package workspace

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync/atomic"
	"time"

	"mulligan/internal/process"
)

// The lengths of ids in hex digits.
const (
	sha1Hex   = 2 * sha1.Size
	sha256Hex = 2 * sha256.Size
)

// An objectReader reads the objects of a repository, and sees that each has the content that its id is the
// hash of. It reads small loose ones itself, and those of our own packs, and keeps one git process running for the others.
// It is not safe for concurrent use.
type objectReader struct {
	git          git
	folder       string      // of the repository's objects; "": git is asked for all
	foreign      bool        // others write to the folder too: what a pack has is read as git reads it
	packs        *knownPacks // of our own; nil: none
	conversation *process.Conversation
	out          *bufio.Reader
	stop         context.CancelFunc // ends the process
	timer        *time.Timer        // calls stop when the process does not answer
	late         atomic.Bool        // it has
}

// An object is an opened object, whose body must be read with copyBody before the next is opened.
type object struct {
	id   string
	kind string
	size int64
	body io.Reader
	// known is set if the body was read without git, and is what the id is the hash of.
	known bool
}

// open returns an object. If the git process has died since the last call, it is started again.
func (r *objectReader) open(ctx context.Context, id string) (object, error) {
	if r.folder != "" && (!r.foreign || isOutsidePacks(r.folder, id)) {
		if kind, body, ok := readLoose(r.folder, id); ok {
			return object{id: id, kind: kind, size: int64(len(body)), body: bytes.NewReader(body), known: true}, nil
		}
	}
	if r.packs != nil {
		if kind, body, ok := r.packs.readPacked(id); ok {
			return object{id: id, kind: kind, size: int64(len(body)), body: bytes.NewReader(body), known: true}, nil
		}
	}
	had := r.conversation != nil
	head, err := r.requestObject(ctx, id)
	if err != nil && had && !r.late.Load() {
		head, err = r.requestObject(ctx, id)
	}
	if err != nil {
		return object{}, r.explain(id, err)
	}
	o := object{id: id}
	if _, err := fmt.Sscanf(head, id+" %s %d", &o.kind, &o.size); err != nil {
		return object{}, &MissingError{ID: id, Repository: r.git.dir, Own: r.git.folder == nil}
	}
	o.body = io.LimitReader(r.out, o.size)
	return o, nil
}

// explain returns the error of a reading that failed.
func (r *objectReader) explain(id string, err error) error {
	if r.late.Load() {
		err = &LimitError{Command: "cat-file", Dir: r.git.dir, Limit: r.limit()}
	}
	return fmt.Errorf("cannot read object %s: %w", id, err)
}

// limit returns how long the process may be silent.
func (r *objectReader) limit() time.Duration { return cmp.Or(r.git.limit, gitLimit) }

// requestObject asks git for an object and returns the first line of its answer. After an error the
// process is closed.
func (r *objectReader) requestObject(ctx context.Context, id string) (string, error) {
	if r.conversation == nil {
		if err := r.start(ctx); err != nil {
			return "", err
		}
	}
	r.timer.Reset(r.limit())
	defer r.timer.Stop()
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
	t, err := r.git.newTool([]string{"cat-file", "--batch"})
	if err != nil {
		return err
	}
	// The process serves later calls too, so it must outlive this call's context.
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	c, err := t.Converse(ctx)
	if err != nil {
		r.stop()
		return err
	}
	r.conversation, r.out = c, bufio.NewReaderSize(c.Stdout, 1<<16)
	r.late.Store(false)
	stop := r.stop
	r.timer = time.AfterFunc(r.limit(), func() { r.late.Store(true); stop() })
	r.timer.Stop()
	return nil
}

// copyObject writes an object's body to dst. What it has written counts only if it returns nil: the error is a
// *ForgedError if the body is not the one that the id is the hash of.
func (r *objectReader) copyObject(ctx context.Context, id string, dst io.Writer) error {
	o, err := r.open(ctx, id)
	if err != nil {
		return err
	}
	return r.copyBody(o, dst)
}

// copyBody is copyObject for an open object.
func (r *objectReader) copyBody(o object, dst io.Writer) error {
	if o.known {
		_, err := io.Copy(dst, o.body)
		return err
	}
	h := newObjectHash(o.id)
	h.Write(objectHeader(o.kind, o.size))
	n, err := io.Copy(io.MultiWriter(dst, h), timedReader{o.body, r})
	switch {
	case err == nil && n == o.size:
		_, err = r.out.Discard(1)
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		r.close() // what is left of the answer would be taken for the next one
		return r.explain(o.id, err)
	}
	if hex.EncodeToString(h.Sum(nil)) != o.id {
		return &ForgedError{ID: o.id, Repository: r.git.dir, Own: r.git.folder == nil}
	}
	return nil
}

// newObjectHash returns the hash function that a repository with such ids has.
func newObjectHash(id string) hash.Hash {
	if len(id) == sha256Hex {
		return sha256.New()
	}
	return sha1.New()
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
		r.timer.Stop()
		c.Stdout.Close() // or an unread body would block it
		r.stop()
		_ = c.Close()
	}
}

// A timedReader reads the body of an object, and stops the process if it is silent for too long.
type timedReader struct {
	body io.Reader
	of   *objectReader
}

func (t timedReader) Read(p []byte) (int, error) {
	t.of.timer.Reset(t.of.limit())
	defer t.of.timer.Stop()
	return t.body.Read(p)
}
