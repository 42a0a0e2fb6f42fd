package block

import (
	"fmt"
	"strings"
	"testing"
)

// find returns the blocks of an output as "tier: core lines joined by |".
func find(in string) []string {
	s := New(100000)
	at := 0
	for l := range strings.Lines(in) {
		at++
		s.Line([]byte(strings.TrimSuffix(l, "\n")), at)
	}
	var out []string
	for _, b := range s.Finish().Blocks {
		if b.Tier == Hint {
			continue
		}
		lines := []string{}
		if b.Header != "" {
			lines = append(lines, "<"+b.Header+">")
		}
		for _, l := range b.Lines {
			if l.Rank == Core {
				lines = append(lines, strings.TrimSpace(l.Text))
			}
		}
		out = append(out, []string{"failure", "complaint", "warning"}[b.Tier]+": "+strings.Join(lines, " | "))
	}
	return out
}

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"gcc": {
			"cc -c a.c\na.c: In function ‘f’:\na.c:3:5: error: ‘x’ undeclared\n    3 |   x = 1;\n      |   ^\na.c:3:5: note: each undeclared identifier is reported once\na.c:9:1: warning: unused\nmake: *** [Makefile:2: a.o] Error 1\n",
			"failure: a.c:3:5: error: ‘x’ undeclared | 3 |   x = 1; | a.c:3:5: note: each undeclared identifier is reported once\nwarning: a.c:9:1: warning: unused\ncomplaint: make: *** [Makefile:2: a.o] Error 1",
		},
		"jobs that run in parallel mix their lines": {
			"a.c:3:5: error: one\nb.c:7:8: error: two\n    3 | source of a\n      | ^\n    7 | source of b\n      | ^\n",
			"failure: a.c:3:5: error: one | 3 | source of a\nfailure: b.c:7:8: error: two | 7 | source of b",
		},
		"a note with its own includes": {
			"a.cpp:3:5: error: no match\n    3 | f(x)\nIn file included from a.cpp:1:\nb.hpp:9:2: note: candidate\n    9 | f()\n",
			"failure: a.cpp:3:5: error: no match | 3 | f(x) | b.hpp:9:2: note: candidate",
		},
		"clang quotes the source as it stands": {
			"a.c:3:1: error: bad\nx = 1;\n^\nb.c:4:1: error: worse\nmake: it goes on\n",
			"failure: a.c:3:1: error: bad | x = 1;\nfailure: b.c:4:1: error: worse",
		},
		"rustc": {
			"error[E0308]: mismatched types\n --> src/main.rs:2:5\n  |\n2 |     1\n  |     ^ expected\n  |\n  = note: expected this\n\nerror: aborting due to 1 previous error\n",
			"failure: error[E0308]: mismatched types | --> src/main.rs:2:5 | 2 |     1 | |     ^ expected | = note: expected this",
		},
		"tsc":        {"src/a.ts(3,7): error TS2322: Type wrong.\n", "failure: src/a.ts(3,7): error TS2322: Type wrong."},
		"tsc pretty": {"src/a.ts:3:7 - error TS2322: Type wrong.\n\n3   const x = 1;\n          ~\n\n", "failure: src/a.ts:3:7 - error TS2322: Type wrong. | 3   const x = 1;"},
		"javac in maven": {
			"[INFO] Compiling\n[ERROR] /w/A.java:[3,5] cannot find symbol\n[ERROR]   symbol: x\n[INFO] 1 error\n[ERROR] /w/A.java:[3,5] cannot find symbol\n[ERROR]   symbol: x\n[ERROR] To see the full stack trace\n",
			"failure: [ERROR] /w/A.java:[3,5] cannot find symbol | [ERROR]   symbol: x",
		},
		"eslint": {
			"/w/src/a.js\n  1:5  error  'x' is unused  no-unused-vars\n  2:5  warning  no  semi\n\n✖ 2 problems (1 error, 1 warning)\n",
			"failure: </w/src/a.js> | 1:5  error  'x' is unused  no-unused-vars\nwarning: </w/src/a.js> | 2:5  warning  no  semi",
		},
		"eslint json": {
			`[{"filePath":"/w/a.js","messages":[{"ruleId":"no-var","severity":2,"message":"Unexpected var.","line":3,"column":1,"fix":{"text":"let"}},{"ruleId":"semi","severity":1,"message":"Missing.","line":4,"column":9}],"source":"var x"}]`,
			"failure: /w/a.js:3:1: error: Unexpected var. (no-var)\nwarning: /w/a.js:4:9: warning: Missing. (semi)",
		},
		"a file's name after its items": {
			`{"testResults":[{"assertionResults":[{"fullName":"adds","status":"failed","failureMessages":["Error: expected 2\n    at a.js:1:2"]},{"fullName":"ok","status":"passed","failureMessages":[]}],"name":"/w/a.test.js","message":"all of it","status":"failed"}]}`,
			"failure: FAIL adds (/w/a.test.js) | Error: expected 2 | at a.js:1:2",
		},
		"cargo json": {
			`{"reason":"compiler-message","message":{"rendered":"error: no\n --> src/a.rs:1:1\n","level":"error","children":[{"message":"note","level":"note"}]}}`,
			"failure: error: no | --> src/a.rs:1:1",
		},
		"junit": {
			`<testsuite><testcase name="adds" classname="a.B" file="b.py" line="3"><failure message="want 2">want 2, got 3&#10;at b.py</failure></testcase><testcase name="ok"/></testsuite>`,
			"failure: FAIL a.B adds (b.py:3) | want 2, got 3 | at b.py",
		},
		"checkstyle": {
			"<?xml version=\"1.0\"?>\n<checkstyle><file name=\"A.java\">\n<error line=\"3\" column=\"4\" severity=\"error\" message=\"no &lt;tab&gt;\" source=\"Tab\"/>\n</file></checkstyle>\nafter: error: seen\n",
			"failure: A.java:3:4: error: no <tab> (Tab)\ncomplaint: after: error: seen",
		},
		"pytest": {
			"=== FAILURES ===\n____ test_a ____\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\nt.py:3: AssertionError\n=== short test summary info ===\nFAILED t.py::test_a - assert 1 == 2\n",
			"failure: ____ test_a ____ | >       assert 1 == 2 | E       assert 1 == 2 | t.py:3: AssertionError",
		},
		"pytest, long titles": {
			"=== FAILURES ===\n_ TestSum.test_of_a_very_long_name[with-a-parameter] _\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n_ _ _ _ _ _ _ _ _\n\nt.py:3: AssertionError\n= 3 failed, 1987 passed, 12 skipped in 61.35s (0:01:01) =\nmake: *** [test] Error 1\n",
			"failure: _ TestSum.test_of_a_very_long_name[with-a-parameter] _ | >       assert 1 == 2 | E       assert 1 == 2 | t.py:3: AssertionError\ncomplaint: make: *** [test] Error 1",
		},
		"unittest": {
			"======================================================================\nFAIL: test_a (t.T)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"t.py\", line 3, in test_a\n    self.assertEqual(1, 2)\nAssertionError: 1 != 2\n\n----------------------------------------------------------------------\nRan 1 test in 0.1s\n",
			"failure: FAIL: test_a (t.T) | File \"t.py\", line 3, in test_a | self.assertEqual(1, 2) | AssertionError: 1 != 2",
		},
		"jest": {
			"FAIL src/a.test.js\n  ● adds › two\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n      10 | x\n    > 11 | expect(add()).toBe(4)\n         |               ^\n\n      at Object.<anonymous> (node_modules/x.js:1:2)\n      at Object.test (src/a.test.js:11:2)\n\nTests: 1 failed\n",
			"failure: <FAIL src/a.test.js> | ● adds › two | expect(received).toBe(expected) | Expected: 4 | Received: 3 | > 11 | expect(add()).toBe(4) | at Object.test (src/a.test.js:11:2)",
		},
		"go": {
			"=== RUN   TestA\n=== RUN   TestA/b\n    a_test.go:3: got 1, want 2\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n=== RUN   TestC\n    log of what passes: error: no\n--- PASS: TestC (0.00s)\nFAIL\nFAIL\tp\t0.1s\n",
			"failure: --- FAIL: TestA/b (0.00s) | a_test.go:3: got 1, want 2",
		},
		"cargo test":    {"---- t::adds stdout ----\nthread 't::adds' panicked at src/lib.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\nfailures:\n", "failure: ---- t::adds stdout ---- | thread 't::adds' panicked at src/lib.rs:3:5: | assertion `left == right` failed | left: 1 | right: 2"},
		"rspec":         {"Failures:\n\n  1) Calc adds\n     Failure/Error: expect(1).to eq(2)\n       expected: 2\n            got: 1\n     # ./spec/a_spec.rb:3:in `x'\n\nFinished in 1 s\n", "failure: 1) Calc adds | Failure/Error: expect(1).to eq(2) | expected: 2 | got: 1 | # ./spec/a_spec.rb:3:in `x'"},
		"googletest":    {"[ RUN      ] A.B\na.cc:3: Failure\nExpected equality\n[  FAILED  ] A.B (0 ms)\n[ RUN      ] A.C\n[       OK ] A.C (0 ms)\n[  FAILED  ] A.B\n", "failure: [  FAILED  ] A.B (0 ms) | a.cc:3: Failure | Expected equality"},
		"tap":           {"ok 1 - a\nnot ok 2 - b\n  ---\n  expected: 1\n  actual: 2\n  ...\nok 3\n", "failure: not ok 2 - b | expected: 1 | actual: 2"},
		"prove":         {"#   Failed test 'adds up'\n#   at t.t line 3.\n#          got: '1'\n#     expected: '2'\nnot ok 2 - adds up\n", "failure: #   Failed test 'adds up' | #   at t.t line 3. | #          got: '1' | #     expected: '2'"},
		"docker":        {"#12 0.345 a.c:3:4: error: bad\n#12 ERROR: process did not complete: exit code: 1\n", "failure: #12 0.345 a.c:3:4: error: bad\ncomplaint: #12 ERROR: process did not complete: exit code: 1"},
		"a log":         {"2026-01-02T03:04:05Z INFO fine\n2026-01-02T03:04:06Z ERROR disk is full\n2026-01-02T03:04:07Z INFO 0 errors\n", "complaint: 2026-01-02T03:04:06Z ERROR disk is full"},
		"java":          {"Exception in thread \"main\" java.lang.IllegalStateException: boom\n\tat java.base/java.lang.X.y(X.java:1)\n\tat app.Main.main(Main.java:3)\nCaused by: java.io.IOException: disk\n\t... 3 more\n", "failure: Exception in thread \"main\" java.lang.IllegalStateException: boom | at app.Main.main(Main.java:3) | Caused by: java.io.IOException: disk"},
		"python":        {"Traceback (most recent call last):\n  File \"/usr/lib/python3/x.py\", line 1, in y\n    z()\n  File \"app.py\", line 3, in main\n    int(\"x\")\nValueError: invalid literal\n", "failure: Traceback (most recent call last): | File \"app.py\", line 3, in main | int(\"x\") | ValueError: invalid literal"},
		"linker":        {"/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to `foo'\ncollect2: error: ld returned 1 exit status\n", "failure: /usr/bin/ld: a.o: in function `main': | a.c:(.text+0x5): undefined reference to `foo'\ncomplaint: collect2: error: ld returned 1 exit status"},
		"a diff":        {"--- want.txt\n+++ got.txt\n@@ -1 +1 @@\n-a\n+b\ndone\n", "complaint: --- want.txt | +++ got.txt | -a | +b"},
		"a shell":       {"x.sh: line 3: foo: command not found\n", "complaint: x.sh: line 3: foo: command not found"},
		"nothing fails": {"ok  \tp\t0.1s\n12 passed, 0 failed\nhttp://localhost:8080: ready\n10:30:45: started\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(find(c.in), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The first of each kind and of each file, and the last ones, are there whatever comes between.
func TestFloodIsBounded(t *testing.T) {
	s := New(20000)
	for i := range 100000 {
		s.Line(fmt.Appendf(nil, "src/f%d.c:%d:1: error: no", i%50, i), i)
		if i == 60000 {
			s.Line([]byte("rare.py:1:2: E999 a rare thing"), i)
		}
	}
	r := s.Finish()
	all := ""
	size := 0
	for _, b := range r.Blocks {
		all += b.Name + "\n"
		size += b.size
	}
	if r.Total[Failure] != 100001 || size > 60000 {
		t.Errorf("%d in all, %d bytes held", r.Total[Failure], size)
	}
	for _, want := range []string{"src/f0.c:0:1", "src/f49.c:49:1", "rare.py:1:2", "src/f49.c:99999:1"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add([]byte("a.c:3:5: error: x\n 3 | y\n   | ^\nTraceback (most recent call last):\n  File \"a\", line 1\nE: x\n"))
	f.Add([]byte(`[{"a":{"b":[1,"x\u00e9",null]},"message":"m","line":3}]` + "\n{\"Time\":\"\",\"Action\":\"output\",\"Output\":\"x\\n\"}"))
	f.Add([]byte("<?xml?><testsuite><testcase name='a'><failure><![CDATA[x]]></failure></testcase></testsuite>\n"))
	f.Add([]byte("=== RUN   A\nx\n--- FAIL: A (0s)\n y\n[ RUN      ] A.B\n[  FAILED  ] A.B\n  1) a\n     x\n--- a\n+++ b\n"))
	f.Fuzz(func(_ *testing.T, in []byte) {
		s := New(2000)
		for at, l := range strings.Split(string(in), "\n") {
			s.Line([]byte(l), at+1)
		}
		s.LongPart(in, true)
		s.LongPart(in, false)
		s.EndLong(in, 1)
		s.Finish()
	})
}

// The title of a test that passed may have the words of an error.
func TestPassedTitles(t *testing.T) {
	for _, title := range []string{"does not throw", "returns undefined", "wraps Error: no", "rejects invalid input", "handles FATAL levels", "a.js:3:5: error: is read"} {
		for _, format := range []string{"ok 3 - %s", "ok - %s", "  ✓ %s", "    ✔ %s (3ms)", "  √ %s", "# Subtest: %s", "test %s ... ok", "A > %s PASSED"} {
			s := New(100000)
			s.Line(fmt.Appendf(nil, format, title), 1)
			for _, b := range s.Finish().Blocks {
				t.Errorf("%q is taken for something that failed", b.Name)
			}
		}
	}
}
