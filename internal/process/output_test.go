package process

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHeadTail(t *testing.T) {
	for _, tc := range []struct {
		name       string
		head, tail int
		in, want   string
	}{
		{"nothing", 4, 4, "", ""},
		{"fits the head", 4, 4, "abc", "abc"},
		{"fits both", 4, 4, "abcdefgh", "abcdefgh"},
		{"one too many", 4, 4, "abcdefghi", "abcd\n[1 bytes cut]\nfghi"},
		{"many", 4, 4, strings.Repeat("x", 1000) + "wxyz", "xxxx\n[996 bytes cut]\nwxyz"},
		{"no head", 0, 3, "abcdef", "\n[3 bytes cut]\ndef"},
		{"no tail", 3, 0, "abcdef", "abc\n[3 bytes cut]\n"},
		{"only counts", 0, 0, "abc", "\n[3 bytes cut]\n"},
		{"no half characters", 4, 4, "abcé" + strings.Repeat("-", 9) + "éxyz", "abc\n[13 bytes cut]\nxyz"},
		{"whole characters stay", 5, 5, "abcé" + strings.Repeat("-", 9) + "éxyz", "abcé\n[9 bytes cut]\néxyz"},
	} {
		for _, chunk := range []int{1, 2, 3, 7, 5000} {
			h := NewHeadTail(tc.head, tc.tail)
			for in := tc.in; in != ""; {
				n := min(chunk, len(in))
				h.Write([]byte(in[:n]))
				in = in[n:]
			}
			if got := h.String(); got != tc.want || h.Size() != int64(len(tc.in)) {
				t.Errorf("%s by %d: got %q of %d, want %q of %d", tc.name, chunk, got, h.Size(), tc.want, len(tc.in))
			}
		}
	}
}

func TestSink(t *testing.T) {
	path := t.TempDir() + "/out"
	var also bytes.Buffer
	kept := NewHeadTail(2, 2)
	s, err := NewSink(path, 0, &also, nil, kept)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.Write([]byte("abc"))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	file, err := os.ReadFile(path)
	if err != nil || string(file) != "abcabcabc" || also.String() != "abcabcabc" {
		t.Errorf("file %q, also %q, %v", file, also.String(), err)
	}
	if got := kept.String(); got != "ab\n[5 bytes cut]\nbc" {
		t.Errorf("kept %q", got)
	}
}

func TestSinkGoesOnWhenAWriterFails(t *testing.T) {
	path := t.TempDir() + "/out"
	full := errors.New("disk full")
	var fine bytes.Buffer
	kept := NewHeadTail(100, 0)
	s, err := NewSink(path, 0, iotest.TruncateWriter(&bytes.Buffer{}, 2), brokenWriter{full}, &fine, kept)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n, err := s.Write([]byte("abc")); n != 3 || err != nil {
			t.Errorf("the child would be held up: %d, %v", n, err)
		}
	}
	err = s.Close()
	if !errors.Is(err, full) || strings.Count(err.Error(), "disk full") != 1 {
		t.Errorf("told %v, not once", err)
	}
	if fine.String() != "abcabcabc" || kept.String() != "abcabcabc" {
		t.Errorf("others got %q, kept %q", fine.String(), kept.String())
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestSinkWithoutAFolder(t *testing.T) {
	if _, err := NewSink(t.TempDir()+"/gone/out", 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestExitString(t *testing.T) {
	for want, e := range map[string]Exit{
		"exit status 0":  {},
		"exit status 2":  {Code: 2},
		"signal: killed": {Code: -1, Signal: "killed"},
		"signal: segmentation fault (core dumped)": {Code: -1, Signal: "segmentation fault", Core: true},
		"timed out after 10m0s":                    {Code: -1, Signal: "killed", TimedOut: true, Limit: 600e9},
		"silent for 10m0s":                         {IdledOut: true, Limit: 600e9},
		"cancelled":                                {Cancelled: true},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if e.OK() != (want == "exit status 0") {
			t.Errorf("%s: ok %v", want, e.OK())
		}
	}
}
