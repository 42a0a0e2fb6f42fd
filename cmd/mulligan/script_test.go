package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
	"mulligan/journal/jetstream/clustertest"
)

// TestMain makes the test binary the program too: scripts run it as `mulligan`, which finds it as
// `mulligan-keeper` beside it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	clustertest.Play()
	testscript.Main(m, map[string]func(){"mulligan": main, "mulligan-keeper": process.KeeperMain, "mulligan-backwards": backwards, "mulligan-later": later, "mksocket": mksocket, "ontty": ontty})
}

func TestScripts(t *testing.T) {
	if !mounts() {
		t.Log("left out: wall_readonly with a read-only file system: this user cannot mount")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                scriptCommands(),
		Condition:           condition,
	})
}

// scriptCommands are what a script can do besides what testscript has.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"repo":    repo,
		"waitfor": waitfor,
		"killpid": killpid,
		"gone":    gone,
		"count":   count,
		"exits":   exits,
		"bigfile": bigfile,
		"notree":  notree,
		"events":  events,
		"isjson":  isjson,
		"noraw":   noraw,

		"gocache":  gocache,
		"onlypath": onlypath,
		"manager":  manager,

		"cluster":    cluster,
		"killleader": killleader,
		"tidy":       tidy,
		"forge":      forge,
		"hear":       hear,

		"smalldisk": smalldisk,
		"readonly":  readonly,

		"hookserver": hookserver,
		"webhook":    webhook,
		"collector":  collector,
		"scrape":     scrape,
	}
	maps.Copy(commands, terminalCommands())
	return commands
}

// setup gives a script an empty home and nothing of this machine's configuration.
func setup(env *testscript.Env) error {
	for _, name := range []string{"home", "state", "config", "run"} {
		if err := os.Mkdir(filepath.Join(env.WorkDir, name), 0o700); err != nil {
			return err
		}
	}
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
	env.Setenv("XDG_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	env.Setenv("GORACE", "atexit_sleep_ms=0")
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("LANG", "C.UTF-8")
	// The agents of most scripts leave marks beside their home. Scripts about confinement set it to auto.
	env.Setenv("MULLIGAN_SANDBOX", "none")
	env.Values[servers{}] = &servers{}
	terminalSetup(env)
	return nil
}

// repo DIR makes a git repository of the files that the script put there.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	for _, argv := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "A User"},
		{"config", "user.email", "user@example.com"},
		{"add", "-A"},
		{"commit", "-q", "--allow-empty", "-m", "start"},
	} {
		_, err := process.Tool{Dir: dir, Env: scriptEnv(ts), Argv: append([]string{"git"}, argv...)}.Output(context.Background())
		ts.Check(err)
	}
}

func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// waitfor FILE [PATTERN] waits until the file exists, and a line of it matches. In a file named
// .pid that is a process id: a shell that writes one has made an empty file before.
func waitfor(ts *testscript.TestScript, neg bool, args []string) {
	path, pattern := ts.MkAbs(args[0]), regexp.MustCompile("")
	if len(args) > 1 {
		pattern = regexp.MustCompile("(?m)" + args[1])
	} else if filepath.Ext(path) == ".pid" {
		pattern = regexp.MustCompile(`(?m)^\d+$`)
	}
	for deadline := time.Now().Add(processtest.HangGuard); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && pattern.Match(data) {
			return
		}
	}
	data, _ := os.ReadFile(path)
	ts.Fatalf("%s did not come to match %s; it has:\n%s", args[0], pattern, data)
}

// killpid FILE ends, with SIGKILL, the process whose id the file has.
func killpid(ts *testscript.TestScript, neg bool, args []string) {
	p, err := os.FindProcess(pidIn(ts, args[0]))
	ts.Check(err)
	ts.Check(p.Kill())
}

func pidIn(ts *testscript.TestScript, file string) int {
	waitfor(ts, false, []string{file, `^\d+$`})
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(file)))
	ts.Check(err)
	if pid < 2 {
		ts.Fatalf("%s has no process id", file)
	}
	return pid
}

