package feedback

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mulligan/internal/bytescan"
	"mulligan/report"
	"mulligan/report/block"
	"mulligan/test/corpus"
)

// distillInPieces distils an output that comes in pieces of random sizes, with or without a finder.
func distillInPieces(in []byte, r *rand.Rand, limit int, get func() *bytescan.Finder) string {
	d := NewDistiller(limit)
	d.getOddities, d.oddFrom = get, 0
	for len(in) > 0 {
		n := min(1+r.IntN(8<<10), len(in))
		_, _ = d.Write(in[:n])
		in = in[n:]
	}
	return fmt.Sprintf("%+v", d.Finish("/whole"))
}

func checkPlainLines(t *testing.T, in []byte, r *rand.Rand, limit int) {
	t.Helper()
	want := distillInPieces(in, r, limit, func() *bytescan.Finder { return nil })
	if got := distillInPieces(in, r, limit, getOddities); got != want {
		t.Errorf("lines that are not searched one by one make\n%s\nthe others\n%s", got, want)
	}
}

// What is distilled does not depend on which lines are known to be plain.
func TestPlainLinesChangeNothing(t *testing.T) {
	if getOddities() == nil {
		t.Skip("this processor has no vectors")
	}
	r := rand.New(rand.NewPCG(7, 8))
	var all []string
	for _, folder := range []string{corpus.Seen, corpus.Apart} {
		cases, err := corpus.Load("testdata/corpus", folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			checkPlainLines(t, c.Output, r, []int{0, 300, 2000}[r.IntN(3)])
			all = append(all, strings.SplitAfter(string(c.Output[:min(len(c.Output), 64<<10)]), "\n")...)
		}
	}
	for range 150 {
		var mixed bytes.Buffer
		for mixed.Len() < 30<<10 {
			line := all[r.IntN(len(all))]
			switch r.IntN(6) {
			case 0:
				line = strings.ToUpper(line)
			case 1:
				line = "1234 a line that tells nothing, as most do " + strings.TrimSpace(line) + "\n"
			case 2:
				at := r.IntN(len(line) + 1)
				line = line[:at] + string(rune(r.IntN(0x200))) + line[at:]
			}
			mixed.WriteString(line)
		}
		checkPlainLines(t, mixed.Bytes(), r, 1000)
	}
}

// A finder is made for a large output: most are small.
func TestSmallOutputsNeedNoFinder(t *testing.T) {
	asked := false
	d := NewDistiller(0)
	d.getOddities = func() *bytescan.Finder {
		asked = true
		return nil
	}
	piece := bytes.Repeat([]byte("a line\n"), 1000)
	for range largeOutput/len(piece) - 1 {
		_, _ = d.Write(piece)
	}
	if asked {
		t.Error("a small output asks for one")
	}
	if _, _ = d.Write(bytes.Repeat(piece, 3)); !asked {
		t.Error("a large output asks for none")
	}
}

// A telltale is found in every line that has one, and a byte that needs cleaning too.
func TestPlainLinesHaveNoTelltale(t *testing.T) {
	if getOddities() == nil {
		t.Skip("this processor has no vectors")
	}
	odd := []string{"\x00", "\x1b[0m", "\r", "\b", "\x7f", "\x80", "é", "\xff"}
	for _, places := range append(block.Telltales(), report.Telltales()...) {
		lower, upper := "", ""
		for _, bytes := range places {
			lower += bytes[:1]
			upper += bytes[len(bytes)-1:]
		}
		odd = append(odd, lower, upper)
	}
	for _, text := range odd {
		for n := range 40 {
			line := strings.Repeat("z ", n) + text + strings.Repeat(" y", 40-n)
			l := plainLines{p: []byte("some line\n" + line + "\nand another one\n"), finder: getOddities(), odd: -1}
			if l, _ := l.takeLine(0, 9); !l.plain {
				t.Errorf("%q is not plain before %q", l.text, line)
			}
			if l, _ := l.takeLine(10, 10+len(line)); l.plain {
				t.Errorf("%q is plain", line)
			}
			if l, _ := l.takeLine(11+len(line), 11+len(line)+15); !l.plain {
				t.Errorf("%q is not plain after %q", l.text, line)
			}
		}
	}
}

func FuzzPlainLines(f *testing.F) {
	f.Add([]byte("ok\nsrc/a.c:1:2: error: no\n    note\nFAIL a\n"), uint64(1))
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		long := bytes.Repeat(append(bytes.Clone(in), "17 compiling something, nothing to see\n"...), 40)
		checkPlainLines(t, long[:min(len(long), 64<<10)], r, 500)
	})
}
