package acp

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// A turn that its program ends because it was denied something is looked at, and its feedback
// says what that was; one that ends for nothing is not.
func TestCancelledByADenial(t *testing.T) {
	for denied, want := range map[bool]mulligan.Ending{true: mulligan.Finished, false: mulligan.Crashed} {
		o := outcome{answer: &promptAnswer{StopReason: "cancelled"}, denied: denied, answered: true}
		if r := o.turnEnding(t.Context(), process.Exit{}, ""); r.Ending != want || (r.Reason == "") != denied {
			t.Errorf("denied %v: %s (%s)", denied, r.Ending, r.Reason)
		}
	}
}

// What was cached is input, whether the program counts it there or in the total alone.
func TestInputOfUsage(t *testing.T) {
	for usage, want := range map[[5]int64]int64{ // input, output, cached, thought, total
		{100, 30, 20, 0, 130}:  100, // in the input
		{100, 30, 20, 0, 150}:  120, // besides
		{100, 30, 0, 10, 140}:  100, // thoughts besides the output
		{100, 30, 20, 10, 130}: 100, // thoughts in the output
		{100, 30, 0, 0, 0}:     100, // no total
	} {
		var a promptAnswer
		a.Usage.Input, a.Usage.Output, a.Usage.Cached, a.Usage.Thought, a.Usage.Total = usage[0], usage[1], usage[2], usage[3], usage[4]
		if got := a.inputTokens(); got != want {
			t.Errorf("%v: %d", usage, got)
		}
	}
}

// The last word of a program that is gone at once is its answer, and not its end.
func TestLastWords(t *testing.T) {
	for range 200 {
		x := newExchange(build(t, mulligan.AgentSpec{}, agent.Deps{}, "x"), mulligan.Turn{}, nil, io.Discard)
		said := make(chan outcome, 1)
		go func() { said <- x.converse(t.Context()) }()
		if _, err := bufio.NewReader(x.out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(x.lines, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"log in first"}}`)
		if r := x.finish(said).turnEnding(t.Context(), process.Exit{}, ""); r.Ending != mulligan.Unavailable || r.Cause != mulligan.Auth {
			t.Fatalf("%s %s (%s)", r.Ending, r.Cause, r.Reason)
		}
	}
}

// What a program prints before it dies is no answer unless it answers what we asked, in words that are
// understood: its end is seen at once for what it is, and its conversation is kept.
func TestNoAnswer(t *testing.T) {
	for _, last := range []string{
		`{"level":"info","msg":"I begin"}`,
		`null`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, // once more
		`{"jsonrpc":"2.0","id":3,"result":{}}`, // not asked yet
		`{"jsonrpc":"2.0","id":"2","result":{}}`,
		`{"jsonrpc":"2.0","id":2,"error":"no such session"}`,
		`{"jsonrpc":2.0,"id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"fs/read_text_file"}`, // its own
	} {
		t.Run(last, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := newExchange(build(t, mulligan.AgentSpec{}, agent.Deps{}, "x"), mulligan.Turn{Conversation: "c1"}, nil, io.Discard)
				said, asked := make(chan outcome, 1), bufio.NewReader(x.out)
				go func() { said <- x.converse(t.Context()) }()
				for _, line := range []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`, last} {
					if _, err := asked.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
					fmt.Fprintln(x.lines, line)
				}
				began := time.Now()
				r := x.finish(said).turnResult(t.Context(), process.Exit{Code: 3}, "")
				if r.Ending != mulligan.Crashed || r.Reason != "exit status 3" || r.Conversation != "c1" || time.Since(began) >= answerWithin {
					t.Errorf("%s (%s) after %v, goes on with %q", r.Ending, r.Reason, time.Since(began), r.Conversation)
				}
			})
		})
	}
}

// An answer takes what time it takes to be read; where there is none, nothing is waited for.
func TestUnderstood(t *testing.T) {
	for _, heard := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			x := &exchange{asked: 1, answers: heard, in: agent.NewPipe()}
			said, closed := make(chan outcome, 1), make(chan struct{})
			go func() {
				x.in.Read(make([]byte, 1)) // until it is closed
				close(closed)
				if heard == 0 {
					said <- outcome{}
				}
			}()
			began := time.Now()
			time.AfterFunc(5*time.Second, func() { said <- outcome{answer: &promptAnswer{}} })
			o := x.awaitOutcome(said)
			synctest.Wait()
			hungUp := false
			select {
			case <-closed:
				hungUp = true
			default:
				x.in.Close()
			}
			if (o.answer != nil) != (heard == 1) || hungUp != (heard == 0) || hungUp && time.Since(began) != 0 {
				t.Errorf("%d answers heard: %+v after %v, hung up %v", heard, o, time.Since(began), hungUp)
			}
		})
	}
}

// What is sent again of a conversation that was resumed may come after it is open, however long
// the agent was silent before.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &exchange{}
		time.Sleep(time.Hour)
		time.AfterFunc(silenceWanted/2, func() { x.takeNotification("session/update", nil) })
		began := time.Now()
		x.waitForSilence(t.Context())
		if took := time.Since(began); took < silenceWanted*3/2 || took > silenceWithin {
			t.Errorf("settled after %v", took)
		}
		talking := time.NewTicker(silenceWanted / 4)
		enough := make(chan struct{})
		var agent sync.WaitGroup
		agent.Go(func() {
			for {
				select {
				case <-talking.C:
					x.takeNotification("session/update", nil)
				case <-enough:
					return
				}
			}
		})
		began = time.Now()
		x.waitForSilence(t.Context())
		if took := time.Since(began); took < silenceWithin || took > silenceWithin+silenceWanted {
			t.Errorf("an agent that goes on was waited for %v", took)
		}
		close(enough)
		agent.Wait()
		talking.Stop()
	})
}
