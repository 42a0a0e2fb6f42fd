package report

import (
	"strings"
	"testing"
	"time"

	"mulligan"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"  two   words":               "two words",
		"got 3, want 5":               "got #, want #",
		"got -3.5e+10 (1,234 of 10%)": "got # (# of #%)",
		"open /tmp/TestX123/001/a.json: no such file or directory": "open <path>: no such file or directory",
		`open C:\Users\x\a.json: denied`:                           "open <path>: denied",
		"src/app/a.ts:3:7 and ./b and ../c/d and ~/e":              "<path> and <path> and <path> and <path>",
		"and/or application/json n/a":                              "and/or application/json n/a",
		"http://127.0.0.1:8080/x?y=1 refused":                      "<url> refused",
		"dial tcp 127.0.0.1:45655: connect: refused":               "dial tcp #:#: connect: refused",
		"listen on [::1]:80":                                       "listen on [::#]:#",
		"at 2026-11-16T17:45:03.50672678Z":                         "at <time>",
		"2026/11/16 17:45:03 fatal":                                "<time> fatal",
		"Mon Nov 16 17:38:18 UTC 2026: x":                          "<time>: x",
		"Mon, 16 Nov 2026 17:38:18 GMT x":                          "<time> x",
		"[17:45:07.880400494] up":                                  "[<time>] up",
		"took 1m30.5s, then 12 ms, 900µs and 3 seconds":            "took <time>, then <time>, <time> and <time>",
		"<Box object at 0x7f3a5c2d10>":                             "<Box object at <hex>>",
		"commit 3f2a9bc failed":                                    "commit <hex> failed",
		"facade decade":                                            "facade decade",
		"restore 20261116-232536-4khw turn-1 brings it back":       "restore <id> turn-# brings it back",
		"order 123e4567-e89b-12d3-a456-426614174000 lost":          "order <id> lost",
		"error TS2322: Type 'int64' and utf8":                      "error TS2322: Type 'int64' and utf8",
		"error[E0308]: mismatched":                                 "error[E0308]: mismatched",
		"worker48213 ended":                                        "worker# ended",
		"in tmp8d7f3a_x and tmp.aBcDeF":                            "in <temp> and <temp>",
		"temperature and template":                                 "temperature and template",
		"\x1b[31mred\x1b[0m\x07 text":                              "red text",
		"goroutine 27 [running]:":                                  "goroutine # [running]:",
		`want "a1 22", got 'b 333'`:                                `want "a1 #", got 'b #'`,
		"\xff\xfe broken":                                          "broken",
		"read 10 kB of 1.2 MB":                                     "read # of #",
	} {
		if got := Normalize(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestItemKey(t *testing.T) {
	for name, c := range map[string]struct {
		a, b mulligan.Item
		same bool
	}{
		"a test that moved":       {mulligan.Item{Name: "A", Place: "a.go:1"}, mulligan.Item{Name: "A", Place: "a.go:9"}, true},
		"a test's duration":       {mulligan.Item{Name: "adds (2 ms)"}, mulligan.Item{Name: "adds (14 ms)"}, true},
		"cases":                   {mulligan.Item{Name: "adds 1 and 2"}, mulligan.Item{Name: "adds 1 and 3"}, false},
		"an address":              {mulligan.Item{Name: "t[<f at 0x7f00aa11>]"}, mulligan.Item{Name: "t[<f at 0x7f00bb22>]"}, true},
		"a temporary folder":      {mulligan.Item{Name: "/tmp/x1/a.bats"}, mulligan.Item{Name: "/tmp/y2/a.bats"}, true},
		"mocha by number":         {mulligan.Item{Name: "1) cart adds"}, mulligan.Item{Name: "2) cart adds"}, true},
		"maven's time":            {mulligan.Item{Name: "[ERROR] a(B) Time elapsed: 0.003 s <<< FAILURE!"}, mulligan.Item{Name: "[ERROR] a(B) Time elapsed: 1 s <<< FAILURE!"}, true},
		"a build's step":          {mulligan.Item{Name: "#5 5.701 Traceback"}, mulligan.Item{Name: "#5 6.1 Traceback"}, true},
		"a process":               {mulligan.Item{Name: "==121==ERROR: Asan"}, mulligan.Item{Name: "==99==ERROR: Asan"}, true},
		"a linker":                {mulligan.Item{Name: "/usr/bin/ld: /a/x.c:3: undefined reference to `f'"}, mulligan.Item{Name: "/opt/ld: /b/c/x.c:9: undefined reference to `f'"}, true},
		"a linker's other name":   {mulligan.Item{Name: "ld: x.c:3: undefined reference to `f5'"}, mulligan.Item{Name: "ld: x.c:3: undefined reference to `f6'"}, false},
		"a rule at a place":       {mulligan.Item{Name: "src/a.ts:11:57 lint/noAny"}, mulligan.Item{Name: "src/a.ts:12:57 lint/noAny"}, true},
		"TAP by number":           {mulligan.Item{Name: "not ok 1 - adds"}, mulligan.Item{Name: "not ok 4 - adds"}, true},
		"gcc":                     {named("/tmp/a/c.c:1:2", "x undeclared"), named("/tmp/b/c.c:7:2", "x undeclared"), true},
		"gcc, another name":       {named("c.c:1:2", "x undeclared"), named("c.c:1:2", "y undeclared"), false},
		"gcc, another file":       {named("a/c.c:1:2", "x undeclared"), named("b/c.c:1:2", "x undeclared"), false},
		"tsc":                     {named("src/a.ts(3,7)", "TS2322: no"), named("./src/a.ts(30,17)", "TS2322: no"), true},
		"maven":                   {named("/w/A.java:[3,7]", "no"), named("/v/A.java:[9,9]", "no"), true},
		"eslint, compact":         {named("/a/x.ts: line 1, col 16,", "no"), named("/b/x.ts: line 21, col 3,", "no"), true},
		"windows":                 {named(`C:\a\b.c:3:4`, "no"), named(`D:\x\b.c:5:6`, "no"), true},
		"an error's own line":     {mulligan.Item{Name: "TypeError: port 80 is taken"}, mulligan.Item{Name: "TypeError: port 81 is taken"}, true},
		"another error's line":    {mulligan.Item{Name: "TypeError: x"}, mulligan.Item{Name: "RangeError: x"}, false},
		"rust in another file":    {mulligan.Item{Name: "error[E0308]: mismatched types", Place: "a.rs:1:2"}, mulligan.Item{Name: "error[E0308]: mismatched types", Place: "b.rs:1:2"}, false},
		"rust on another line":    {mulligan.Item{Name: "error[E0308]: mismatched types", Place: "a.rs:1:2"}, mulligan.Item{Name: "error[E0308]: mismatched types", Place: "a.rs:3:2"}, true},
		"a test of that name":     {mulligan.Item{Name: "errors on port 80"}, mulligan.Item{Name: "errors on port 81"}, false},
		"without name and place":  {mulligan.Item{}, mulligan.Item{}, true},
		"a name that is no place": {mulligan.Item{Name: "a.go:1", Place: "a.go:2"}, mulligan.Item{Name: "a.go:1", Place: "a.go:3"}, true},
	} {
		if a, b := ItemKey(c.a), ItemKey(c.b); (a == b) != c.same {
			t.Errorf("%s: %q and %q", name, a, b)
		}
	}
}

// named returns an error that is named by its place.
func named(place, message string) mulligan.Item {
	return mulligan.Item{Name: place, Place: place, Message: message}
}

// FuzzNormalize gives it anything: the result is bounded, comes at once, and stays what it is.
func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"open /tmp/x/1: no", "12:00:00.5 0x1f deadbee1", "a/b.c:1:2 C:\\x\\y", "http://[::1]:80/x tmp.aBcDeF", "1m2s3 -5e6 \x1b[31m", "Mon Nov 16 1:02 PM",
		strings.Repeat("1/", 3000), strings.Repeat("a.b/", 2000), strings.Repeat("9 s ", 2000), strings.Repeat("é1", 2000),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start := time.Now()
		got := Normalize(s)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		if again := Normalize(got); again != got {
			t.Errorf("%q, then %q", got, again)
		}
		if n := len([]rune(got)); n > maxNormal {
			t.Errorf("%d characters", n)
		}
		key := ItemKey(mulligan.Item{Name: s, Place: s, Message: s}) + ItemClass(mulligan.Item{Name: s, Message: s})
		if strings.ContainsAny(key, "\n\x1b") {
			t.Errorf("%q", key)
		}
	})
}
