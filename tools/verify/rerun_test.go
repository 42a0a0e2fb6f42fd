package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// aModule is a module whose tests fail as the environment says.
func aModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"m_test.go": `package m

import (
	"os"
	"testing"
)

func TestPlain(t *testing.T) {}

func TestTree(t *testing.T) {
	t.Run("once only", func(t *testing.T) {
		if os.Mkdir("seen", 0o700) == nil && os.Getenv("HOW") == "once" {
			if os.Getenv("RACE") != "" {
				t.Log("WARNING: DATA RACE")
			}
			t.Error("the first time")
		}
	})
	if os.Getenv("HOW") == "gone" && os.Mkdir("gone", 0o700) == nil {
		t.Run("first time only", func(t *testing.T) { t.Error("there is no second time") })
	}
	t.Run("always", func(t *testing.T) {
		if os.Getenv("HOW") == "always" {
			t.Error("every time")
		}
	})
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestAgain: a test that fails and passes by itself is flaky, and said to be; one that fails twice, or
// has a race, has failed.
func TestAgain(t *testing.T) {
	const once = "m TestTree/once_only"
	for _, test := range []struct {
		name           string
		env            []string
		passed, failed int
		flaky          []string
	}{
		{"all well", nil, 3, 0, nil},
		{"fails once", []string{"HOW=once"}, 3, 0, []string{once}},
		{"fails once, with a race", []string{"HOW=once", "RACE=1"}, 2, 1, nil},
		{"fails always", []string{"HOW=always"}, 2, 1, nil},
		{"fails, and is not there again", []string{"HOW=gone"}, 3, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			r := &run{root: aModule(t), out: &out}
			all := suite{argv: []string{"go", "test", "-json", "-count=1"}, packages: []string{"./..."}}
			err := r.runSuites(t.Context(), append(test.env, "GOFLAGS=", "GOWORK=off"), [][]suite{{all}})
			if (err != nil) != (test.failed > 0) || err != nil && !errors.Is(err, errTests) {
				t.Errorf("error %v", err)
			}
			if r.tally.passed != test.passed || r.tally.failed != test.failed || !slices.Equal(r.flaky, test.flaky) {
				t.Errorf("%d passed, %d failed, flaky %q\n%s", r.tally.passed, r.tally.failed, r.flaky, &out)
			}
			r.printSummary(true)
			if got := strings.Contains(out.String(), "flaky: "+once+" failed"); got != (len(test.flaky) > 0) {
				t.Errorf("said to be flaky: %v\n%s", got, &out)
			}
		})
	}
}

// TestAgainOnlyFew: many failures are no accident, and a package that broke names no test.
func TestAgainOnlyFew(t *testing.T) {
	argv := []string{"go", "test", "-json"}
	for _, failing := range [][]failure{
		{{"m", argv}},
		slices.Repeat([]failure{{"m TestPlain", argv}}, maxFlaky+1),
	} {
		r := &run{root: aModule(t), out: &bytes.Buffer{}}
		if err := r.rerunFailed(t.Context(), nil, failing); !errors.Is(err, errTests) || r.flaky != nil {
			t.Errorf("%q: %v, flaky %q", failing, err, r.flaky)
		}
	}
}

// TestSuitesCoverEverything: every package is tested in exactly one suite, and those with tests that are not built with the
// race detector in two; besides the scripts that run once more with it.
func TestSuitesCoverEverything(t *testing.T) {
	r := &run{root: filepath.Join("..", ".."), out: &bytes.Buffer{}}
	all, err := r.listPackages(t.Context(), "./...")
	if err != nil {
		t.Fatal(err)
	}
	heavy, err := r.listPackages(t.Context(), heavyPackages...)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range []bool{true, false} {
		times := map[string]int{}
		for _, s := range slices.Concat(suites(nil, found)...) {
			if slices.Contains(s.argv, "-C") || slices.Contains(s.argv, "-run=^TestRaced$") {
				continue
			}
			packages, err := r.choosePackages(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range packages {
				times[p]++
			}
		}
		for _, p := range all {
			want := 1
			if slices.Contains(heavy, p) {
				want = 2
			}
			if times[p] != want {
				t.Errorf("%s is tested %d times, want %d", p, times[p], want)
			}
		}
	}
}
