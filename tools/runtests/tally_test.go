package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	tests := []struct {
		name             string
		in               string
		passed           int
		failing, leftOut []string
		shown            string
	}{
		{
			name:   "leaves count",
			in:     `run p T|run p T/a|run p T/b|pass p T/a|pass p T/b|pass p T|pass p`,
			passed: 2,
		},
		{
			name:   "a failed leaf counts once",
			in:     `run p T|run p T/a|run p T/b|output p T/a boom|fail p T/a|pass p T/b|fail p T|fail p`,
			passed: 1, failing: []string{"p T/a"}, shown: "boom",
		},
		{
			name:   "a parent that failed by itself",
			in:     `run p T|run p T/a|pass p T/a|output p T late|fail p T|fail p`,
			passed: 1, failing: []string{"p T"}, shown: "late",
		},
		{
			name:    "a package that did not build",
			in:      `output p  [build failed]|fail p`,
			failing: []string{"p"}, shown: "[build failed]",
		},
		{
			name:    "a panic shows the test that ran",
			in:      `run p T|output p T panic: no|fail p`,
			failing: []string{"p"}, shown: "panic: no",
		},
		{
			name:    "skips carry their reason",
			in:      `run p T|output p T === RUN T|output p T x_test.go:1: no browser|output p T --- SKIP: T|skip p T|pass p`,
			leftOut: []string{"p T: no browser"}, shown: "  ok  p ",
		},
		{
			name:    "one line for a reason",
			in:      `output p A no|skip p A|output p B no|skip p B|output p C other|skip p C|output p D no|skip p D|output p E no|skip p E|output q A no|skip q A`,
			leftOut: []string{"p A, B, D, and 1 more: no", "p C: other", "q A: no"},
		},
		{
			name:   "a part that is left out",
			in:     `run p T|output p T     x_test.go:1: left out: as root|output p T they were left out: all|pass p T|pass p`,
			passed: 1, leftOut: []string{"p T: as root"},
		},
		{name: "what go has cached", in: `output p  ok p (cached)|pass p`, shown: "cached\n"},
		{name: "a package without tests is no skip", in: `skip p`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got tally
			var out bytes.Buffer
			if err := got.read(strings.NewReader(lines(test.in)), &out); err != nil {
				t.Fatal(err)
			}
			if got.passed != test.passed || !reflect.DeepEqual(got.failing, test.failing) || !reflect.DeepEqual(got.listLeftOut(), test.leftOut) {
				t.Errorf("%d passed, failing %q, left out %q; want %d, %q, %q",
					got.passed, got.failing, got.listLeftOut(), test.passed, test.failing, test.leftOut)
			}
			if !strings.Contains(out.String(), test.shown) {
				t.Errorf("%q is not shown in %q", test.shown, &out)
			}
		})
	}
}

// lines makes go test's JSON of "action package test output" words.
func lines(in string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(in, "|") {
		words := append(strings.SplitN(line, " ", 4), "", "", "")
		b.WriteString(`{"Action":"` + words[0] + `","Package":"` + words[1] + `","Test":"` + words[2] + `"`)
		if words[3] != "" {
			b.WriteString(`,"Output":"` + words[3] + `\n"`)
		}
		b.WriteString("}\n")
	}
	return b.String()
}
