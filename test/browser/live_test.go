package browser

import (
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const play = `pace: 20ms
steps:
  plan:
    - - say: |
          Reading the task.
          Three rules: lower case, one dash per gap, none at the ends.
      - write: {path: PLAN.md, content: "# Plan\n1. Lower-case the title.\n"}
      - task: {add: "Lower-case the title"}
      - task: {add: "One dash for each gap"}
      - note: {type: decision, text: "A **dash** for each gap, not an underscore."}
      - say: I wrote the plan.
  implement:
    - - sleep: 2s # until the page has noticed the session, and the session the page
      - ask: {question: "Should the slug keep digits?", options: ["keep them", "drop them"], default: "keep them"}
      - write: {path: slug.sh, content: "slug() {\n\tprintf '%s' \"$1\" | tr A-Z a-z\n}\n"}
      - say: Done! All tests should pass now.
    - - say: The tests disagree. A gap has to become one dash.
      - write: {path: slug.sh, content: "# slug TITLE prints the title as it stands in a web address: in lower case, with one dash for every gap between two words, and with none at the ends.\nslug() {\n\tprintf '%s' \"$1\" | tr A-Z a-z | tr -cs a-z0-9 -\n}\n"}
      - write: {path: ok, content: "ok\n"}
      - run: sh test.sh
      - sleep: SLEEP
      - say: The four tests pass.
`

const testScript = `if test -e ok; then echo "4 of 4 tests passed"; exit 0; fi
echo "ok    lower case"
printf '\033[31mFAIL\033[0m  test.sh:18: one dash for a gap: slug "Hello,   World" is "hello,---world", want "hello-world"\n'
echo "2 of 4 tests failed"; exit 1
`

func newPlay(t *testing.T, sleep string) *stage {
	t.Helper()
	return newStage(t, map[string]string{
		"play.yaml": strings.ReplaceAll(play, "SLEEP", sleep), "test.sh": testScript, "slug.sh": "# slug TITLE prints the title.\nslug() {\n\t:\n}\n",
		"task.md": "# Turn titles into web addresses\n\nWrite `slug` in slug.sh, and make `sh test.sh` pass.\n",
	})
}

// baseOf returns the address of a server, without the token.
func baseOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Scheme + "://" + u.Host
}

// TestLiveSession sees a session from its start to its end: on the list, on its page and in a second tab, with a
// question that is answered there and a reload in the middle.
func TestLiveSession(t *testing.T) {
	t.Parallel()
	s := newPlay(t, "1s")
	address, _ := s.serve()
	browser := newBrowser(t)
	list := newTab(t, browser)
	list.open(address)
	list.await("Nothing has run here yet")
	if at := eval[string](list, "location.search"); at != "" {
		t.Errorf("the token stays in the address: %s", at)
	}
	var out lockedBuffer
	_, wait := s.start(&out, "run", "--foreground", "task.md")

	list.await("Should the slug keep digits?")
	list.look(1280, "light")
	list.picture("waiting-1280-light")
	second := newTab(t, list.ctx)
	second.open(eval[string](list, "document.querySelector('#overview .card a').href"))
	second.await("Asks you")
	second.do(chromedp.Focus("#tell"), chromedp.SendKeys("#tell", "Half a thought"))
	list.do(chromedp.Click(`button[value="keep them"]`, chromedp.NodeVisible))
	list.await("Answered.")

	second.await("implement, attempt 2")
	if typed := eval[string](second, "document.querySelector('#tell')?.value ?? ''"); typed != "Half a thought" {
		t.Errorf("what was typed is now %q", typed)
	}
	second.picture("running-1280-light")
	second.do(chromedp.Reload()) // in the middle
	second.await("The loop")
	second.await("Verified")
	second.await("Checked by")
	list.awaitTrue("[...document.querySelectorAll('.row .sign')].some((s) => s.textContent.includes('verified'))")
	if code := wait(); code != 0 {
		t.Errorf("the session ended with %d:\n%s", code, out.String())
	}
	if live := eval[int](second, "document.querySelectorAll('[aria-live]').length"); live != 1 {
		t.Errorf("%d parts of the page are read aloud", live)
	}
}

