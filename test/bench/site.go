package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A site is the temporary folder that everything is measured in. Nothing of the user's own
// configuration reaches what runs there.
type site struct {
	program string // the path of mulligan
	self    string // the path of the bench, which plays the agent
	dir     string
	env     []string
	bytes   int64
	repos   int
}

func newSite(program, parent string, bytes int64) (*site, error) {
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("the program is not built (make build): %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "mulligan-bench-")
	if err != nil {
		return nil, err
	}
	s := &site{program: program, self: self, dir: dir, bytes: bytes}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost",
		"GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost",
		"MULLIGAN_TRUST=1", // agents write their logs outside of the repository, and some sessions have sandbox: none
	}
	for variable, folder := range map[string]string{
		"HOME": "home", "TMPDIR": "tmp", "XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "config",
		"XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache",
	} {
		path := filepath.Join(dir, folder)
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		s.env = append(s.env, variable+"="+path)
	}
	return s, nil
}

// logs returns the folder in which agents may write when they started and ended.
func (s *site) logs() string { return filepath.Join(s.dir, "logs") }

func (s *site) remove() {
	if err := os.RemoveAll(s.dir); err != nil {
		fmt.Fprintln(os.Stderr, "bench: left behind:", err)
	}
}

// dropState removes the journal and the kept outputs, which may be large.
func (s *site) dropState() error {
	state := filepath.Join(s.dir, "state")
	if err := os.RemoveAll(state); err != nil {
		return err
	}
	return os.Mkdir(state, 0o700)
}

// A job is a repository of 100 files with a config and a task.
type job struct {
	repo string
	log  string // the path where the agent writes when it started and ended
}

// A work describes what the job's agent and its check do.
type work struct {
	agent      []string // arguments of the fake agent after its log
	agents     string   // lines of the config for another agent than the fake one
	check      string
	retry      int
	iterations int                     // of a loop; 0: a pipeline
	step       string                  // further lines of the pipeline's step
	more       string                  // further lines of the config
	task       string                  // the text of the task
	files      func(repo string) error // writes further files; may be nil
}

// newJob makes a repository for the work.
func (s *site) newJob(w work) (job, error) {
	s.repos++
	j := job{
		repo: filepath.Join(s.dir, fmt.Sprintf("repo-%d", s.repos)),
		log:  filepath.Join(s.logs(), fmt.Sprintf("turns-%d", s.repos)),
	}
	if err := os.MkdirAll(s.logs(), 0o700); err != nil {
		return j, err
	}
	files := map[string]string{
		"mulligan.yaml": s.jobConfig(j, w),
		"tasks/job.md":  fmt.Sprintf("%s\nMake the check pass. This is job %d.\n", w.task, s.repos),
	}
	for i := range 98 {
		files[fmt.Sprintf("src/part%d/file%d.txt", i%7, i)] = strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20)
	}
	for name, text := range files {
		path := filepath.Join(j.repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return j, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return j, err
		}
	}
	if w.files != nil {
		if err := w.files(j.repo); err != nil {
			return j, err
		}
	}
	for _, argv := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "start"},
	} {
		if _, err := s.run(j.repo, 0, argv...); err != nil {
			return j, err
		}
	}
	return j, nil
}

func (s *site) jobConfig(j job, w work) string {
	agent := w.agents
	if agent == "" {
		agent = "    type: program\n" + execLine(append([]string{s.self, asAgent, j.log}, w.agent...))
	}
	return fmt.Sprintf(`version: 1
agent: fake
agents:
  fake:
%s    writable: [%q]
%slimits:
  turns: 10000
%s`, agent, s.logs(), w.stepsConfig(), w.more)
}

// execLine returns the line of an agent's config with the command that starts it.
func execLine(argv []string) string {
	var quoted []string
	for _, arg := range argv {
		quoted = append(quoted, fmt.Sprintf("%q", arg))
	}
	return "    exec: [" + strings.Join(quoted, ", ") + "]\n"
}

// stepsConfig returns the config's lines for a loop or for a pipeline of one step.
func (w work) stepsConfig() string {
	if w.iterations > 0 {
		return fmt.Sprintf("loop: {iterations: %d, check: %q}\n", w.iterations, w.check)
	}
	return fmt.Sprintf(`pipelines:
  default:
    - name: implement
      check:
        type: shell
        command: %q
      retry: %d
%s`, w.check, w.retry, w.step)
}
