package command

import (
	"encoding/json"
	"strings"
	"testing"

	"mulligan"
)

func (b *bench) examineTests(command string, least *int) mulligan.Verdict {
	b.t.Helper()
	options, _ := json.Marshal(Options{Command: command, MinTests: least})
	g, err := New(mulligan.CheckSpec{Name: "tests", Options: options}, b.deps)
	if err != nil {
		b.t.Fatal(err)
	}
	return g.Examine(b.t.Context(), b.work)
}

// TestVacuous is V3: a command that succeeds and runs no tests, or too few, does not pass.
func TestVacuous(t *testing.T) {
	least := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		output string
		least  *int
		want   mulligan.Status
		words  string
	}{
		"none":                    {"Ran 0 tests in 0.000s", nil, mulligan.Fail, "it ran no tests"},
		"all skipped":             {"=== 3 skipped in 0.01s ===", nil, mulligan.Fail, "it ran no tests (3 skipped)"},
		"none, and that is fine":  {"Ran 0 tests in 0.000s", least(0), mulligan.Pass, ""},
		"one":                     {"Ran 1 test in 0.000s", nil, mulligan.Pass, ""},
		"too few":                 {"Ran 2 tests in 0.000s", least(3), mulligan.Fail, "it ran 2 tests, and min_tests is 3"},
		"enough":                  {"Ran 3 tests in 0.000s", least(3), mulligan.Pass, ""},
		"no runner":               {"all good", nil, mulligan.Pass, ""},
		"no runner, count wanted": {"all good", least(1), mulligan.Fail, "no count of tests could be read in its output, and min_tests is 1"},
		"go, some without tests":  {"ok  \tm\t0.1s\n?   \tm/x\t[no test files]", nil, mulligan.Pass, ""},
		"go, none at all":         {"?   \tm\t[no test files]", nil, mulligan.Fail, "it ran no tests"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.file("out.txt", c.output+"\n", 0o644)
			v := b.examineTests("cat out.txt", c.least)
			if v.Status != c.want || v.Vacuous != (c.want == mulligan.Fail) || c.words != "" && v.Summary != c.words {
				t.Errorf("%s: %q (vacuous %v), want %s %q", v.Status, v.Summary, v.Vacuous, c.want, c.words)
			}
			if c.want == mulligan.Fail && !strings.HasPrefix(v.Finding.Text, "The command succeeded, but "+v.Summary) {
				t.Errorf("text %q", v.Finding.Text)
			}
		})
	}
}

func TestAskGoForEvents(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...":                        "go test -json ./...",
		"go test":                              "go test -json",
		"cd sub && CGO_ENABLED=0 go test -v .": "cd sub && CGO_ENABLED=0 go test -json -v .",
		"go vet ./... && go test ./...":        "go vet ./... && go test -json ./...",
		"(go test ./a; go test ./b)":           "(go test -json ./a; go test -json ./b)",
		"go test ./... -args -c":               "go test -json ./... -args -c",
		"go test ./... | tee out":              "go test ./... | tee out",
		"go test ./... > out.txt":              "go test ./... > out.txt",
		"go test -json ./...":                  "go test -json ./...",
		"go test -c ./...":                     "go test -c ./...",
		"go test -bench=. ./...":               "go test -bench=. ./...",
		"go vet ./...":                         "go vet ./...",
		"echo go test":                         "echo go test",
		"x=$(go test ./...)":                   "x=$(go test ./...)",
		"make test":                            "make test",
		"if":                                   "if",
	} {
		got, asked := askGoForEvents(in)
		if got != want || asked != (in != want) {
			t.Errorf("%q: %q, %v; want %q", in, got, asked, want)
		}
	}
}

// TestGoTest: the real go test, asked for its events, prints what it prints without them.
func TestGoTest(t *testing.T) {
	const head = "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n"
	for name, c := range map[string]struct {
		tests   string
		want    mulligan.Status
		summary string
		text    []string // of what is shown
	}{
		"passes":     {"func TestA(t *testing.T) { t.Log(\"not shown\") }\nfunc TestB(t *testing.T) { t.Skip() }\n", mulligan.Pass, "1 test passed, 1 skipped", []string{"ok  \tm\t"}},
		"skipped":    {"func TestA(t *testing.T) { t.Skip(\"later\") }\n", mulligan.Fail, "it ran no tests (1 skipped)", []string{"ok  \tm\t"}},
		"TestMain":   {"func TestMain(m *testing.M) { println(\"all good\"); os.Exit(0) }\nfunc TestA(t *testing.T) { t.Fatal() }\n", mulligan.Fail, "it ran no tests", nil},
		"renamed":    {"func testA(t *testing.T) { t.Fatal() }\n", mulligan.Fail, "it ran no tests", nil},
		"fails":      {"func TestA(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Error(\"got 3\") }) }\nfunc TestB(*testing.T) {}\n", mulligan.Fail, "1 of 2 tests failed: TestA/x", []string{"--- FAIL: TestA/x (", "m_test.go:", ": got 3", "FAIL\tm\t"}},
		"panics":     {"func TestA(t *testing.T) { panic(\"boom\") }\n", mulligan.Fail, "1 test failed: TestA", []string{"panic: boom"}},
		"builds not": {"func TestA(t *testing.T) { undefined() }\n", mulligan.Fail, "1 error: ", []string{"undefined: undefined"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.file("go.mod", "module m\n", 0o644)
			b.file("m_test.go", head+c.tests, 0o644)
			v := b.examineTests("go test ./...", nil)
			if v.Status != c.want || !strings.HasPrefix(v.Summary, c.summary) {
				t.Errorf("%s: %q, want %s %q; %s", v.Status, v.Summary, c.want, c.summary, v.Finding.Text)
			}
			for _, line := range c.text {
				if !strings.Contains(v.Finding.Text, line) {
					t.Errorf("no %q in %s", line, v.Finding.Text)
				}
			}
			if strings.Contains(v.Finding.Text, `"Action"`) || strings.Contains(v.Finding.Text, "not shown") {
				t.Errorf("text: %s", v.Finding.Text)
			}
		})
	}
}
