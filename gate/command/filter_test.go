package command

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/redact"
)

// TestOutputIsFiltered (A8): the file, the finding and what is shown live have no secret,
// however it is printed; what the filter holds back at the end is not lost.
func TestOutputIsFiltered(t *testing.T) {
	b := newBench(t)
	r := redact.New([]string{"MY_TOKEN=planted-value-0123"})
	b.deps.Filter = func(w io.Writer) io.WriteCloser { return r.Writer(w) }
	var live bytes.Buffer
	b.work.Live = &live
	v := b.examine(`printf 'it is planted-'; sleep 0.1; printf 'value-0123\n' >&2; printf 'ends with sk-'; exit 1`, "pass")
	whole, err := os.ReadFile(b.work.Output)
	if err != nil {
		t.Fatal(err)
	}
	const want = "it is [secret:MY_TOKEN]\nends with sk-"
	for name, got := range map[string]string{"file": string(whole), "live": live.String(), "finding": strings.TrimSpace(v.Finding.Text)} {
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if v.Status != mulligan.Fail || v.Finding.Bytes != int64(len(want)) {
		t.Errorf("the verdict is %s, of %d bytes", v.Status, v.Finding.Bytes)
	}
}
