package redact

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReaderIsAsString(t *testing.T) {
	r := New(someEnviron)
	text := strings.Join(morsels, " ")
	for name, from := range map[string]io.Reader{
		"whole":     strings.NewReader(text),
		"bytes":     iotest.OneByteReader(strings.NewReader(text)),
		"halves":    iotest.HalfReader(strings.NewReader(text)),
		"data, EOF": iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(r.Reader(from))
		if err != nil || string(got) != r.String(text) {
			t.Errorf("%s: %v: got %q", name, err, got)
		}
	}
	broken := errors.New("broken")
	got, err := io.ReadAll(r.Reader(io.MultiReader(strings.NewReader("ends with sk-"), iotest.ErrReader(broken))))
	if string(got) != "ends with sk-" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
}
