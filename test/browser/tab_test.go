package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"mulligan/internal/process/processtest"
)

// findChromium returns the path of the browser, or skips the test.
func findChromium(t *testing.T) string {
	t.Helper()
	if os.Getenv(processtest.QuickEnv) != "" {
		t.Skip("QUICK=1")
	}
	for _, path := range []string{"/usr/bin/chromium", "/usr/bin/chromium-browser"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("it needs Chromium: apt-get install chromium")
	return ""
}

// newBrowser starts a browser with a profile of its own, until the test ends.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findChromium(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("no-proxy-server", true))
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(stop)
	return ctx
}

// A tab is a tab of a browser. It fails the test if its console has an error, or if it asks another host.
type tab struct {
	t   *testing.T
	ctx context.Context
	// calm is set while errors are expected: the server is down.
	calm func() bool
}

// newTab opens a tab. parent is a browser, or another tab of the same one.
func newTab(t *testing.T, parent context.Context) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(parent)
	b := &tab{t: t, ctx: ctx, calm: func() bool { return false }}
	if err := chromedp.Do(ctx); err != nil { // which makes the tab: its context has to stay
		stop()
		t.Fatal(err)
	}
	var watching sync.WaitGroup
	t.Cleanup(func() { stop(); watching.Wait() })
	thrown, logged, sent := chromedp.Events(ctx, runtime.ExceptionThrown), chromedp.Events(ctx, log.EntryAdded), chromedp.Events(ctx, network.RequestWillBeSent)
	watching.Go(func() {
		for e, err := range thrown {
			if err == nil {
				t.Errorf("the script failed: %s", e.ExceptionDetails.Text)
			}
		}
	})
	watching.Go(func() {
		for e, err := range logged {
			if err == nil && e.Entry.Level == "error" && !b.calm() {
				t.Errorf("the console says: %s (%s)", e.Entry.Text, e.Entry.URL)
			}
		}
	})
	watching.Go(func() {
		for e, err := range sent {
			if err == nil && !isOwn(e.Request.URL) {
				t.Errorf("it asked for %s", e.Request.URL)
			}
		}
	})
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

// isOwn reports whether an address is of this machine.
func isOwn(url string) bool {
	return strings.HasPrefix(url, "http://127.0.0.1:") || strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "about:")
}

// call gives the browser a command.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// do does things in the tab, within a generous time.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.text())
	}
}

// text returns what the page says.
func (b *tab) text() string {
	ctx, stop := context.WithTimeout(b.ctx, 5*time.Second)
	defer stop()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body ? location.href + '\\n' + document.body.innerText : ''"))
	return text
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// await waits until the page says something.
func (b *tab) await(text string) {
	b.t.Helper()
	b.awaitTrue(fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// awaitTrue waits until an expression is true.
func (b *tab) awaitTrue(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		ctx, stop := context.WithTimeout(b.ctx, patience)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		stop()
		if err == nil && ok {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("it never came to %s (%v):\n%s", expression, err, b.text())
		}
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", expression, err, b.text())
	}
	return value
}

// look makes the window so wide, in light or dark.
func (b *tab) look(width int, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(int64(width), 900))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// picture keeps a picture of the whole page in the folder that MULLIGAN_PICTURES names, if it does.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("MULLIGAN_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
