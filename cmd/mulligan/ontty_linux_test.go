package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// ontty ARG… runs mulligan on the script's terminal as a person's shell would: it leads the terminal's
// session, and mulligan is its foreground. The exit code goes to ../code.
//
// When a session's leader ends, the system hangs the terminal up and may throw away what nobody has
// read yet. A shell stays, and so does ontty, until all is read.
func ontty() {
	tty, err := processtest.OwnTerminal(os.Getenv("TTY"))
	if err != nil {
		fail(err)
	}
	program, err := process.Find("mulligan", ".", os.Environ())
	if err != nil {
		fail(err)
	}
	code, err := processtest.Lead(tty, program, append([]string{"mulligan"}, os.Args[1:]...), os.Environ())
	if err != nil {
		fail(err)
	}
	if err := os.WriteFile("../code", []byte(strconv.Itoa(code)+"\n"), 0o600); err != nil {
		fail(err)
	}
	untilRead(tty)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "ontty:", err)
	os.Exit(1)
}

// farewell is what ontty writes last, invisibly; the reader makes the file that it names.
const (
	farewell    = "\x1b]read:"
	farewellEnd = "\x07"
)

func untilRead(tty *os.File) {
	read := filepath.Join(os.Getenv("TMPDIR"), fmt.Sprintf("read-%d", os.Getpid()))
	if _, err := tty.WriteString(farewell + read + farewellEnd); err != nil {
		return // it was hung up: nobody reads
	}
	for end := time.Now().Add(processtest.HangGuard); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if _, err := os.Stat(read); err == nil {
			return
		}
	}
	fail(errors.New("the terminal was not read to the end"))
}

var goodbye = regexp.MustCompile(regexp.QuoteMeta(farewell) + "([^\x07]+)" + farewellEnd)

// acknowledge makes the files of all farewells in what was seen.
func acknowledge(seen string) {
	for _, match := range goodbye.FindAllStringSubmatch(seen, -1) {
		os.WriteFile(match[1], nil, 0o600)
	}
}
