// Package crashpoint lets a test end the program at a chosen point, as a crash would, or hold it there:
// right before or right after something is stored or done. Without a test's variables there are no points,
// and nothing is wrapped.
package crashpoint

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The variables are for tests of mulligan only. Children do not inherit them, so that a mulligan that an
// agent or a check runs is not ended by accident.
const (
	killEnv  = "MULLIGAN_TEST_CRASH"     // the number of the point that the process ends at, from 1
	logEnv   = "MULLIGAN_TEST_CRASH_LOG" // a file that gets the name of every point, as it is reached
	panicEnv = "MULLIGAN_TEST_PANIC"     // the number of the turn that panics, of those that the process gives, from 1
	holdEnv  = "MULLIGAN_TEST_HOLD"      // POINT=FILE: the process waits at that point until the file is there
)

// Points counts the points that the process reaches. A nil *Points does nothing. It is safe for
// concurrent use.
type Points struct {
	mu     sync.Mutex
	passed int
	kill   int
	log    *os.File
	turns  int
	panics int
	hold   string // the point to wait at
	until  string // the file to wait for
}

// Take reads the variables and removes them from the environment. It returns nil if none is set.
func Take() (*Points, error) {
	log := os.Getenv(logEnv)
	kill, killErr := readNumber(killEnv)
	panics, panicErr := readNumber(panicEnv)
	hold, until, holdErr := parseHold(os.Getenv(holdEnv))
	if err := cmp.Or(killErr, panicErr, holdErr); err != nil {
		return nil, err
	}
	if kill == 0 && panics == 0 && log == "" && hold == "" {
		return nil, nil
	}
	for _, name := range []string{killEnv, logEnv, panicEnv, holdEnv} {
		os.Unsetenv(name)
	}
	p := &Points{kill: kill, panics: panics, hold: hold, until: until}
	if log != "" {
		var err error
		if p.log, err = os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return nil, fmt.Errorf("%s: %w", logEnv, err)
		}
	}
	return p, nil
}

// parseHold parses POINT=FILE: the point to wait at and the file to wait for.
func parseHold(text string) (point, file string, err error) {
	point, file, found := strings.Cut(text, "=")
	if text != "" && (!found || point == "" || file == "") {
		return "", "", fmt.Errorf("%s is POINT=FILE; it is %q", holdEnv, text)
	}
	return point, file, nil
}

// readNumber returns the number of a variable, or 0 if the variable is not set.
func readNumber(name string) (int, error) {
	text := os.Getenv(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is a number from 1; it is %q", name, text)
	}
	return n, nil
}

// Pass is called at a point: it waits, logs the name or ends the process, as the variables ask.
func (p *Points) Pass(name string) {
	if p == nil {
		return
	}
	p.holdAt(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed++
	if p.log != nil {
		fmt.Fprintln(p.log, name) // a log that cannot be written fails the test that reads it
	}
	if p.passed == p.kill {
		killSelf()
	}
}

// longestHold bounds a wait that a failed test has left behind.
const longestHold = 5 * time.Minute

// holdAt waits for the file if this is the point to wait at.
func (p *Points) holdAt(name string) {
	if name != p.hold {
		return
	}
	for began := time.Now(); time.Since(began) < longestHold; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(p.until); err == nil {
			return
		}
	}
}

// Around calls do between two points, one before and one after it.
func (p *Points) Around(what string, do func() error) error {
	p.Pass("before " + what)
	err := do()
	p.Pass("after " + what)
	return err
}

// enter passes the point before something, and returns how to pass the one after it.
func (p *Points) enter(what string) (leave func()) {
	p.Pass("before " + what)
	return func() { p.Pass("after " + what) }
}

// countTurn counts the agent's turns, and panics in the one that the variable asks for.
func (p *Points) countTurn() {
	p.mu.Lock()
	p.turns++
	now := p.turns == p.panics
	p.mu.Unlock()
	if now {
		panic(fmt.Sprintf("%s is %d", panicEnv, p.panics))
	}
}

// killSelf ends the process with SIGKILL. It does not return.
func killSelf() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Sprintf("crashpoint: this process cannot end itself: %v", err))
	}
	select {}
}
