package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	tests := []struct {
		name           string
		in             string
		passed, failed int
		failing, skips []string
		shown          string
	}{
		{
			name:   "leaves count",
			in:     `run p T|run p T/a|run p T/b|pass p T/a|pass p T/b|pass p T|pass p`,
			passed: 2,
		},
		{
			name:   "a failed leaf counts once",
			in:     `run p T|run p T/a|run p T/b|output p T/a boom|fail p T/a|pass p T/b|fail p T|fail p`,
			passed: 1, failed: 1, failing: []string{"p T/a"}, shown: "boom",
		},
		{
			name:   "a parent that failed by itself",
			in:     `run p T|run p T/a|pass p T/a|output p T late|fail p T|fail p`,
			passed: 1, failed: 1, failing: []string{"p T"}, shown: "late",
		},
		{
			name:   "a package that did not build",
			in:     `output p  [build failed]|fail p`,
			failed: 1, failing: []string{"p"}, shown: "[build failed]",
		},
		{
			name:   "a panic shows the test that ran",
			in:     `run p T|output p T panic: no|fail p`,
			failed: 1, failing: []string{"p"}, shown: "panic: no",
		},
		{
			name:  "skips carry their reason",
			in:    `run p T|output p T === RUN T|output p T x_test.go:1: no browser|output p T --- SKIP: T|skip p T|pass p`,
			skips: []string{"p T: x_test.go:1: no browser"},
		},
		{name: "a package without tests is no skip", in: `skip p`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got tally
			var out bytes.Buffer
			if err := got.read(strings.NewReader(lines(test.in)), &out); err != nil {
				t.Fatal(err)
			}
			got.passing = nil // the counts tell
			want := tally{passed: test.passed, failed: test.failed, failing: test.failing, skips: test.skips}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
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

func TestTallyRefusesWhatIsNotJSON(t *testing.T) {
	var got tally
	if err := got.read(strings.NewReader("go: no such tool\n"), &bytes.Buffer{}); err == nil {
		t.Error("output that is not JSON was taken as a run with no failures")
	}
}

func TestSummary(t *testing.T) {
	tests := []struct {
		name   string
		run    run
		strict bool
		code   int
		last   string
	}{
		{"all well", run{tally: tally{passed: 3}}, true, 0, "3 passed, 0 failed"},
		{"a test failed", run{tally: tally{passed: 3, failed: 1}}, false, 1, "3 passed, 1 failed"},
		{"a step failed", run{tally: tally{passed: 3}, failed: []string{"vet"}}, false, 1, "3 passed, 1 failed"},
		{"not run", run{missing: []string{"a browser: none"}}, false, 0, "0 passed, 0 failed"},
		{"not run in CI", run{missing: []string{"a browser: none"}}, true, 1, "0 passed, 0 failed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			test.run.out = &out
			if code := test.run.printSummary(test.strict); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if got := lastLine(out.String()); got != test.last {
				t.Errorf("last line %q, want %q", got, test.last)
			}
			for _, m := range test.run.missing {
				if !strings.Contains(out.String(), m) {
					t.Errorf("%q is not listed in %q", m, &out)
				}
			}
		})
	}
}

func TestFindFuzz(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"a/a_test.go":          "package a\nfunc FuzzOne(f *testing.F) {}\nfunc TestTwo(t *testing.T) {}\n",
		"a/a.go":               "package a\nfunc FuzzNot() {}\n",
		"b/testdata/x_test.go": "package x\nfunc FuzzNot(f *testing.F) {}\n",
		"tools/t_test.go":      "package t\nfunc FuzzNot(f *testing.F) {}\n",
		".git/x_test.go":       "package x\nfunc FuzzNot(f *testing.F) {}\n",
		"root_test.go":         "package r\nfunc FuzzThree(f *testing.F) {}\n",
	} {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := findFuzzTargets(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []target{{"a", "FuzzOne"}, {".", "FuzzThree"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
