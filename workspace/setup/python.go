package setup

import (
	"path"
	"slices"
	"strings"
)

// planPython chooses by the environment in the folder: uv and Poetry know .venv alone.
func (f folder) planPython() (Plan, bool) {
	venv := f.findVenv()
	if venv == "" {
		return Plan{}, false
	}
	uv, poetry := f.hasFile("uv.lock"), f.hasFile("poetry.lock")
	if uv && poetry { // what made the environment tells
		uv = f.isMadeByUV(venv)
		poetry = !uv
	}
	switch {
	case venv != ".venv":
	case uv:
		return Plan{
			Tool: "uv", Command: "uv sync --frozen", Makes: []string{venv}, Why: f.explain("uv.lock", venv),
			Reads: f.listPresent("uv.lock", "pyproject.toml", "uv.toml", ".python-version"),
		}, true
	case poetry:
		return Plan{
			Tool: "poetry", Makes: []string{venv}, Why: f.explain("poetry.lock", venv),
			// Poetry would install into an environment that is active: the person's own.
			Command: "unset VIRTUAL_ENV CONDA_PREFIX && POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install",
			Reads:   f.listPresent("poetry.lock", "pyproject.toml", "poetry.toml"),
		}, true
	}
	return f.planPip(venv)
}

// findVenv returns the environment of Python in the folder, or "" if there is none.
func (f folder) findVenv() string {
	for _, name := range []string{".venv", "venv", "env"} {
		if f.hasFile(name + "/pyvenv.cfg") {
			return name
		}
	}
	return ""
}

func (f folder) isMadeByUV(venv string) bool {
	for line := range strings.Lines(f.readFile(venv + "/pyvenv.cfg")) {
		key, _, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == "uv" {
			return true
		}
	}
	return false
}

// planPip plans an environment with the requirements of the folder, and with the projects of the checkout that
// are installed there as editable.
func (f folder) planPip(venv string) (Plan, bool) {
	files := f.listRequirementFiles(venv)
	if len(files) == 0 && len(f.listPresent("pdm.lock", "Pipfile.lock")) > 0 {
		return Plan{}, false // their tool installs more than the project
	}
	needed := f.readRequirements(files)
	var args []string
	for _, name := range files {
		args = append(args, "-r "+name)
	}
	reads := needed.files
	for _, dir := range f.listEditable(venv) {
		quoted, ok := quotePath(dir)
		if !ok || slices.Contains(needed.editable, dir) {
			continue
		}
		args = append(args, "-e "+quoted)
		for _, name := range []string{"pyproject.toml", "setup.py", "setup.cfg"} {
			reads = append(reads, f.listPresent(path.Join(dir, name))...)
		}
	}
	if len(args) == 0 {
		return Plan{}, false
	}
	return Plan{
		Tool: "pip", Makes: []string{venv}, Reads: reads, Why: f.explain(reads[0], venv),
		Command: "python3 -m venv " + venv + " && " + venv + "/bin/pip install " + strings.Join(args, " "),
	}, true
}
