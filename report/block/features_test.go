package block

import "testing"

func TestScan(t *testing.T) {
	var s featureScanner
	for line, want := range map[string]struct {
		is    features
		first int
	}{
		"compiling the unit": {0, 18},
		"a.c:3:5: ERROR: no": {hasPlace | hasError, 9},
		"a.c(3,5): Warning":  {hasParen | hasWarn, 10},
		"make: *** [all]":    {hasStars, 15},
		"it Could not open":  {hasDoubt, 4},
		"no such file, exit": {hasDoubt | hasExit, 0},
		"ends in :3":         {0, 10},
	} {
		if got := s.scan([]byte(line)); got != want.is || s.first != want.first {
			t.Errorf("%q: features %b, the first word at %d; want %b, %d", line, got, s.first, want.is, want.first)
		}
	}
}

func TestFindLiteral(t *testing.T) {
	for expr, want := range map[string]string{
		`^[ \t]*(?:\d.*\((?:Failed|Timeout)\)$)`: "(",
		`\d{1,4}\) (?P<name>.*)`:                 ") ",
		`.*(?:all|some) lost in`:                 " lost in",
		`(?P<name>not ok)+`:                      "not ok",
		`(?i)error`:                              "",
		`a|b`:                                    "",
		`(?:needed)?x`:                           "x",
	} {
		if got := findLiteral(expr); got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}
