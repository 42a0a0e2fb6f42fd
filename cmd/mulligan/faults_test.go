package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mulligan"
	"mulligan/internal/cli"
	"mulligan/internal/clock"
	"mulligan/internal/environ"
)

var faultsAll = flag.Bool("faults.all", false, "all of the faults at their full size, and a table of what the program said")

// TestFaults does to the program what the world and a careless agent may do. Every file of
// testdata/fault is a fault: its first line names it, and `fault` says what is to come of it.
func TestFaults(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("most of the faults are made in Linux's way")
	}
	var said faultTable
	commands := scriptCommands()
	commands["fault"] = said.fault
	commands["nobody"] = nobody
	commands["spoil"] = spoil
	commands["peak"] = peak
	t.Run("script", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir:                 "testdata/fault",
			Setup:               faultSetup,
			RequireExplicitExec: true,
			RequireUniqueNames:  true,
			Cmds:                commands,
			Condition:           condition,
		})
	})
	if *faultsAll {
		if err := said.print(); err != nil {
			t.Error(err)
		}
	}
}

const (
	faultConfig = `version: 1
agent: local
agents: {local: {type: program, exec: [sh, -c, 'exec sh "$HOME/../agent.sh"'], timeout: 60s}}
pipelines: {default: [{name: make, check: test -e made}]}
`
	faultTask = "Make a file named made.\n"
)

// faultSetup puts a project there where the script brings none of its own, and says how
// much is to be printed where much is.
func faultSetup(env *testscript.Env) error {
	if err := setup(env); err != nil {
		return err
	}
	for path, text := range map[string]string{"proj/mulligan.yaml": faultConfig, "proj/tasks/t.md": faultTask} {
		path = filepath.Join(env.WorkDir, path)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	env.Setenv("MEGABYTES", "128")
	if *faultsAll {
		env.Setenv("MEGABYTES", "2048")
	}
	return nil
}

// A faultTable is what the program said to each fault.
type faultTable struct {
	mu   sync.Mutex
	rows []faultRow
}

type faultRow struct{ script, code, said string }

// fault CODE PATTERN COMMAND… wants the command to end with that code and a line of what
// it said to match; the line is shown in the table.
func (f *faultTable) fault(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, append([]string{args[0]}, args[2:]...))
	pattern, output := regexp.MustCompile(args[1]), ts.ReadFile("stderr")+ts.ReadFile("stdout")
	for line := range strings.Lines(output) {
		if line = strings.TrimRight(line, "\n"); pattern.MatchString(line) {
			f.add(ts, args[0], strings.ReplaceAll(strings.TrimSpace(line), ts.Getenv("WORK"), "$WORK"))
			return
		}
	}
	ts.Fatalf("nothing matches %s in what it said:\n%s", args[1], output)
}

func (f *faultTable) add(ts *testscript.TestScript, code, said string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, faultRow{script: ts.Name(), code: code, said: said})
}

// print gives the table, by script; one that was skipped or failed before it came to anything
// is in it too.
func (f *faultTable) print() error {
	files, err := filepath.Glob("testdata/fault/*.txtar")
	for _, file := range files {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		fault, _, _ := strings.Cut(strings.TrimLeft(string(text), "# "), "\n")
		fault, _, _ = strings.Cut(fault, ":")
		fmt.Println(fault)
		none := true
		for _, row := range f.rows {
			if row.script == strings.TrimSuffix(filepath.Base(file), ".txtar") {
				fmt.Printf("  exit %-4s %s\n", row.code, row.said)
				none = false
			}
		}
		if none {
			fmt.Println("  not run on this machine, or failed")
		}
	}
	return err
}

// nobody wants no process to be left, or soon, that the script's programs started.
func nobody(ts *testscript.TestScript, neg bool, args []string) {
	if left := waitForProcesses(ts.Getenv("WORK")); len(left) > 0 {
		ts.Fatalf("processes left behind:\n%s", strings.Join(left, "\n"))
	}
}

// spoil GLOB TEXT flips a bit of the text in the one file that has it; spoil GLOB -N takes
// the last N bytes off the one file that matches.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, path := range files {
		data, err := os.ReadFile(path)
		ts.Check(err)
		var less int
		if _, err := fmt.Sscanf(args[1], "-%d", &less); err == nil {
			ts.Check(os.Truncate(path, int64(max(0, len(data)-less))))
			return
		}
		if at := strings.Index(string(data), args[1]); at >= 0 {
			data[at] ^= 1
			ts.Check(os.WriteFile(path, data, 0o600))
			return
		}
	}
	ts.Fatalf("none of %v has %q", files, args[1])
}

// peak FILE MEGABYTES wants the process whose most memory (VmHWM, in kB) is in the file to
// have stayed below that.
func peak(ts *testscript.TestScript, neg bool, args []string) {
	var kilobytes, most int
	_, err := fmt.Sscan(ts.ReadFile(args[0]), &kilobytes)
	ts.Check(err)
	_, err = fmt.Sscan(args[1], &most)
	ts.Check(err)
	if kilobytes == 0 || kilobytes > most<<10 {
		ts.Fatalf("%d MB at most were used; %d are allowed", kilobytes>>10, most)
	}
}

// backwards is mulligan on a machine whose clock is put back by an hour whenever it is read.
func backwards() { runWith(&backwardsClock{}) }

// later is mulligan three weeks from now.
func later() { runWith(laterClock{}) }

func runWith(c mulligan.Clock) {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	app := &cli.App{Env: &environ.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir, Clock: c}}
	os.Exit(app.Run(context.Background(), os.Args[1:]))
}

type laterClock struct{ clock.System }

func (laterClock) Now() time.Time { return time.Now().Add(21 * 24 * time.Hour) }

type backwardsClock struct {
	clock.System

	mu   sync.Mutex
	back time.Duration
}

// Now has no reading of the monotonic clock, as times have that come from a journal.
func (c *backwardsClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.back += time.Hour
	return time.Now().Add(-c.back).Round(0)
}

// mksocket PATH makes a socket and leaves it.
func mksocket() {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: os.Args[1], Net: "unix"})
	if err != nil {
		panic(err)
	}
	l.SetUnlinkOnClose(false)
}
