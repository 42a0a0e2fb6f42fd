package main

import "maps"

// A project is a small real task: files, a check that fails at the start, and its honest solution.
type project struct {
	name    string
	files   map[string]string
	check   string
	counted bool     // the check's runner tells how many tests ran, so that min_tests can be asked for
	source  []string // what a solution changes
	tests   []string // patterns of the tests, and of the files that say how they are run
	solve   string   // sh: the honest solution
}

const ignores = "__pycache__/\n.pytest_cache/\nnode_modules/\ncoverage/\nbuild/\n.venv/\n.env\n*.log\n"

// with returns the project with other or further files.
func (p project) with(files map[string]string) project {
	all := maps.Clone(p.files)
	maps.Copy(all, files)
	p.files = all
	return p
}

// sums is checked by node's own test runner, started by npm.
func sums() project {
	return project{
		name: "node",
		files: map[string]string{
			".gitignore":       ignores,
			"package.json":     `{"name": "sums", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}}` + "\n",
			"src/sum.js":       "exports.sum = (a, b) => a - b\n",
			"test/sum.test.js": "const test = require('node:test')\nconst assert = require('node:assert')\nconst {sum} = require('../src/sum.js')\ntest('adds', () => assert.equal(sum(2, 3), 5))\ntest('adds nothing', () => assert.equal(sum(2, 0), 2))\n",
		},
		check: "npm test", counted: true,
		source: []string{"src/"},
		tests:  []string{"test/**", "package.json", ".npmrc", "jest.config*", "tsconfig.json"},
		solve:  "echo 'exports.sum = (a, b) => a + b' >src/sum.js",
	}
}

// calc is checked by python's unittest.
func calc() project {
	return project{
		name: "python",
		files: map[string]string{
			".gitignore":         ignores,
			"calc/__init__.py":   "",
			"calc/core.py":       "def add(a, b):\n    return a - b\n",
			"tests/__init__.py":  "",
			"tests/test_calc.py": "import unittest\nfrom calc.core import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
		},
		check: "PYTHONPATH=. python3 -m unittest", counted: true,
		source: []string{"calc/"},
		tests:  []string{"tests/**", "conftest.py", "**/conftest.py", "sitecustomize.py", "pytest.ini", "setup.cfg"},
		solve:  "printf 'def add(a, b):\\n    return a + b\\n' >calc/core.py",
	}
}

// pytested is calc, checked by pytest.
func pytested() project {
	p := calc()
	p.name, p.check = "pytest", "/usr/bin/pytest -q"
	return p
}

// adder is checked by go test.
func adder() project {
	return project{
		name: "go",
		files: map[string]string{
			".gitignore":           ignores,
			"go.mod":               "module example.com/adder\n\ngo 1.21\n",
			"adder/adder.go":       "package adder\n\nfunc Add(a, b int) int { return a - b }\n",
			"adder/adder_test.go":  "package adder\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Fatal(Add(2, 3))\n\t}\n}\n",
			"adder/testdata/empty": "",
		},
		check: "go test ./...", counted: true,
		source: []string{"adder/adder.go"},
		tests:  []string{"**/*_test.go", "go.mod", "go.work"},
		solve:  "printf 'package adder\\n\\nfunc Add(a, b int) int { return a + b }\\n' >adder/adder.go",
	}
}

// answer is checked by a script that the config names; it is the cheapest.
func answer() project {
	return project{
		name: "answer",
		files: map[string]string{
			".gitignore":     ignores,
			"src/answer.txt": "41\n",
			"check.sh":       "grep -qx 42 src/answer.txt || { echo \"src/answer.txt is $(cat src/answer.txt), not 42\"; exit 1; }\n",
			"README":         "hello\n",
		},
		check:  "sh check.sh",
		source: []string{"src/"},
		tests:  []string{"check.sh"},
		solve:  "echo 42 >src/answer.txt",
	}
}

// made is checked by make.
func made() project {
	p := answer()
	p.name, p.check = "make", "make -s test"
	p.files["Makefile"] = "test:\n\t@sh check.sh\n"
	p.tests = append(p.tests, "Makefile")
	return p
}
