package feedback

import (
	"slices"
	"strings"
	"testing"

	"mulligan"
)

// TestCompareToBaseline is V4: what was there before is told from what is new, and what cannot be told counts.
func TestCompareToBaseline(t *testing.T) {
	items := func(names ...string) []mulligan.Item {
		var list []mulligan.Item
		for _, n := range names {
			list = append(list, mulligan.Item{Name: n})
		}
		return list
	}
	fail := func(exit string, failed int, names ...string) mulligan.Verdict {
		return mulligan.Verdict{Status: mulligan.Fail, Finding: &mulligan.Finding{
			Runner: "go test", Exit: exit, Failing: items(names...), Counts: mulligan.Counts{Failed: failed, Passed: 10 - failed}, Counted: true,
		}}
	}
	const one = "exit status 1"
	unknown := mulligan.Verdict{Status: mulligan.Fail, Finding: &mulligan.Finding{Exit: one, Failing: items("a")}}
	cut := fail(one, 1, "a")
	cut.Finding.CutShort = true
	pass := mulligan.Verdict{Status: mulligan.Pass, Finding: &mulligan.Finding{Counted: true, Counts: mulligan.Counts{Passed: 8}}}
	for name, c := range map[string]struct {
		before, now mulligan.Verdict
		old, fresh  []string
		fixed       int
		untold      string
		fewer       int
	}{
		"the same":         {fail(one, 1, "a"), fail(one, 1, "a"), []string{"a"}, nil, 0, "", 0},
		"one more":         {fail(one, 1, "a"), fail(one, 2, "a", "b"), []string{"a"}, []string{"b"}, 0, "", 0},
		"another one":      {fail(one, 1, "a"), fail(one, 1, "b"), nil, []string{"b"}, 1, "", 0},
		"one fixed":        {fail(one, 2, "a", "b"), fail(one, 1, "b"), []string{"b"}, nil, 1, "", 0},
		"two of one name":  {fail(one, 1, "a"), fail(one, 2, "a", "a"), []string{"a"}, []string{"a"}, 0, "", 0},
		"more than named":  {fail(one, 1, "a"), fail(one, 3, "a"), nil, nil, 0, "does not name everything", 0},
		"another exit":     {fail(one, 1, "a"), fail("exit status 2", 1, "a"), nil, nil, 0, "ended in another way", 0},
		"mocha's exit":     {fail("exit status 2", 2, "a", "b"), fail(one, 1, "a"), []string{"a"}, nil, 1, "", 0},
		"no format":        {unknown, unknown, nil, nil, 0, "does not name what failed", 0},
		"did not end":      {fail(one, 1, "a"), cut, nil, nil, 0, "did not come to its end", 0},
		"passes now":       {fail(one, 1, "a"), pass, nil, nil, 0, "", 2},
		"passed before":    {pass, fail(one, 1, "a"), nil, nil, 0, "", 0},
		"counted as fewer": {fail(one, 2, "a", "b"), pass, nil, nil, 0, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got := CompareToBaseline(c.before, c.now)
			if !slices.Equal(got.Old, c.old) || !slices.Equal(got.New, c.fresh) || got.Fixed != c.fixed || got.Fewer != c.fewer ||
				(got.Untold == "") != (c.untold == "") || !strings.Contains(got.Untold, c.untold) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