// TestRestart: the server is killed and started again, and an open page goes on by itself.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := newPlay(t, "4s")
	address, stop := s.serve()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	page := newTab(t, newBrowser(t))
	var down atomic.Bool
	page.calm = down.Load
	defer down.Store(true) // the server ends before the page
	page.open(address)
	page.await("Nothing has run here yet")
	var out lockedBuffer
	_, wait := s.start(&out, "run", "--foreground", "task.md")
	page.await("Should the slug keep digits?")
	down.Store(true)
	stop()
	page.await("connection lost since")
	s.serve("--port", u.Port())
	page.awaitTrue("document.querySelector('#connection').hidden")
	page.do(chromedp.Click(`button[value="keep them"]`, chromedp.NodeVisible))
	page.await("Answered.") // the cookie holds after the restart
	down.Store(false)
	page.awaitTrue("[...document.querySelectorAll('.row .sign')].some((s) => s.textContent.includes('verified'))")
	if code := wait(); code != 0 {
		t.Errorf("the session ended with %d:\n%s", code, out.String())
	}
}

// TestWithoutScript: without JavaScript the page can be read, and a question answered.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	s := newPlay(t, "10ms")
	address, _ := s.serve()
	browser := newBrowser(t)
	watcher := newTab(t, browser)
	watcher.open(address)
	watcher.await("Nothing has run here yet")
	var out lockedBuffer
	_, wait := s.start(&out, "run", "--foreground", "task.md")
	watcher.await("Should the slug keep digits?")
	plain := newTab(t, watcher.ctx)
	call(plain, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	plain.open(baseOf(t, address))
	plain.do(chromedp.Click(`button[value="drop them"]`, chromedp.NodeVisible), chromedp.WaitVisible(".notice"))
	watcher.awaitTrue("[...document.querySelectorAll('.row .sign')].some((s) => s.textContent.includes('verified'))")
	if code := wait(); code != 0 {
		t.Errorf("the session ended with %d:\n%s", code, out.String())
	}
}

// TestAnswerByKeys: everything can be done without a mouse.
func TestAnswerByKeys(t *testing.T) {
	t.Parallel()
	s := newPlay(t, "10ms")
	address, _ := s.serve()
	page := newTab(t, newBrowser(t))
	page.open(address)
	page.await("Nothing has run here yet")
	var out lockedBuffer
	_, wait := s.start(&out, "run", "--foreground", "task.md")
	page.await("Should the slug keep digits?")
	page.do(chromedp.KeyEvent("a"))
	page.awaitTrue("document.activeElement.value === 'keep them'")
	page.do(chromedp.KeyEvent("?"))
	page.awaitTrue("document.querySelector('#keys').open")
	page.do(chromedp.KeyEvent("\u001b"))
	page.awaitTrue("!document.querySelector('#keys').open")
	page.do(chromedp.KeyEvent("a"), chromedp.KeyEvent("\r"))
	page.await("Answered.")
	page.awaitTrue("[...document.querySelectorAll('.row .sign')].some((s) => s.textContent.includes('verified'))")
	page.do(chromedp.KeyEvent("j"))
	page.awaitTrue("document.activeElement.closest('[data-row]') !== null")
	page.do(chromedp.KeyEvent("\r"))
	page.await("Checked by")
	page.awaitTrue("document.readyState === 'complete'")
	page.do(chromedp.KeyEvent("u"))
	page.awaitTrue("location.pathname === '/' && document.readyState === 'complete'")
	page.do(chromedp.KeyEvent("/"))
	page.awaitTrue("document.activeElement.id === 'q'")
	if code := wait(); code != 0 {
		t.Errorf("the session ended with %d:\n%s", code, out.String())
	}
}
