package jsonlines

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lines returns the lines that a stream is split into, whatever the size of its pieces.
func lines(t *testing.T, stream string, piece int) (all []string, over int) {
	t.Helper()
	l := New(func(line []byte) { all = append(all, string(line)) }, func([]byte, int64) { over++ })
	for i := 0; i < len(stream); i += piece {
		io.WriteString(l, stream[i:min(i+piece, len(stream))])
	}
	l.Close()
	return all, over
}

func TestLinesAreTheSameInAnyPieces(t *testing.T) {
	const stream = "{\"a\":\"\\\"\\u00e9\\\\\"}\n\n  \nno json\r\n{\"half\":"
	want := []string{`{"a":"\"\u00e9\\"}`, "no json", `{"half":`}
	for _, piece := range []int{1, 2, 7, 1000} {
		if got, _ := lines(t, stream, piece); !slices.Equal(got, want) {
			t.Errorf("in pieces of %d: %q", piece, got)
		}
	}
}

// leftOut takes a string that lost its middle apart.
func leftOut(text string) (head, tail string, bytes int) {
	head, rest, _ := strings.Cut(text, "\n[… ")
	number, tail, ok := strings.Cut(rest, " bytes left out here; the agent's own transcript may have them …]\n")
	if !ok {
		return text, "", 0
	}
	bytes, _ = strconv.Atoi(number)
	return head, tail, bytes
}

// What is cut stays JSON, at whatever character the cut falls, and both ends are kept.
func TestLinesCutLongStrings(t *testing.T) {
	for _, unit := range []string{"x", "é", "日", "😀", `\"`, `\\`, `\n`, `\u00e9`, `\ud83d\ude00`, `\uD83D\uDE00`, `\\u`, `a\"b`, `\ud83d`, `\ude00`} {
		for _, shift := range []int{0, 1, 5} {
			units := strings.Repeat(unit, stringEnds*9/8/len(unit))
			text := strings.Repeat("s", shift) + units + strings.Repeat("-", 3*stringEnds) + units + "end"
			stream := fmt.Sprintf(`{"before":"x\"y","long":"%s","after":["z\\",7]}`+"\n{\"next\":1}\n", text)
			got, over := lines(t, stream, 4096+shift)
			if len(got) != 2 || over != 0 || got[1] != `{"next":1}` {
				t.Fatalf("%q, %d: %d lines, %d too long", unit, shift, len(got), over)
			}
			var v struct {
				Before, Long string
				After        []any
			}
			if err := json.Unmarshal([]byte(got[0]), &v); err != nil {
				t.Fatalf("%q, %d: %v", unit, shift, err)
			}
			if v.Before != `x"y` || fmt.Sprint(v.After) != `[z\ 7]` {
				t.Errorf("%q, %d: the rest is %+v %v", unit, shift, v.Before, v.After)
			}
			var whole string
			json.Unmarshal([]byte(`"`+text+`"`), &whole)
			head, tail, cut := leftOut(v.Long)
			if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
				t.Errorf("%q, %d: begins %.20q, goes on %.20q", unit, shift, head, tail)
			}
			line, _, _ := strings.Cut(stream, "\n")
			note := len(v.Long) - len(head) - len(tail) + len(`\n\n`) - len("\n\n") // as it stands in the line
			if cut == 0 || len(got[0]) != len(line)-cut+note || len(got[0]) > 2*stringEnds+200 || len(got[0]) < 2*stringEnds {
				t.Errorf("%q, %d: %d bytes of %d kept, %d left out", unit, shift, len(got[0]), len(line), cut)
			}
		}
	}
}

// A string that is hardly too long stays as it is, and so does one of many.
func TestLinesKeepWhatIsNotTooLong(t *testing.T) {
	line := `{"a":"` + strings.Repeat("x", 2*stringEnds) + `","b":"` + strings.Repeat(`y\n`, stringEnds/3) + `"}`
	if got, _ := lines(t, line+"\n", 5000); len(got) != 1 || got[0] != line {
		t.Errorf("%d lines", len(got))
	}
}

// A line of many long strings is read all the same: once it has much, a string keeps little.
func TestLinesOfManyLongStrings(t *testing.T) {
	stream := `{"list":[` + strings.Repeat(`"`+strings.Repeat("x", 100<<10)+`",`, 200) + `"last"],"is_error":true}` + "\n"
	got, over := lines(t, stream, 64<<10)
	var v struct {
		List    []string
		IsError bool `json:"is_error"`
	}
	if over != 0 || len(got) != 1 || json.Unmarshal([]byte(got[0]), &v) != nil {
		t.Fatalf("%d lines, %d too long", len(got), over)
	}
	if len(v.List) != 201 || v.List[0] != strings.Repeat("x", 100<<10) || v.List[200] != "last" || !v.IsError {
		t.Errorf("%d strings, the first of %d bytes", len(v.List), len(v.List[0]))
	}
	if head, tail, cut := leftOut(v.List[199]); cut == 0 || head != tail || len(head) != stringFew {
		t.Errorf("%d and %d bytes kept, %d left out", len(head), len(tail), cut)
	}
}

// What is printed need not be JSON: a string that a line's end ends is ended there.
func TestLinesEndWithinAString(t *testing.T) {
	got, _ := lines(t, `not "json `+strings.Repeat("x", 9*stringEnds)+"\\\n  {\"next\":1}\n", 5000)
	if len(got) != 2 || len(got[0]) > 3*stringEnds || !strings.Contains(got[0], "left out") || got[1] != `  {"next":1}` {
		t.Errorf("%d lines, the last %.50q", len(got), got[len(got)-1])
	}
}

func TestLinesTooLongAreToldOf(t *testing.T) {
	many := "[" + strings.Repeat(`"word",`, lineMost/6) + `"end"]` + "\n{\"next\":1}\n"
	var head []byte
	var size int64
	var next []string
	l := New(func(line []byte) { next = append(next, string(line)) }, func(h []byte, n int64) { head, size = slices.Clone(h), n })
	io.WriteString(l, many)
	if size != int64(len(many)-len("\n{\"next\":1}\n")) || !strings.HasPrefix(many, string(head)) || len(head) == 0 {
		t.Errorf("a line of %d bytes, beginning %.20q", size, head)
	}
	if !slices.Equal(next, []string{`{"next":1}`}) {
		t.Errorf("after it came %q", next)
	}
}

// Far more than fits, in one line, and in many, in memory that does not grow with them.
func TestLinesInBoundedMemory(t *testing.T) {
	const megabytes = 64
	block := strings.Repeat("0123456789abcdef", 1<<16)
	for name, write := range map[string]func(io.Writer){
		"one line": func(w io.Writer) {
			io.WriteString(w, `{"text":"`)
			for range megabytes {
				io.WriteString(w, block)
			}
			io.WriteString(w, "\"}\n")
		},
		"many lines": func(w io.Writer) {
			for range megabytes {
				fmt.Fprintf(w, "{\"text\":%q}\n", block)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			count := 0
			l := New(func([]byte) { count++ }, nil)
			before := heap()
			most := uint64(0)
			write(writerFunc(func(p []byte) (int, error) {
				n, err := l.Write(p)
				most = max(most, heap())
				return n, err
			}))
			if count == 0 || most > before+32<<20 {
				t.Errorf("%d lines; the heap went from %d to %d MiB", count, before>>20, most>>20)
			}
		})
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
