package claude

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// cutUp gives the lines that come of a text written in pieces of a size.
func cutUp(text string, size int) []string {
	var got []string
	l := newLines(func(line []byte) {
		if line == nil {
			got = append(got, "<too large>")
			return
		}
		got = append(got, string(line))
	})
	for len(text) > 0 {
		n := min(size, len(text))
		l.Write([]byte(text[:n]))
		text = text[n:]
	}
	l.Close()
	return got
}

func TestLinesAreCutAnywhere(t *testing.T) {
	const text = `{"a":"b\"c\\"}` + "\n" + `{"d":"\u00e9é` + "\n\n" + `not "json` + "\n" + `{"half`
	want := []string{`{"a":"b\"c\\"}`, `{"d":"\u00e9é`, "", `not "json`, `{"half`}
	for size := 1; size <= len(text); size++ {
		if got := cutUp(text, size); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}

// A long string loses its middle, whatever it is made of, and the line stays JSON.
func TestLongStringsLoseTheirMiddle(t *testing.T) {
	for name, unit := range map[string]string{
		"letters": "the quick brown fox ", "escapes": `é"\n`, "characters": "日本語", "pairs": "😀 ", "hex": "abcdef0123",
		"backslashes": `\\ x`, "only backslashes": `\`, "newlines": "\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(unit, 3*stringEnds/len(unit)+1)
			line, _ := json.Marshal(map[string]any{"before": 1, "text": text, "is_error": true})
			ascii := strings.ReplaceAll(string(line), "é", `\u00e9`)
			for _, size := range []int{1 << 20, 4093} {
				got := cutUp(ascii+"\n", size)
				if len(got) != 1 || len(got[0]) > 3*stringEnds {
					t.Fatalf("%d lines, the first of %d bytes", len(got), len(got[0]))
				}
				var read struct {
					Before  int
					Text    string
					IsError bool `json:"is_error"`
				}
				if err := json.Unmarshal([]byte(got[0]), &read); err != nil || read.Before != 1 || !read.IsError {
					t.Fatalf("%v: %+.80v", err, read)
				}
				head, tail, left := halves(read.Text)
				if left <= 0 || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) || !utf8.ValidString(read.Text) {
					t.Errorf("%d bytes left out; begins %.30q, ends %.30q", left, head, tail)
				}
			}
		})
	}
}

func TestLongLineOfSmallStrings(t *testing.T) {
	list := strings.Repeat(`"`+strings.Repeat("x", 5000)+`",`, 2000) // 10 MB
	got := cutUp(`{"type":"user","list":[`+list+`0]}`+"\n"+`{"type":"result"}`+"\n", 64<<10)
	if len(got) != 2 || got[1] != `{"type":"result"}` {
		t.Fatalf("%d lines, the last %.100q", len(got), got[len(got)-1])
	}
	if got[0] != "<too large>" && !json.Valid([]byte(got[0])) {
		t.Errorf("the line is no JSON: %.100q", got[0])
	}
	huge := strings.Repeat("1,", lineMost)
	if got := cutUp("["+huge+"1]\n{}\n", 64<<10); len(got) != 2 || got[0] != "<too large>" || got[1] != "{}" {
		t.Errorf("%d lines, %.100q", len(got), got[0])
	}
}

// TestMemoryIsBounded streams 500 MB: small events, large strings, one line without end.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("streams 500 MB")
	}
	heard := newTranscript(discard{})
	l := newLines(heard.line)
	chunk := []byte(strings.Repeat("a tool's result, again and again. ", 2000))
	before, most := heap(), uint64(0)
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	for event := range 400 {
		fmt.Fprintf(l, `{"type":"assistant","message":{"id":"m%d","usage":{"output_tokens":2},"content":[{"type":"text","text":"`, event)
		for range 5 {
			l.Write(chunk)
		}
		fmt.Fprintf(l, "\"}]}}\n")
		if event%100 == 0 {
			most = max(most, heap())
		}
	}
	fmt.Fprintf(l, `{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"`)
	for range 5400 {
		l.Write(chunk)
	}
	most = max(most, heap())
	fmt.Fprintf(l, "\"}\n")
	most = max(most, heap())
	if heard.result == nil || heard.result.Turns != 3 || heard.counted().Output != 800 {
		t.Fatalf("the result was not read: %+v", heard.counted())
	}
	if text, cut := heard.message(); !cut || len(text) > 64<<10 {
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
