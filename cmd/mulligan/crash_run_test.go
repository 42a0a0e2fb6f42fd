package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"mulligan"
	"mulligan/internal/process"
)

// A scenario is a kind of session: a repository, and the commands that a person gives in it.
// Its file is an archive: comment lines, the commands (what is not mulligan is for a shell), and then
//
// Of the comment lines, `# exits: 4 0` says what the commands end with, `# compare: given` has its
// sessions told by what the agent was given, and with `# interrupted: stays` an interrupted session is
// resumed by the scenario's own commands alone.
// `# when asked: COMMAND` is what a person does while a session runs:
// once, as soon as the file asked is there; after it the file answered is made, which a hook can wait for.
//
//	proj/…    the repository, committed
//	after/…   what is put over it uncommitted
//	bin/…     programs on PATH; `note WHAT` is one that every child calls (see noteProgram)
type scenario struct {
	name     string
	commands [][]string
	template string // a folder with all of it, to be copied
	tell     teller // how its sessions are told
	exits    string // what its commands end with; "" where the file does not say
	stays    bool   // one that is interrupted waits for the scenario's next command
	asked    string // what a person does when a child asks for it; "" where none does

	want   *record
	points [][]string    // by process of the run that nothing killed
	took   time.Duration // of its longest process

	mu    sync.Mutex
	tally tally
	left  int // of its runs, in the complete matrix
}

// noteProgram notes which child runs, complains where an earlier one still does, and leaves a
// process of its own behind that tries to get away. `note beside WHAT` is for children that run
// beside the rest, one at a time.
const noteProgram = `#!/bin/sh
cd "${0%/*}/.."
ran=ran pids=pids
[ "$1" != beside ] || ran=ran-beside pids=pids-beside
while read -r pid; do
	stat=
	read -r stat <"/proc/$pid/stat"
	case $stat in "" | *") Z "* | *") X "*) ;; *) echo "$* runs beside process $stat" >>wrong ;; esac
done 2>/dev/null <$pids
[ -z "$MULLIGAN_TEST_CRASH$MULLIGAN_TEST_CRASH_LOG$MULLIGAN_TEST_PANIC" ] || echo "$* could end a mulligan of its own" >>wrong
echo "$* $MULLIGAN_STEP turn=$MULLIGAN_TURN attempt=$MULLIGAN_ATTEMPT iteration=$MULLIGAN_ITERATION" >>$ran
setsid sleep 60 >/dev/null 2>&1 &
printf "%s\\n" $PPID $! >>$pids
`

func readScenario(ctx context.Context, file, base string, repository fs.FS) (*scenario, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	s := &scenario{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), tell: tell}
	for line := range strings.Lines(string(archive.Comment)) {
		s.directive(strings.TrimSpace(line))
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			s.commands = append(s.commands, fields)
		}
	}
	if len(s.commands) == 0 {
		return nil, errors.New("no command")
	}
	s.template = filepath.Join(base, "template-"+s.name)
	archive.Files = append(archive.Files, txtar.File{Name: "bin/note", Data: []byte(noteProgram)})
	return s, s.build(ctx, archive.Files, repository)
}

// makeRepository makes the empty repository that every scenario begins with.
func makeRepository(ctx context.Context, base string) (fs.FS, error) {
	dir := filepath.Join(base, "repository")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	_, err := sh(ctx, dir, runEnv(base), "git init -q -b main && git config user.name A && git config user.email a@example.com")
	return os.DirFS(dir), err
}

func (s *scenario) directive(line string) {
	if line == "# compare: given" {
		s.tell = tellGiven
	}
	if line == "# interrupted: stays" {
		s.stays = true
	}
	if command, ok := strings.CutPrefix(line, "# when asked: "); ok {
		s.asked = command
	}
	if exits, ok := strings.CutPrefix(line, "# exits: "); ok {
		s.exits = "[" + exits + "]"
	}
}

