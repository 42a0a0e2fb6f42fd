package detect

import (
	"path"
	"slices"
	"strings"
)

// findPython finds a Python project: by its own files, or by its tests alone.
func (f folder) findPython() *part {
	tests := f.listPythonTests()
	if !f.has("pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini", "manage.py", "Pipfile") && len(tests) == 0 {
		return nil
	}
	p := &part{language: "python", kind: "a Python project"}
	p.want(slices.Concat(f.pytestCommands(), f.toxCommands(), f.unittestCommands(tests))...)
	p.maybe = append(p.maybe, newCommand("ruff check ."))
	return p
}

// pytestCommands returns the ways to run pytest, those of the project's own environment first.
func (f folder) pytestCommands() []Command {
	var forms []Command
	if f.mentions("pytest", "uv.lock", "poetry.lock", "pyproject.toml") {
		for _, manager := range []string{"uv", "poetry"} {
			if f.has(manager + ".lock") {
				forms = append(forms, newCommand(manager+" run pytest"))
			}
		}
	}
	if f.prefersTox() {
		forms = append(forms, newCommand("tox"))
	}
	for _, venv := range f.listVenvs() {
		forms = append(forms, pytestCommand(venv+"/bin/pytest"), pytestCommand(venv+"/bin/python -m pytest"))
	}
	return append(forms, pytestCommand("pytest"), pytestCommand("python3 -m pytest"), pytestCommand("python -m pytest"))
}

// listVenvs returns the folders of the project that are environments of Python.
func (f folder) listVenvs() []string {
	return slices.DeleteFunc([]string{".venv", "venv"}, func(name string) bool { return !f.has(path.Join(name, "bin", "python")) })
}

// pytestCommand returns a command that runs pytest. Its harmless form imports the tests and leaves no files.
func pytestCommand(line string) Command {
	c := newCommand(line)
	argv := strings.Fields(line)
	c.Probe = append(slices.Clone(argv), "--version")
	c.Try = append(slices.Clone(argv), "--collect-only", "-q", "-p", "no:cacheprovider")
	c.Env = []string{"PYTHONDONTWRITEBYTECODE=1"}
	c.NoTests = []int{5}
	return c
}

// prefersTox reports whether a project has a tox.ini, and nothing that tells how to run its tests without.
func (f folder) prefersTox() bool {
	return f.has("tox.ini") && !f.has("pytest.ini", "pyproject.toml") && !f.mentions("[pytest]", "tox.ini")
}

// toxCommands returns tox for a project in which no pytest starts.
func (f folder) toxCommands() []Command {
	if !f.has("tox.ini") && !f.mentions("[tool.tox", "pyproject.toml") {
		return nil
	}
	c := newCommand("tox")
	c.Last = true
	return []Command{c}
}

// unittestCommands returns the ways to run unittest, for a project in which no pytest starts and whose
// tests are unittest's.
func (f folder) unittestCommands(tests []string) []Command {
	args := ""
	switch {
	case f.has("manage.py"):
		args = "manage.py test"
	case !slices.ContainsFunc(tests, func(name string) bool { return f.mentions("unittest", name) }):
		return nil
	case slices.ContainsFunc(tests, func(name string) bool {
		return !strings.Contains(name, "/") || f.has(path.Join(path.Dir(name), "__init__.py"))
	}):
		args = "-m unittest discover"
	default:
		args = "-m unittest discover -s " + path.Dir(tests[0])
	}
	var programs []string
	if f.has("uv.lock") {
		programs = append(programs, "uv run python")
	}
	for _, venv := range f.listVenvs() {
		programs = append(programs, venv+"/bin/python")
	}
	var forms []Command
	for _, program := range append(programs, "python3", "python") {
		c := newCommand(program + " " + args)
		c.Last = true
		if strings.HasPrefix(args, "-m ") && !strings.HasPrefix(program, "uv ") {
			// The pattern fits no test: the files are imported, and nothing in them runs.
			c.Try = append(strings.Fields(c.Line), "-k", "no_test_has_this_name")
			c.Env = []string{"PYTHONDONTWRITEBYTECODE=1"}
			c.Quiet = []int{5}
		}
		forms = append(forms, c)
	}
	return forms
}

// listPythonTests returns the files of tests that runners would find, relative to the folder.
func (f folder) listPythonTests() []string {
	var list []string
	for _, dir := range []string{"", "tests", "test"} {
		in := folder{root: f.root, name: path.Join(f.name, dir)}
		for _, name := range in.findMatches("test_*.py", "*_test.py") {
			list = append(list, path.Join(dir, name))
		}
	}
	return list
}
