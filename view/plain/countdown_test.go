package plain_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/view/plain"
	"mulligan/view/viewtest"
)

// A glass is a screen that is looked at while it is written.
type glass struct {
	mu sync.Mutex
	b  strings.Builder
}

func (g *glass) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.Write(p)
}

func (g *glass) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.String()
}

func (g *glass) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.b.Reset()
}

// suggestAnswers gives a counter a session that begins to wait now, and what it has written.
func suggestAnswers(screen *glass, wait time.Duration) (*plain.Counter, func(mulligan.Body)) {
	c := plain.NewCounter(screen, screen, plain.Options{Zone: time.UTC})
	say := func(b mulligan.Body) {
		c.Event(mulligan.Event{Session: viewtest.Session, Time: time.Now(), Body: b})
	}
	say(mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "implement"}}}})
	say(mulligan.StepStarted{Step: "implement"})
	say(mulligan.AttemptStarted{Step: "implement", Attempt: 1, Iteration: 1})
	say(mulligan.TurnStarted{Turn: 1, Agent: "local"})
	say(mulligan.Waited{For: wait, Until: time.Now().Add(wait), Free: true, Reason: "rate limited"})
	synctest.Wait()
	return c, say
}

const count = "\r         %s left\x1b[K\r"

func TestTheCountOnATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen glass
		_, say := suggestAnswers(&screen, 61*time.Minute+500*time.Millisecond)
		line := "   0:00  implement  waiting 1h01m  until 01:01  rate limited\n"
		if want := line + fmt.Sprintf(count, "1h01m"); !strings.HasSuffix(screen.String(), want) {
			t.Fatalf("it begins with\n%q, want\n%q", screen.String(), want)
		}
		screen.Reset()
		time.Sleep(time.Minute + 4*time.Second)
		synctest.Wait()
		want := fmt.Sprintf(count, "1h00m") + fmt.Sprintf(count, "59:59") + fmt.Sprintf(count, "59:58") + fmt.Sprintf(count, "59:57")
		if got := screen.String(); got != want {
			t.Errorf("a minute and four seconds write\n%q, want\n%q", got, want)
		}
		screen.Reset()
		say(mulligan.Noted{Text: "something"})
		synctest.Wait()
		if got := screen.String(); !strings.HasPrefix(got, "\r\x1b[K   1:04  note  something\n") {
			t.Errorf("an event is written as %q", got)
		}
		screen.Reset()
		say(mulligan.SessionInterrupted{By: "SIGINT"})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := screen.String(); got != "\r\x1b[K   1:04  interrupted  by SIGINT\n" {
			t.Errorf("after the wait %q is written", got)
		}
	})
}

// When the time has come the line is gone: the turn resumes without an event.
func TestTheCountEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen glass
		suggestAnswers(&screen, 2*time.Second)
		screen.Reset()
		time.Sleep(time.Hour)
		synctest.Wait()
		if want := fmt.Sprintf(count, "0:01") + "\r\x1b[K"; screen.String() != want {
			t.Errorf("its end is\n%q, want\n%q", screen.String(), want)
		}
	})
}

// A person who leaves finds a clean line, and nothing counts on.
func TestTheCountIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen glass
		c, _ := suggestAnswers(&screen, 8*time.Hour)
		c.Close()
		c.Close()
		at := screen.String()
		time.Sleep(time.Hour)
		synctest.Wait()
		if screen.String() != at || !strings.HasSuffix(at, "left\x1b[K\r\r\x1b[K") {
			t.Errorf("it was left as %q", screen.String())
		}
	})
}

// A log has the time until, once, whatever passes; and nothing that only a terminal understands.
func TestALogCountsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		viewtest.Limited().Play(plain.New(&log, plain.Options{}).Event, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := log.String(); strings.Count(got, "waiting") != 1 || strings.ContainsAny(got, "\r\x1b") {
			t.Errorf("the log is\n%q", got)
		}
	})
}

// A session that is resumed waits for the rest, and announces it once more.
func TestTheRestIsSaid(t *testing.T) {
	var b strings.Builder
	p := plain.New(&b, plain.Options{Zone: time.FixedZone("east", 2*60*60)})
	s := viewtest.Limited()
	s.Play(p.Event, nil)
	b.Reset()
	p.Event(mulligan.Event{Time: s.Now, Body: mulligan.SessionResumed{PID: 7}})
	p.Event(mulligan.Event{Time: s.Now, Body: mulligan.TurnStarted{Turn: 1, Agent: "local", Again: true}})
	if want := "  implement  waiting 18m28s  until 00:06  the agent is rate limited\n"; strings.Count(b.String(), want) != 1 {
		t.Errorf("it says\n%s", b.String())
	}
}
