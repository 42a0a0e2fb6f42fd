package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/workspace"
)

// A site is the folder that all runs are played in. Nothing of the user's own configuration reaches them.
type site struct {
	program string
	dir     string
	path    string // the PATH of the runs, without the program
	caches  []string
}

// newSite makes the folder below parent, or below the user's cache folder: an agent may write the temporary
// folders, so what must not be written cannot be there.
func newSite(ctx context.Context, program, parent string) (*site, error) {
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("the program is not built (make build): %w", err)
	}
	if parent == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder for the runs (give one with -dir): %w", err)
		}
		parent = cache
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "honest-")
	if err != nil {
		return nil, err
	}
	s := &site{program: program, dir: dir}
	goroot, err := process.Tool{Argv: []string{"go", "env", "GOROOT"}}.Output(ctx)
	if err != nil {
		s.remove()
		return nil, err
	}
	s.path = filepath.Join(strings.TrimSpace(string(goroot)), "bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
	// Every run has an empty home, but compiling the standard library for each would take most of the time. So
	// this cache stays.
	kept, err := os.UserCacheDir()
	if err != nil {
		kept = parent
	}
	s.caches = []string{
		"GOCACHE=" + filepath.Join(kept, "honest-go-build"), "GOPATH=" + filepath.Join(dir, "go"),
		"GOTOOLCHAIN=local", "GOPROXY=off",
	}
	return s, nil
}

func (s *site) remove() {
	if err := removeAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "honest: left behind:", err)
	}
}

func (s *site) removeCase(r run) { _ = removeAll(s.caseDir(r)) } // remove reports what could not be

// removeAll removes a folder, also one in which agents made folders unreadable.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// warm fills the cache of the go tool, so that no check has to wait for it.
func (s *site) warm(ctx context.Context, runs []run) error {
	i := slices.IndexFunc(runs, func(r run) bool { return strings.HasPrefix(r.on.check, "go ") })
	if i < 0 {
		return nil
	}
	r := run{scenario: scenario{name: "warm", on: adder()}}
	st, err := s.newStage(ctx, r)
	if err != nil {
		return err
	}
	if out, err := st.shUntil(ctx, st.at("repo"), adder().solve+"\ngo vet ./...\ngo test ./...\ngo test -cover ./...\n"); err != nil {
		return fmt.Errorf("go test fails on an honest solution: %w: %s", err, out)
	}
	s.removeCase(r)
	return nil
}

// missingTool returns a program that the run needs and that is not installed, or "".
func (s *site) missingTool(r run) string {
	scripts := strings.Join([]string{r.command(), r.checks, r.setup, r.prepare, r.first, r.then, r.after}, "\n")
	for _, tool := range []struct{ word, program string }{
		{"npm", "npm"},
		{"node ", "node"},
		{"python3", "python3"},
		{"pytest", "pytest"},
		{"make ", "make"},
		{"cc -o", "cc"},
		{"git lfs", "git-lfs"},
		{"unshare", "unshare"},
		{"setsid", "setsid"},
	} {
		if strings.Contains(scripts, tool.word) && !slices.ContainsFunc(filepath.SplitList(s.path), func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, tool.program))
			return err == nil
		}) {
			return tool.program
		}
	}
	return ""
}

func (s *site) caseDir(r run) string { return filepath.Join(s.dir, fmt.Sprint(r.number)) }

// A stage is the folder of one run: the person's checkout, a home, a state folder, and a folder outside of them all.
type stage struct {
	run
	site *site
	dir  string
	env  []string
}

const preciousText = "precious\n"

// newStage makes the repository and all around it.
func (s *site) newStage(ctx context.Context, r run) (*stage, error) {
	st := &stage{run: r, site: s, dir: s.caseDir(r)}
	for _, name := range []string{"repo", "home", "home/bin", "state", "config", "run", "tmp", "apart", "outside", "bin"} {
		if err := os.MkdirAll(filepath.Join(st.dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	st.env = append(slices.Concat(s.caches, r.env),
		"PATH="+strings.Join([]string{st.at("bin"), st.at("home/bin"), s.path}, ":"),
		"HOME="+st.at("home"), "TMPDIR="+st.at("tmp"), "XDG_RUNTIME_DIR="+st.at("run"),
		"XDG_STATE_HOME="+st.at("state"), "XDG_CONFIG_HOME="+st.at("config"), "LANG=C.UTF-8",
		"npm_config_update_notifier=false", "NO_COLOR=1",
		"CASE="+st.dir, "REC="+st.at("tmp"), "STATE="+st.at("state/mulligan"), "OUTSIDE="+st.at("outside"),
	)
	if err := st.writeFiles(); err != nil {
		return nil, err
	}
	script := "git init -q -b main\ngit commit -q --allow-empty -m before\n" + r.setup + "\ngit add -A\ngit commit -q --allow-empty -m start\n" + r.prepare
	if out, err := st.shUntil(ctx, st.at("repo"), script); err != nil {
		return nil, fmt.Errorf("the setup failed: %w: %s", err, out)
	}
	return st, nil
}

func (s *stage) at(name string) string { return filepath.Join(s.dir, name) }

// workspace returns the folder in which the agent works.
func (s *stage) workspace() (string, error) {
	root, err := workspace.Find(s.at("repo"))
	if err != nil {
		return "", err
	}
	return workspace.WorkspaceIn(environ.Folders{State: s.at("state/mulligan")}.Slot(root.Repository(), 1)), nil
}

// writeFiles writes the project, its config, the agent, and what is outside of the workspace.
func (s *stage) writeFiles() error {
	files := map[string]string{
		"repo/mulligan.yaml": writeConfig(s.run),
		"repo/task.md":       "# Make the check pass\nSolve the task that the check describes.\n",
		"outside/precious":   preciousText,
		"home/.gitconfig":    "[user]\n\tname = A Person\n\temail = person@example.com\n[protocol \"file\"]\n\tallow = always\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
		"home/.profile":      "# mine\n",
		// What agents leave for the judge is in a folder that they may write.
		"config/mulligan/mulligan.yaml": fmt.Sprintf("version: 1\nagents: {it: {type: program, writable: [%q]}}\n", s.at("tmp")),
	}
	for name, text := range s.on.files {
		files["repo/"+name] = text
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(s.at(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(s.at(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := os.Symlink(s.site.program, s.at("bin/mulligan")); err != nil {
		return err
	}
	return os.WriteFile(s.at("bin/the-agent"), []byte(s.agentScript()), 0o755)
}

// agentScript returns the agent's program. It keeps its prompts, so that what it was told can be read.
func (s *stage) agentScript() string {
	then := s.then
	if then == "" {
		then = s.on.solve
	}
	strict := ":"
	if s.honest {
		strict = "set -e" // a command that does not work confined ends the turn, and the run is disturbed
	}
	return fmt.Sprintf(`#!/bin/sh
CASE='%s' REC='%s' STATE='%s' OUTSIDE='%s' WORK=$PWD
export CASE REC STATE OUTSIDE WORK
n=$(($(cat "$REC/turns" 2>/dev/null || echo 0) + 1))
echo $n >"$REC/turns"
cat >"$REC/prompt.$n"
%s
if [ $n = 1 ]; then
:
%s
else
:
%s
fi
exit 0
`, s.dir, s.at("tmp"), s.at("state/mulligan"), s.at("outside"), strict, s.first, then)
}
