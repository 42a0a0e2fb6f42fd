package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// enterModule makes a module whose tests fail as the environment says, and makes it the current directory.
func enterModule(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
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
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRunSuites: a test that fails and passes by itself is flaky, and said to be; one that fails twice, or has a race,
// has failed.
func TestRunSuites(t *testing.T) {
	const once = "m TestTree/once_only"
	for _, test := range []struct {
		name           string
		how, race      string
		passed         int
		failing, flaky []string
	}{
		{"all well", "", "", 3, nil, nil},
		{"fails once", "once", "", 3, nil, []string{once}},
		{"fails once, with a race", "once", "1", 2, []string{once}, nil},
		{"fails always", "always", "", 2, []string{"m TestTree/always"}, nil},
		{"fails, and is not there again", "gone", "", 3, []string{"m TestTree/first_time_only"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			enterModule(t)
			t.Setenv("HOW", test.how)
			t.Setenv("RACE", test.race)
			var out bytes.Buffer
			got, err := runSuites(t.Context(), [][]string{{"go", "test", "-json", "-count=1", "./..."}}, &out)
			if err != nil {
				t.Fatal(err)
			}
			if got.passed != test.passed || !slices.Equal(got.failing, test.failing) || !slices.Equal(got.flaky, test.flaky) {
				t.Errorf("%d passed, failing %q, flaky %q\n%s", got.passed, got.failing, got.flaky, &out)
			}
		})
	}
}

// TestRerunOnlyFew: many failures are no accident, and a package that broke names no test.
func TestRerunOnlyFew(t *testing.T) {
	enterModule(t)
	argv := []string{"go", "test", "-json", "./..."}
	for _, failures := range [][]failure{
		{{"m", argv}},
		slices.Repeat([]failure{{"m TestPlain", argv}}, maxFlaky+1),
	} {
		got := &tally{failing: []string{failures[0].name}}
		if err := got.rerunFailed(t.Context(), failures, &bytes.Buffer{}); err != nil || got.flaky != nil || len(got.failing) != 1 {
			t.Errorf("%q: %v, %+v", failures[0].name, err, got)
		}
	}
}

// TestBrokenCommand: a command that ends without a result is no green one.
func TestBrokenCommand(t *testing.T) {
	enterModule(t)
	for _, argv := range [][]string{{"go", "test", "-json", "-no-such-flag"}, {"go", "version"}} {
		if got, err := runSuites(t.Context(), [][]string{argv}, &bytes.Buffer{}); err == nil && len(got.failing) == 0 {
			t.Errorf("%q: %+v", argv, got)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	got := &tally{passed: 3, failing: []string{"p A"}, leftOut: []leftOut{{"p", "B", "why"}}}
	for range 2 {
		if err := got.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"failed": "p A\n", "flaky": "", "left-out": "p B: why\n", "passed": "3\n"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(text) != strings.Repeat(want, 2) {
			t.Errorf("%s has %q, %v", name, text, err)
		}
	}
}

func TestSplitCommands(t *testing.T) {
	got := splitCommands([]string{"a", "b", "--", "c"})
	if !slices.EqualFunc(got, [][]string{{"a", "b"}, {"c"}}, slices.Equal) {
		t.Errorf("%q", got)
	}
}
