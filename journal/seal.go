package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"

	"mulligan"
	"mulligan/internal/durable"
)

// A seal is the last line of a sealed session's file.
type seal struct {
	Sealed *Sealed `json:"sealed"`
}

// Seal writes a session's events, all of them from the first, into a file of their own. After the
// last event it calls end, which returns the id of the frame that the events end with and the source
// that they came from. The file and its line in the index are on the disk when Seal returns.
func (a *Archive) Seal(summary mulligan.Summary, end func() (frame string, from Source), events iter.Seq2[mulligan.Event, error]) (Sealed, error) {
	s := Sealed{Summary: summary}
	if err := a.RepairIndex(); err != nil {
		return s, err
	}
	err := durable.Write(a.Path(summary.ID), func(w io.Writer) error { return s.writeEvents(w, end, events) })
	if err != nil {
		return s, err
	}
	return s, a.addToIndex(s)
}

// writeEvents writes the events and, as the last line, the seal, and fills s in.
func (s *Sealed) writeEvents(w io.Writer, end func() (string, Source), events iter.Seq2[mulligan.Event, error]) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	zip := gzip.NewWriter(buffered)
	sum := sha256.New()
	for e, err := range events {
		if err != nil {
			return err
		}
		line, err := Encode(e)
		if err != nil {
			return err
		}
		if s.Events++; e.Number != s.Events {
			return &mulligan.GapError{Session: s.Summary.ID, Want: s.Events, Got: e.Number}
		}
		line = append(line, '\n')
		sum.Write(line)
		if _, err := zip.Write(line); err != nil {
			return err
		}
	}
	s.SHA256, s.Summary.Events = hex.EncodeToString(sum.Sum(nil)), s.Events
	s.Frame, s.Source = end()
	last, err := marshalReadable(seal{s})
	if err != nil {
		return err
	}
	_, err = zip.Write(append(last, '\n'))
	return errors.Join(err, zip.Close(), buffered.Flush())
}

// Verify reads a sealed session's file and compares it with its hash.
func (a *Archive) Verify(session string) (Sealed, error) { return verifyFile(a.Path(session)) }

// verifyFile returns the seal of a file whose lines match it.
func verifyFile(path string) (Sealed, error) {
	var s Sealed
	sum := sha256.New()
	lines := int64(0)
	err := eachLine(path, func(line []byte, last bool) error {
		if !last {
			lines++
			sum.Write(line)
			return nil
		}
		return s.checkSeal(line, lines, sum)
	})
	if err == nil && s.SHA256 == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return s, fmt.Errorf("the sealed session %s is damaged: %w", path, err)
	}
	return s, nil
}

// checkSeal reads the seal and compares it with the lines before it.
func (s *Sealed) checkSeal(last []byte, lines int64, sum hash.Hash) error {
	if err := json.Unmarshal(last, &seal{s}); err != nil {
		return fmt.Errorf("its last line is no seal: %w", err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); s.SHA256 != got || s.Events != lines {
		return fmt.Errorf("it has %d events with the hash %.12s, and its seal says %d with %.12s", lines, got, s.Events, s.SHA256)
	}
	return nil
}

// Read calls give with the events of a sealed session from a number on, in order. It reads the file
// twice, so that it gives no event of one that is damaged.
func (a *Archive) Read(session string, from int64, give func(mulligan.Event) error) error {
	path := a.Path(session)
	if _, err := verifyFile(path); err != nil {
		return &DamageError{Session: session, Number: 1, Err: err}
	}
	number := int64(0)
	return eachLine(path, func(line []byte, last bool) error {
		if number++; last || number < from {
			return nil
		}
		e, err := Decode(bytes.TrimSuffix(line, []byte{'\n'}))
		if err != nil {
			return &DamageError{Session: session, Number: number, Err: err}
		}
		return give(e)
	})
}

// eachLine calls do with each line of a compressed file, and reports whether it is the last.
func eachLine(path string, do func(line []byte, last bool) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(bufio.NewReaderSize(f, 64<<10))
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(zip, 64<<10)
	line, err := r.ReadBytes('\n')
	for err == nil {
		var next []byte
		next, err = r.ReadBytes('\n')
		if err != nil && (err != io.EOF || len(next) > 0) {
			break
		}
		if doErr := do(line, err == io.EOF); doErr != nil {
			return doErr
		}
		line = next
	}
	if err == io.EOF && len(line) == 0 {
		return nil
	}
	return fmt.Errorf("it ends in the middle: %w", errors.Join(io.ErrUnexpectedEOF, err))
}
