package claude

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mulligan/internal/jsonlines"
)

// TestMemoryIsBounded streams 500 MB: small events, large strings, one line without end.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("streams 500 MB")
	}
	heard := newTranscript(discard{})
	l := jsonlines.New(heard.takeLine, heard.noteOversized)
	chunk := []byte(strings.Repeat("a tool's result, again and again. ", 2000))
	before, most := heap(), uint64(0)
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	for event := range 400 {
		fmt.Fprintf(l, `{"type":"assistant","message":{"id":"m%d","usage":{"output_tokens":2},"content":[{"type":"text","text":"`, event)
		for range event % 20 / 19 * 5 { // few: to decode them takes the race detector far longer than to stream them
			l.Write(chunk)
		}
		fmt.Fprintf(l, "\"}]}}\n")
		if event%100 == 0 {
			most = max(most, heap())
		}
	}
	fmt.Fprintf(l, `{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"`)
	for range 7200 {
		l.Write(chunk)
	}
	most = max(most, heap())
	fmt.Fprintf(l, "\"}\n")
	most = max(most, heap())
	if heard.result == nil || heard.result.Turns != 3 || heard.countedUsage().Output != 800 {
		t.Fatalf("the result was not read: %+v", heard.countedUsage())
	}
	if text, cut := heard.lastMessage(); !cut || len(text) > 64<<10 {
		t.Errorf("a message of %d bytes, cut: %v", len(text), cut)
	}
	const bound = 32 << 20
	if most > before && most-before > bound {
		t.Errorf("grew by %d MB", (most-before)>>20)
	}
	runtime.ReadMemStats(&to)
	if to.Sys-from.Sys > bound {
		t.Errorf("took %d MB more of the system", (to.Sys-from.Sys)>>20)
	}
	t.Logf("500 MB streamed: %d kB more are in use, %d kB more were taken of the system", int64(most-before)>>10, (to.Sys-from.Sys)>>10)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
