package redact

import (
	"bytes"
	"io"
)

// Reader returns a reader of the same text without its secrets.
func (r *Redactor) Reader(from io.Reader) io.Reader {
	f := &reader{from: from, piece: make([]byte, pieceSize)}
	f.filter = r.Writer(&f.clean)
	return f
}

type reader struct {
	from   io.Reader
	filter *Writer
	clean  bytes.Buffer
	piece  []byte
	err    error
}

func (f *reader) Read(p []byte) (int, error) {
	for f.clean.Len() == 0 && f.err == nil {
		var n int
		n, f.err = f.from.Read(f.piece)
		f.filter.Write(f.piece[:n]) // a buffer takes everything
		if f.err != nil {
			f.filter.Close()
		}
	}
	if f.clean.Len() == 0 {
		return 0, f.err
	}
	return f.clean.Read(p)
}
