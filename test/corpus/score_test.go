package corpus

import (
	"strings"
	"testing"
)

func TestFindMissing(t *testing.T) {
	item := Item{Name: "TestAdd", Place: "calc/add_test.go:12", Message: []string{"got  3", "want 4"}}
	whole := Case{Items: []Item{item, {Place: "other.go:12"}}}
	for name, c := range map[string]struct {
		text  string
		whole bool
	}{
		"as printed":          {"--- FAIL: TestAdd\n    calc/add_test.go:12: got 3, want 4", true},
		"white space":         {"TestAdd (calc/add_test.go:12): got\n\t3\nwant\t4", true},
		"column":              {"calc/add_test.go:12:7 TestAdd got 3 want 4", true},
		"brackets":            {"calc/add_test.go(12,7): TestAdd got 3 want 4", true},
		"maven":               {"calc/add_test.go:[12,7] TestAdd got 3 want 4", true},
		"python":              {"File \"calc/add_test.go\", line 12, in TestAdd: got 3 want 4", true},
		"under the file":      {"calc/add_test.go\n  3:1 other\n  12:7 TestAdd got 3 want 4", true},
		"under another file":  {"calc/add_test.go\n  1:1 x\nother.go\n 12:7 TestAdd got 3 want 4", false},
		"file after":          {`other.go {"text":"TestAdd got 3 want 4","file":"calc/add_test.go","line":12}`, true},
		"gutter":              {"--> calc/add_test.go\n12 | TestAdd got 3 want 4", true},
		"JSON":                {`{"file":"calc/add_test.go","line":12,"text":"TestAdd\ngot 3\nwant 4"}`, true},
		"a folder before":     {"/src/calc/add_test.go:12: TestAdd got 3 want 4", true},
		"no name":             {"calc/add_test.go:12: got 3 want 4", false},
		"a longer name":       {"calc/add_test.go:12: TestAddAll got 3 want 4", false},
		"another line":        {"calc/add_test.go:123: TestAdd got 3 want 4", false},
		"the line elsewhere":  {"calc/add_test.go TestAdd got 3 want 4" + strings.Repeat(" filler", 100) + "line 12", false},
		"no path":             {"12: TestAdd got 3 want 4", false},
		"half of the message": {"calc/add_test.go:12: TestAdd got 3", false},
		"a longer number":     {"calc/add_test.go:12: TestAdd got 3 want 45", false},
		"nothing":             {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			if missing := whole.NewText(c.text).FindMissing(item); (len(missing) == 0) != c.whole {
				t.Errorf("missing %q", missing)
			}
		})
	}
}

func TestReadings(t *testing.T) {
	item := Item{Message: []string{`a < b && "c"`}}
	for _, text := range []string{`a < b && "c"`, `{"m":"a \u003c b \u0026\u0026 \"c\""}`, `<m>a &lt; b &amp;&amp; &quot;c&quot;</m>`} {
		if missing := (Case{}).NewText(text).FindMissing(item); len(missing) > 0 {
			t.Errorf("%s: missing %q", text, missing)
		}
	}
}

func TestTally(t *testing.T) {
	c := Case{Name: "x", Output: []byte(strings.Repeat("filler\n", 100) + "one: " + strings.Repeat("a", 60) + "\ntwo: bad\n")}
	c.Items = []Item{{Message: []string{"one: " + strings.Repeat("a", 60)}}, {Message: []string{"two: bad"}}, {Message: []string{"filler"}}}
	if faults := c.CheckItems(); len(faults) > 0 {
		t.Error(faults)
	}
	var tally Tally
	tally.Add(c, "two: bad", 50)
	if want := (Tally{Cases: 1, Items: 3, Fitting: 2, Kept: Score{1, 0.5}, HeadAndTail: Score{2, 1}}); tally != want {
		t.Errorf("got %+v, want %+v", tally, want)
	}
	c.Items = append(c.Items, Item{Name: "three"})
	if len(c.CheckItems()) != 1 {
		t.Error("an item that the output does not have was taken")
	}
}

func TestCleanText(t *testing.T) {
	if got := CleanText([]byte("\x1b[1;31mred\x1b[0m\r\n10%\r100%\ncaf\xe9\n")); got != "red\n100%\ncaf\uFFFD\n" {
		t.Errorf("got %q", got)
	}
}