// gone FILE wants the process whose id the file has to be no more, or soon.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	pid := pidIn(ts, args[0])
	alive := func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	for deadline := time.Now().Add(processtest.HangGuard); time.Now().Before(deadline) && alive() != neg; time.Sleep(10 * time.Millisecond) {
	}
	if alive() != neg {
		ts.Fatalf("process %d: alive is %v", pid, alive())
	}
}

// count N PATTERN FILE wants N lines of the file to match.
func count(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	pattern, got := regexp.MustCompile(args[1]), 0
	text := ts.ReadFile(args[2])
	for line := range strings.Lines(text) {
		if pattern.MatchString(strings.TrimRight(line, "\n")) {
			got++
		}
	}
	if (got == want) == neg {
		ts.Fatalf("%d lines match %s, want %d:\n%s", got, args[1], want, text)
	}
}

// exits CODE COMMAND… wants the command to end with that code; its output is stdout and
// stderr for what follows.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		var coded interface{ ExitCode() int }
		if ok := asCoded(err, &coded); !ok {
			ts.Fatalf("%v", err)
		}
		code = coded.ExitCode()
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("%s exited with %s, want %s\nstdout:\n%s\nstderr:\n%s", strings.Join(args[1:], " "), got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func asCoded(err error, to *interface{ ExitCode() int }) bool {
	for ; err != nil; err = unwrap(err) {
		if c, ok := err.(interface{ ExitCode() int }); ok {
			*to = c
			return true
		}
	}
	return false
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}

// bigfile FILE BYTES makes a file of that size.
func bigfile(ts *testscript.TestScript, neg bool, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("# filling\n", size/10+1)), 0o644))
}

// notree FOLDER TEXT wants the text to be in no file below the folder.
func notree(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), args[1]) {
			return fmt.Errorf("%s has %q", path, args[1])
		}
		return err
	}))
}

// condition tells what this machine can do. A script that is skipped for want of it is in
// the list that `make test` ends with.
func condition(name string) (bool, error) {
	switch name {
	case "mounts":
		return mounts(), nil
	case "landlock":
		return process.DescribeLandlock(process.LandlockABI()).Confines, nil
	case "bwrap":
		_, err := process.Find("bwrap", "/", os.Environ())
		return err == nil, nil
	case "venv":
		_, err := process.Tool{Argv: []string{"python3", "-c", "import venv, ensurepip"}}.Output(context.Background())
		return err == nil, nil
	case "managers":
		return hasManagers(), nil
	case "slow":
		return *faultsAll, nil
	}
	return false, fmt.Errorf("%q is no condition", name)
}

// events FILE wants every line to be an event, numbered without gaps.
func events(ts *testscript.TestScript, neg bool, args []string) {
	number := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e struct {
			V       int    `json:"v"`
			Session string `json:"session"`
			N       int    `json:"n"`
			Kind    string `json:"kind"`
		}
		ts.Check(json.Unmarshal([]byte(line), &e))
		if number++; e.V != 1 || e.N != number || e.Session == "" || e.Kind == "" {
			ts.Fatalf("line %d is not event %d: %s", number, number, line)
		}
	}
	if number == 0 {
		ts.Fatalf("%s has no events", args[0])
	}
}

// isjson FILE wants the file to be one JSON value.
func isjson(ts *testscript.TestScript, neg bool, args []string) {
	if json.Valid([]byte(ts.ReadFile(args[0]))) == neg {
		ts.Fatalf("%s: valid JSON is %v:\n%s", args[0], neg, ts.ReadFile(args[0]))
	}
}

// noraw FILE wants no control character in the file but tabs and line ends.
func noraw(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
	if i >= 0 {
		ts.Fatalf("%s has %q", args[0], text[i:min(len(text), i+40)])
	}
}

// onlypath DIR PROGRAM… makes DIR all there is on PATH, with links to these programs in it: what
// else this machine has must neither be found nor run.
func onlypath(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for _, name := range args[1:] {
		path, err := process.Find(name, dir, []string{"PATH=" + ts.Getenv("PATH")})
		ts.Check(err)
		ts.Check(os.Symlink(path, filepath.Join(dir, name)))
	}
	ts.Setenv("PATH", dir)
}