func (s *scenario) build(ctx context.Context, files []txtar.File, repository fs.FS) error {
	for _, name := range []string{"proj", "home", "state", "config", "run"} {
		if err := os.MkdirAll(filepath.Join(s.template, name), 0o700); err != nil {
			return err
		}
	}
	write := func(into string, f txtar.File) error {
		path := filepath.Join(s.template, into)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(into, "bin/") {
			mode = 0o755
		}
		return os.WriteFile(path, f.Data, mode)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name, "after/") {
			if err := write(f.Name, f); err != nil {
				return err
			}
		}
	}
	proj := filepath.Join(s.template, "proj")
	if err := os.CopyFS(proj, repository); err != nil {
		return err
	}
	if _, err := sh(ctx, proj, runEnv(s.template), "git add -A && git -c maintenance.auto=false commit -q -m start"); err != nil {
		return err
	}
	for _, f := range files {
		if name, ok := strings.CutPrefix(f.Name, "after/"); ok {
			if err := write("proj/"+name, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// rehearse runs the scenario without a kill.
func (s *scenario) rehearse(ctx context.Context, base string) error {
	r, err := s.newRun(base)
	if err != nil {
		return err
	}
	if s.want, err = r.drive(ctx); err != nil {
		return err
	}
	for i := range r.processes {
		data, err := os.ReadFile(r.pointLog(i))
		if err != nil {
			return err
		}
		s.points = append(s.points, strings.Split(strings.TrimRight(string(data), "\n"), "\n"))
	}
	s.took = r.longest
	if len(s.want.faults) > 0 {
		return errors.New(strings.Join(s.want.faults, "\n"))
	}
	if exits := fmt.Sprint(s.want.exits); s.exits != "" && exits != s.exits {
		return fmt.Errorf("exit codes %s, want %s; it said:\n%s", exits, s.exits, strings.Join(r.said, "\n"))
	}
	if strings.Contains(s.want.events, "the prompt lacks") {
		return fmt.Errorf("a prompt lacks what the script expects:\n%s", s.want.events)
	}
	if strings.Contains(s.want.events, wronglyCounted) {
		return fmt.Errorf("claims are counted wrongly:\n%s", s.want.events)
	}
	return os.RemoveAll(r.dir)
}

// A run plays a scenario once, in a folder of its own.
type run struct {
	scenario  *scenario
	dir       string
	kill      *kill
	processes int // mulligan's, so far
	killed    int
	longest   time.Duration
	said      []string
}

func (s *scenario) newRun(base string) (*run, error) {
	dir, err := os.MkdirTemp(base, "r")
	if err != nil {
		return nil, err
	}
	return &run{scenario: s, dir: dir}, os.CopyFS(dir, os.DirFS(s.template))
}

// drive runs the scenario's commands. It resumes what is killed or interrupted as a person would:
// with `resume`, or where there is nothing to resume with the command again.
func (r *run) drive(ctx context.Context) (*record, error) {
	waitForPerson := r.startPerson(ctx)
	exits, err := r.giveCommands(ctx)
	if err := errors.Join(err, waitForPerson()); err != nil {
		return nil, err
	}
	return r.record(ctx, exits)
}

// giveCommands gives the scenario's commands one after the other, and returns what those of mulligan ended with.
func (r *run) giveCommands(ctx context.Context) (exits []int, err error) {
	for _, command := range r.scenario.commands {
		if command[0] != "mulligan" {
			if _, err := sh(ctx, filepath.Join(r.dir, "proj"), runEnv(r.dir), strings.Join(command, " ")); err != nil {
				return nil, err
			}
			continue
		}
		code, err := r.command(ctx, command)
		if err != nil {
			return nil, err
		}
		exits = append(exits, code)
	}
	return exits, nil
}

const (
	wasKilled      = -1
	wasInterrupted = 130
	usageMistake   = 2
	mostProcesses  = 12
)

func (r *run) command(ctx context.Context, command []string) (int, error) {
	var before mulligan.Summary
	if r.processes > 0 { // before the first process there is no session to ask for
		var err error
		if before, err = r.newest(ctx); err != nil {
			return 0, err
		}
	}
	code, err := r.mulligan(ctx, command...)
	for err == nil && (code == wasKilled || code == wasInterrupted && !r.scenario.stays) {
		now, failed := r.newest(ctx)
		switch {
		case failed != nil:
			return 0, failed
		case now.ID == before.ID && now.Events == before.Events: // the command came to nothing
			code, err = r.mulligan(ctx, command...)
			continue
		case now.Ended == "" || now.Ended == mulligan.Interrupted && !r.scenario.stays:
			code, err = r.mulligan(ctx, resumption(command)...)
		default: // it was over, and could only not say so
			code = mulligan.Outcome{Ended: now.Ended}.ExitCode()
		}
		if err == nil && code == 0 && r.isFolder(command) {
			code, err = r.mulligan(ctx, command...)
		}
	}
	return code, err
}

// resumption returns the command that resumes what another one began: `resume`, with its flags if it was that.
func resumption(command []string) []string {
	if command[1] == "resume" {
		return command
	}
	return []string{"mulligan", "resume"}
}

// newest returns the newest session's summary, or the zero value if there is none. It asks as a
// person would.
func (r *run) newest(ctx context.Context) (s mulligan.Summary, err error) {
	out, err := process.Tool{Dir: filepath.Join(r.dir, "proj"), Env: runEnv(r.dir), Argv: []string{"mulligan", "status", "--json"}}.Output(ctx)
	if exitOf(err) == usageMistake {
		return s, nil // there is none
	}
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(out, &s)
}

// exitOf returns the code that a tool ended with, or 0 if it did not end by itself.
func exitOf(err error) int {
	var coded interface{ ExitCode() int }
	if failed := (*process.ToolError)(nil); errors.As(err, &failed) && errors.As(failed.Err, &coded) {
		return coded.ExitCode()
	}
	return 0
}

// isFolder reports whether the command is `run FOLDER`, whose next tasks are the command's and not
// the session's.
func (r *run) isFolder(command []string) bool {
	st, err := os.Stat(filepath.Join(r.dir, "proj", command[len(command)-1]))
	return err == nil && st.IsDir()
}

// mulligan runs one process and returns its exit code.
func (r *run) mulligan(ctx context.Context, argv ...string) (code int, err error) {
	if r.processes++; r.processes > mostProcesses {
		return 0, fmt.Errorf("not over after %d processes; they said:\n%s", mostProcesses, strings.Join(r.said, "\n"))
	}
	env := append(runEnv(r.dir), "MULLIGAN_TEST_CRASH_LOG="+r.pointLog(r.processes-1))
	guard, release := context.WithTimeout(ctx, 2*time.Minute)
	defer release()
	ctx = guard
	if k := r.kill; k != nil {
		point := 0
		switch r.processes - 1 {
		case k.process:
			point = k.point
			if point == 0 {
				within, cancel := context.WithTimeout(guard, k.after)
				defer cancel()
				ctx = within
			}
		case k.process + 1:
			point = k.second
		}
		if point > 0 {
			env = append(env, "MULLIGAN_TEST_CRASH="+strconv.Itoa(point))
		}
	}
	began := time.Now()
	tool := process.Tool{Dir: filepath.Join(r.dir, "proj"), Env: env, Argv: argv}
	out, err := tool.Output(ctx)
	r.longest = max(r.longest, time.Since(began))
	if guard.Err() != nil {
		return 0, fmt.Errorf("%s hangs; it said:\n%s", strings.Join(argv, " "), out)
	}
	text := string(out)
	switch code = exitOf(err); {
	case code != 0:
		text += err.(*process.ToolError).Stderr
		err = nil
	case errors.Is(err, context.DeadlineExceeded): // it ended just before, or had not even begun
		err = nil
		if _, missing := os.Stat(r.pointLog(r.processes - 1)); missing != nil {
			code = wasKilled
		}
	}
	if code == wasKilled {
		r.killed++
	}
	r.said = append(r.said, fmt.Sprintf("%s (%d): %s", strings.Join(argv, " "), code, text))
	return code, err
}

func (r *run) pointLog(process int) string {
	return filepath.Join(r.dir, fmt.Sprintf("points-%d", process+1))
}

// trail returns what the processes came to and printed, for the report of a difference.
func (r *run) trail() string {
	var b strings.Builder
	for i := range r.processes {
		data, _ := os.ReadFile(r.pointLog(i))
		lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
		fmt.Fprintf(&b, "process %d: %d points, the last %q\n", i+1, len(lines), lines[len(lines)-1])
	}
	return b.String() + strings.Join(r.said, "\n")
}

// runEnv returns an environment that has nothing of this machine's configuration. The processes
// are too short to gain from garbage collection, which would be a sixth of their time.
func runEnv(dir string) []string {
	in := func(name string) string { return filepath.Join(dir, name) }
	return []string{
		"PATH=" + in("bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + in("home"), "XDG_STATE_HOME=" + in("state"), "XDG_CONFIG_HOME=" + in("config"), "XDG_RUNTIME_DIR=" + in("run"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", "GOGC=off",
		"MULLIGAN_TRUST=1", "MULLIGAN_SANDBOX=none", // what children note is beside the home
	}
}

func sh(ctx context.Context, dir string, env []string, script string) (string, error) {
	out, err := process.Tool{Dir: dir, Env: env, Argv: []string{"sh", "-c", script}}.Output(ctx)
	return string(out), err
}
