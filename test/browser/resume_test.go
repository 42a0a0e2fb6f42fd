//go:build unix

package browser

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// awaitEnd waits until the processes of all sessions have ended: those that the page starts are no children of
// the test.
func (s *stage) awaitEnd() {
	s.t.Helper()
	for line := range strings.Lines(s.run(0, "sessions", "--json")) {
		var one struct{ PID int }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			s.t.Fatal(err)
		}
		for end := time.Now().Add(patience); syscall.Kill(one.PID, 0) == nil; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				s.t.Fatalf("process %d does not end", one.PID)
			}
		}
	}
}

// TestResume: a session that was stopped on the page is resumed there and comes to its end. The button answers
// while the session runs, or says why it cannot run, and the terminal of the page stays quiet.
func TestResume(t *testing.T) {
	t.Parallel()
	s := newPlay(t, "10ms")
	address, _ := s.serve()
	page := newTab(t, newBrowser(t))
	var refused atomic.Bool
	page.calm = refused.Load
	page.open(address)
	page.await("Nothing has run here yet")
	var out lockedBuffer
	_, wait := s.start(&out, "run", "--foreground", "task.md")
	page.await("Should the slug keep digits?")
	page.open(eval[string](page, "document.querySelector('#overview .card a').href"))
	page.await("Asks you")
	page.do(chromedp.Click(`form[action$="/stop"] button`, chromedp.NodeVisible))
	if code := wait(); code != 130 {
		t.Errorf("the session ended with %d:\n%s", code, out.String())
	}
	at := eval[string](page, "location.href")
	s.put(filepath.Join(s.dir, "mulligan.yaml"), "version: 1\nagent: nobody\n")
	refused.Store(true)
	page.do(chromedp.Click(`form[action$="/resume"] button`, chromedp.NodeVisible))
	page.await("could not be resumed")
	page.await("nobody") // why
	s.put(filepath.Join(s.dir, "mulligan.yaml"), usualConfig)
	page.open(at)
	refused.Store(false)
	page.do(chromedp.Click(`form[action$="/resume"] button`, chromedp.NodeVisible))
	page.await("It is resumed.")
	page.await("Should the slug keep digits?")                                   // it runs, and waits for an answer: the button did not wait for its end
	page.awaitTrue(`document.querySelector('form[action$="/resume"]') === null`) // what runs cannot be resumed
	page.do(chromedp.Click(`button[value="keep them"]`, chromedp.NodeVisible))
	page.await("Checked by")
	page.await("Verified")
	s.awaitEnd()
	if printed := strings.TrimSpace(s.terminal.String()); printed != address {
		t.Errorf("the terminal of the page has\n%s", printed)
	}
}
