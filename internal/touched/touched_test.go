package touched

import (
	"testing"

	"mulligan"
)

func TestIsTest(t *testing.T) {
	for path, want := range map[string]bool{
		"calc_test.go": true, "pkg/a/b_test.go": true, "test_calc.py": true, "calc_test.py": true, "conftest.py": true, "src/a.test.ts": true, "src/a.spec.jsx": true,
		"test/helper.rb": true, "tests/data.json": true, "spec/models/user.rb": true, "src/__tests__/a.js": true, "src/CalcTest.java": true, "user_spec.rb": true, "run.bats": true,
		"calc.go": false, "testing.go": false, "contest.py": false, "latest.js": false, "attest/x.go": false, "src/spec.go": false, "README.md": false, "testify/a.go": false,
	} {
		if got := IsTest(path); got != want {
			t.Errorf("IsTest(%q) = %v", path, got)
		}
	}
}

func TestSteers(t *testing.T) {
	for path, want := range map[string]bool{
		"conftest.py": true, "a/sitecustomize.py": true, "jest.config.js": true, "vitest.config.mts": true, "go.work": true, ".npmrc": true, "tsconfig.json": true, "tsconfig.build.json": true,
		"package.json": true, "sub/Makefile": true, "pytest.ini": true, "tox.ini": true, "setup.cfg": true, "pyproject.toml": true, "Cargo.toml": true, "build.gradle": true, "pom.xml": true, ".env": true, ".env.test": true,
		"main.go": false, "package-lock.json": false, "environment.py": false, "go.sum": false, "docs/Makefile.md": false,
	} {
		if got := Steers(path); got != want {
			t.Errorf("Steers(%q) = %v", path, got)
		}
	}
}

func TestAddsSkip(t *testing.T) {
	for line, want := range map[string]bool{
		`t.Skip("later")`: true, "b.SkipNow()": true, "@pytest.mark.skip": true, `@pytest.mark.skipif(x, reason="y")`: true, "@unittest.skip('x')": true, "self.skipTest('x')": true,
		"it.skip('adds', () => {": true, "xit('adds', () => {": true, "describe.skip('x', () => {": true, "test.todo('x')": true, "#[ignore]": true, "#[ignore = \"slow\"]": true,
		"@Disabled": true, "@Ignore(\"x\")": true, "skip \"not now\"": true, "skip": true, "it 'adds', skip: true do": true, "[Fact(Skip = \"x\")]": true, "fit('adds', () => {": true,
		"model.fit(x, y)": false, "skip = 3": false, "skip_rows(2)": false, "rows, skip: 10": false, "exit(1)": false, "it('skips blanks', () => {": false, "// we skip nothing": false,
		"func TestSkip(t *testing.T) {": false, "ignore := true": false, "unskip()": false, "for _, skip := range list {": false,
	} {
		if got := AddsSkip(line); got != want {
			t.Errorf("AddsSkip(%q) = %v", line, got)
		}
	}
}

func TestCompareTests(t *testing.T) {
	const two = "package x\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {\n\tt.Skip()\n}\n"
	for _, test := range []struct {
		before, after string
		change        mulligan.TouchKind
		skips, fewer  int
	}{
		{two, two + "\nfunc TestC(t *testing.T) {}\n", mulligan.FileChanged, 0, 0},
		{two, "package x\n\nfunc TestB(t *testing.T) {\n\tt.Skip()\n}\n", mulligan.FileChanged, 0, 1},
		{two, "package x\n", mulligan.FileEmptied, 0, 2},
		{two, "", mulligan.FileEmptied, 0, 2},
		{"data\n", " \n", mulligan.FileEmptied, 0, 0},
		{two, "package x\n\nfunc TestA(t *testing.T) {\n\tt.Skip()\n}\n\nfunc TestB(t *testing.T) {\n\tt.Skip()\n}\n", mulligan.FileChanged, 1, 0},
		{"", "def test_a():\n    pytest.skip('x')\n", mulligan.FileChanged, 1, 0},
	} {
		change, skips, fewer := CompareTests(test.before, test.after)
		if change != test.change || skips != test.skips || fewer != test.fewer {
			t.Errorf("%q to %q: %s, %d skips, %d fewer", test.before, test.after, change, skips, fewer)
		}
	}
}

func TestSteersPackage(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          bool
	}{
		{`{"scripts":{"test":"jest"},"version":"1"}`, `{"scripts":{"test":"jest"},"version":"2"}`, false},
		{`{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"true"}}`, true},
		{`{}`, `{"jest":{"testMatch":[]}}`, true},
		{``, `{"name":"x"}`, false},
		{`{}`, `{`, true},
	} {
		if got := SteersPackage([]byte(test.before), []byte(test.after)); got != test.want {
			t.Errorf("%s to %s: %v", test.before, test.after, got)
		}
	}
}
