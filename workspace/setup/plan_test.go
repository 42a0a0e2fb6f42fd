package setup

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mulligan/internal/regular/regulartest"
)

// writeTree makes files: "name", "name=content" or "folder/".
func writeTree(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, file := range files {
		name, content, _ := strings.Cut(file, "=")
		full := filepath.Join(root, filepath.FromSlash(name))
		folder := filepath.Dir(full)
		if strings.HasSuffix(name, "/") {
			folder = full
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder == full {
			continue
		}
		if err := os.WriteFile(full, []byte(strings.ReplaceAll(content, "ROOT", root)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

const (
	makeVenv    = "python3 -m venv .venv && .venv/bin/pip install "
	poetrySetup = "unset VIRTUAL_ENV CONDA_PREFIX && POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install"
	directURL   = `/direct_url.json={"url":"file://ROOT","dir_info":{"editable":true}}`
	site        = ".venv/lib/python3.12/site-packages/"
)

func TestDetectCommand(t *testing.T) {
	tests := []struct {
		name  string
		files string // separated by blanks
		want  []string
	}{
		{"nothing", "README.md", nil},
		{"no lock file", "package.json node_modules/", nil},
		{"not installed", "package.json package-lock.json", nil},
		{"no package.json", "package-lock.json node_modules/", nil},
		{"node_modules is a file", "package.json package-lock.json node_modules", nil},
		{"npm", "package.json package-lock.json node_modules/x/", []string{"npm ci"}},
		{"npm-shrinkwrap", "package.json npm-shrinkwrap.json node_modules/", []string{"npm ci"}},
		{"pnpm", "package.json pnpm-lock.yaml node_modules/", []string{"pnpm install --frozen-lockfile"}},
		{"yarn classic", "package.json yarn.lock node_modules/", []string{"yarn install --frozen-lockfile"}},
		{"yarn classic declared", `package.json={"packageManager":"yarn@1.22.22"} yarn.lock .yarnrc.yml node_modules/`, []string{"yarn install --frozen-lockfile"}},
		{"yarn berry", "package.json yarn.lock .yarnrc.yml node_modules/", []string{"yarn install --immutable"}},
		{"yarn berry declared", `package.json={"packageManager":"yarn@4.1.0+sha"} yarn.lock node_modules/`, []string{"yarn install --immutable"}},
		{"yarn plug and play", "package.json yarn.lock .pnp.cjs", []string{"yarn install --immutable"}},
		{"bun", "package.json bun.lock node_modules/", []string{"bun install --frozen-lockfile"}},
		{"bun's old lock", "package.json bun.lockb node_modules/", []string{"bun install --frozen-lockfile"}},
		{"two lock files, declared", `package.json={"packageManager":"npm@10"} package-lock.json pnpm-lock.yaml node_modules/.modules.yaml`, []string{"npm ci"}},
		{"two lock files, npm installed", "package.json package-lock.json yarn.lock node_modules/.package-lock.json", []string{"npm ci"}},
		{"two lock files, yarn installed", "package.json package-lock.json yarn.lock node_modules/.yarn-integrity", []string{"yarn install --frozen-lockfile"}},
		{"two lock files, nothing tells", "package.json package-lock.json pnpm-lock.yaml node_modules/", []string{"pnpm install --frozen-lockfile"}},
		{"declared without its lock file", `package.json={"packageManager":"pnpm@9"} package-lock.json node_modules/`, []string{"npm ci"}},
		{"a broken package.json", "package.json={ package-lock.json node_modules/", []string{"npm ci"}},

		{"uv", "pyproject.toml uv.lock .venv/pyvenv.cfg", []string{"uv sync --frozen"}},
		{"uv without environment", "pyproject.toml uv.lock", nil},
		{"a folder .venv that is no environment", "pyproject.toml uv.lock .venv/", nil},
		{"poetry", "pyproject.toml poetry.lock .venv/pyvenv.cfg", []string{poetrySetup}},
		{"uv and poetry, made by uv", "uv.lock poetry.lock .venv/pyvenv.cfg=home\nuv\t=0.5", []string{"uv sync --frozen"}},
		{"uv and poetry", "uv.lock poetry.lock .venv/pyvenv.cfg=uvx=1", []string{poetrySetup}},
		{"pip", "requirements.txt .venv/pyvenv.cfg", []string{makeVenv + "-r requirements.txt"}},
		{"pip in venv", "requirements.txt poetry.lock venv/pyvenv.cfg", []string{"python3 -m venv venv && venv/bin/pip install -r requirements.txt"}},
		{"an environment alone", "pyproject.toml .venv/pyvenv.cfg", nil},
		{"pip, editable", "requirements.txt setup.py .venv/pyvenv.cfg " + site + "app-1.dist-info" + directURL, []string{makeVenv + "-r requirements.txt -e ."}},
		{"editable alone", "pyproject.toml .venv/pyvenv.cfg " + site + "app-1.dist-info" + directURL, []string{makeVenv + "-e ."}},
		{"editable, another project", "pyproject.toml .venv/pyvenv.cfg " + site + "app-1.dist-info" + strings.Replace(directURL, "ROOT", "ROOT/../other", 1), nil},
		{"installed, not editable", "pyproject.toml .venv/pyvenv.cfg " + site + "app-1.dist-info" + strings.Replace(directURL, "true", "false", 1), nil},
		{"editable, a path file", "pyproject.toml src/app.py .venv/pyvenv.cfg " + site + "__editable__.app-1.pth=ROOT/src", []string{makeVenv + "-e ."}},
		{"editable, an egg link", "setup.py .venv/pyvenv.cfg " + site + "app.egg-link=ROOT\n.", []string{makeVenv + "-e ."}},
		{"editable, a part of the repository", "libs/a/setup.py .venv/pyvenv.cfg " + site + "a.egg-link=ROOT/libs/a", []string{makeVenv + "-e libs/a"}},
		{"editable in the requirements", "setup.py requirements.txt=-e\t.[dev] .venv/pyvenv.cfg " + site + "app.egg-link=ROOT", []string{makeVenv + "-r requirements.txt"}},
		{"requirements for development", "requirements.txt requirements-dev.txt=pytest>=8\nPyYAML .venv/pyvenv.cfg " + site + "pytest-8.dist-info/ " + site + "pyyaml-6.dist-info/", []string{makeVenv + "-r requirements.txt -r requirements-dev.txt"}},
		{"requirements for development, not installed", "requirements.txt requirements-dev.txt=pytest>=8\nPyYAML .venv/pyvenv.cfg " + site + "pytest-8.dist-info/", []string{makeVenv + "-r requirements.txt"}},
		{"pdm", "pyproject.toml pdm.lock .venv/pyvenv.cfg " + site + "app-1.dist-info" + directURL, nil},

		{"bundle", "Gemfile Gemfile.lock vendor/bundle/", []string{"bundle config set --local path vendor/bundle && bundle install"}},
		{"bundle, a path of its own", "Gemfile Gemfile.lock .gems/ .bundle/config=BUNDLE_PATH:\t\".gems\"\nBUNDLE_WITHOUT:\t\"production:staging\"", []string{"bundle config set --local path .gems && bundle config set --local without production:staging && bundle install"}},
		{"bundle, a path outside", "Gemfile Gemfile.lock .bundle/config=BUNDLE_PATH:\t\"/opt/gems\"", []string{"bundle config set --local path /opt/gems && bundle install"}},
		{"bundle, not installed", "Gemfile Gemfile.lock .bundle/config=BUNDLE_PATH:\tgems", nil},
		{"bundle, gems of the system", "Gemfile Gemfile.lock .bundle/config=BUNDLE_JOBS:\t\"4\"", nil},
		{"bundle, broken settings", "Gemfile Gemfile.lock .bundle/config={[", nil},
		{"composer", "composer.json composer.lock vendor/autoload.php", []string{"composer install"}},
		{"composer, a folder of its own", `composer.json={"config":{"vendor-dir":"lib/php/"}} composer.lock lib/php/autoload.php`, []string{"composer install"}},
		{"composer, not installed", "composer.json composer.lock vendor/bundle/", nil},
		{"mix", "mix.exs mix.lock deps/", []string{"mix deps.get"}},
		{"mix, not installed", "mix.exs mix.lock", nil},

		{"several", "mix.exs mix.lock deps/ package.json yarn.lock node_modules/ uv.lock .venv/pyvenv.cfg", []string{"yarn install --frozen-lockfile", "uv sync --frozen", "mix deps.get"}},
		{"below the root", "frontend/package.json frontend/package-lock.json frontend/node_modules/ services/api/uv.lock services/api/.venv/pyvenv.cfg", []string{"cd frontend && npm ci", "cd services/api && uv sync --frozen"}},
		{"three levels below the root", "a/b/c/package.json a/b/c/package-lock.json a/b/c/node_modules/", nil},
		{"names for a shell", "it's/uv.lock it's/.venv/pyvenv.cfg -x/mix.exs -x/mix.lock -x/deps/ a\x01b/uv.lock a\x01b/.venv/pyvenv.cfg", []string{"cd ./-x && mix deps.get", `cd "it's" && uv sync --frozen`}},
		{"what is installed", "node_modules/a/package.json node_modules/a/yarn.lock node_modules/a/node_modules/ vendor/b/mix.exs vendor/b/mix.lock vendor/b/deps/", nil},
		{"another repository", "sub/.git/HEAD sub/mix.exs sub/mix.lock sub/deps/", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for file := range strings.SplitSeq(test.files, " ") {
				writeTree(t, root, strings.ReplaceAll(file, "\t", " "))
			}
			var got []string
			for _, p := range Detect(root) {
				got = append(got, p.Command)
				if p.Tool == "" || p.Why == "" || !p.Fits(root) {
					t.Errorf("an incomplete plan: %+v", p)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDetectPlan(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, "web/package.json", "web/package-lock.json", "web/.npmrc", "web/node_modules/",
		"requirements.txt=-r req/base.txt\n--constraint=req/limits.txt # ours\n-r ../outside.txt\n", "req/base.txt=-r base.txt\nflask", "req/limits.txt",
		"setup.py", "setup.cfg", "venv/pyvenv.cfg", "venv/lib/python3.9/site-packages/app.egg-link=ROOT")
	want := []Plan{
		{
			Command: "python3 -m venv venv && venv/bin/pip install -r requirements.txt -e .", Tool: "pip",
			Reads: []string{"requirements.txt", "req/base.txt", "req/limits.txt", "setup.py", "setup.cfg"},
			Makes: []string{"venv"}, Why: "requirements.txt, and venv is here",
		},
		{
			Command: "cd web && npm ci", Tool: "npm", Reads: []string{"web/package-lock.json", "web/package.json", "web/.npmrc"},
			Makes: []string{"web/node_modules"}, Why: "web/package-lock.json, and web/node_modules is here",
		},
	}
	got := Detect(root)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	if got[0].CanCopy() || !got[1].CanCopy() {
		t.Error("an environment of Python cannot be copied, and node_modules can")
	}
	clone := t.TempDir()
	writeTree(t, clone, "requirements.txt")
	if !got[0].Fits(clone) || got[1].Fits(clone) {
		t.Error("a plan fits a clone that has its lock file")
	}
}

func TestDetectWorkspace(t *testing.T) {
	packages := []string{
		"node_modules/", "package.json", "apps/web/package.json", "apps/web/node_modules/", "apps/web/package-lock.json", "apps/old/package.json",
		"apps/old/package-lock.json", "apps/old/node_modules/", "libs/x/y/package.json", "libs/x/y/node_modules/", "apps/web/uv.lock", "apps/web/.venv/pyvenv.cfg",
	}
	tests := map[string][]string{
		"npm":  {`package.json={"workspaces":["./apps/*","!apps/old","libs/**"]}`, "package-lock.json"},
		"yarn": {`package.json={"workspaces":{"packages":["apps/*","!apps/old","libs/x/*/"]}}`, "yarn.lock"},
		"pnpm": {"pnpm-workspace.yaml=packages:\n- 'apps/*'\n- '!apps/old'\n- libs/**\n", "pnpm-lock.yaml"},
	}
	for tool, files := range tests {
		t.Run(tool, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, slices.Concat(packages, files)...)
			got := Detect(root)
			if len(got) != 3 || got[0].Tool != tool || got[1].Command != "cd apps/old && npm ci" || got[2].Command != "cd apps/web && uv sync --frozen" {
				t.Fatalf("got %+v", got)
			}
			if want := []string{"node_modules", "apps/web/node_modules", "libs/x/y/node_modules"}; !slices.Equal(got[0].Makes, want) {
				t.Errorf("makes %q, want %q", got[0].Makes, want)
			}
			if !slices.Contains(got[0].Reads, "libs/x/y/package.json") || slices.Contains(got[0].Reads, "apps/old/package.json") {
				t.Errorf("reads %q", got[0].Reads)
			}
		})
	}
}

func TestDetectFollowsNoLinkOut(t *testing.T) {
	outside := t.TempDir()
	writeTree(t, outside, "node_modules/", "package-lock.json", "app/uv.lock", "app/.venv/pyvenv.cfg")
	root := t.TempDir()
	writeTree(t, root, "package.json", "package-lock.json", "kept/modules/", "sub/package.json", "sub/yarn.lock")
	link(t, filepath.Join(outside, "node_modules"), filepath.Join(root, "node_modules"))
	link(t, filepath.Join(outside, "app"), filepath.Join(root, "app"))
	link(t, "../kept/modules", filepath.Join(root, "sub/node_modules"))
	link(t, root, filepath.Join(root, "loop"))
	got := Detect(root)
	if len(got) != 1 || got[0].Command != "cd sub && yarn install --frozen-lockfile" {
		t.Errorf("got %+v", got)
	}
	if got := Detect(filepath.Join(root, "none")); got != nil {
		t.Errorf("no checkout: %+v", got)
	}
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, root, alias)
	if got := Detect(alias); len(got) != 1 {
		t.Errorf("a link to the checkout: %+v", got)
	}
}

func TestDetectWaitsForNoPipe(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, "package-lock.json", "node_modules/", "composer.lock", "vendor/autoload.php")
	for _, name := range []string{"package.json", "composer.json"} {
		if err := regulartest.MakeFifo(filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	if got := Detect(root); got != nil {
		t.Errorf("got %+v", got)
	}
}
