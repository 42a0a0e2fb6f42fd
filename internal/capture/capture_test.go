package capture

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/feedback"
	"mulligan/internal/redact"
)

// TestEverybodyGetsTheSame: the file, the watcher and the text have what was written, clean
// of secrets, and what the filter held back at the end is not lost.
func TestEverybodyGetsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output.txt")
	r := redact.New([]string{"MY_TOKEN=planted-value-0123"})
	var live bytes.Buffer
	out := New(Options{Path: path, Live: &live, Filter: func(w io.Writer) io.WriteCloser { return r.Writer(w) }})
	for _, piece := range []string{"it is planted-", "value-0123\n", "ends with sk-"} {
		if n, err := io.WriteString(out, piece); n != len(piece) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	e := out.Finish()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = "it is [secret:MY_TOKEN]\nends with sk-"
	for name, got := range map[string]string{"file": string(whole), "live": live.String(), "text": e.Text} {
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if e.Whole != path || e.Note != "" || e.Bytes != int64(len(want)) {
		t.Errorf("%+v", e)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWatcherThatFailsChangesNothing(t *testing.T) {
	out := New(Options{Live: failing{}})
	if n, err := io.WriteString(out, "hello\n"); n != 6 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if e := out.Finish(); e.Text != "hello" || e.Note != "" || e.Whole != "" {
		t.Errorf("%+v", e)
	}
}

// A file that cannot be created or written is noted; the text is there all the same.
func TestFileThatCannotBeKept(t *testing.T) {
	paths := []string{filepath.Join(t.TempDir(), "gone", "output.txt")}
	if _, err := os.Stat("/dev/full"); err == nil {
		paths = append(paths, "/dev/full")
	}
	for _, path := range paths {
		out := New(Options{Path: path})
		io.WriteString(out, "hello\n")
		if e := out.Finish(); e.Text != "hello" || !strings.HasPrefix(e.Note, "[the output could not be kept whole: ") {
			t.Errorf("%s: %+v", path, e)
		}
	}
}

func TestNoted(t *testing.T) {
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 10, "[note]"},
		{"text", 11, "text\n[note]"},
		{"téxt", 10, "téx\n[note]"},
		{"text", 3, "[note]"},
	} {
		if got := Noted(tt.text, "[note]", tt.limit); got != tt.want {
			t.Errorf("Noted(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}

func TestLimit(t *testing.T) {
	for asked, want := range map[int]int{0: feedback.DefaultLimit, 1: feedback.MinLimit, 1000: 1000} {
		if got := Limit(asked); got != want {
			t.Errorf("Limit(%d) = %d, want %d", asked, got, want)
		}
	}
}
