package e2e

import (
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/modeltest"
	"mulligan/internal/process"
)

func times(n int, turn modeltest.Turn) modeltest.Turn {
	turn.Times = n
	return turn
}

// oneTurn: nothing was used but one turn of the first attempt, and it went well.
func oneTurn(t *testing.T, r ran) {
	t.Helper()
	if got := r.attempts(); !slices.Equal(got, []int{1}) {
		t.Errorf("attempts %v", got)
	}
	if got := r.endings(); !slices.Equal(got, []mulligan.Ending{mulligan.Finished}) {
		t.Errorf("turns ended %v", got)
	}
	if o := r.outcome(); o.Ended != mulligan.Verified || o.Turns != 1 || o.Iterations > 1 {
		t.Errorf("outcome %+v", o)
	}
}

// TestRateLimited: it is waited out, and the same turn is given again.
func TestRateLimited(t *testing.T) {
	s := onStage(t, setup{config: oneStep}).play(append([]modeltest.Turn{
		times(2, modeltest.Fail(modeltest.Fault{Status: 429, RetryAfter: 1}).At("Make the answer")), // the program tries once more itself
	}, right("Make the answer")...)...)
	r := s.run(0)
	s.played()
	oneTurn(t, r)
	waits := all[mulligan.Waited](r)
	if len(waits) != 1 || !waits[0].Free || waits[0].Until.IsZero() || waits[0].For > 5*time.Second {
		t.Errorf("waited %+v", waits)
	}
}

// TestSubscriptionUsedUp: a limit that says when it ends is waited for until then.
func TestSubscriptionUsedUp(t *testing.T) {
	s := onStage(t, setup{config: oneStep})
	until := time.Now().Add(10 * time.Second).Truncate(time.Second)
	s.play(append([]modeltest.Turn{modeltest.Limited(until).At("Make the answer")}, right("Make the answer")...)...)
	s.env = modeltest.Subscribed(s.env)
	r := s.run(0)
	s.played()
	oneTurn(t, r)
	// On a machine so busy that it is over before the program says so, the shortest wait is left.
	waits := all[mulligan.Waited](r)
	if len(waits) != 1 || !waits[0].Free || waits[0].Until.Before(until) || time.Now().Before(until) {
		t.Errorf("waited %+v for %v", waits, until)
	}
	if u := s.status().Spent.Usage; !u.Estimated || u.CostUSD <= 0 {
		t.Errorf("what a subscription spent is no estimate: %+v", u)
	}
}

// TestNoWait: a rate limit ends the session.
func TestNoWait(t *testing.T) {
	s := onStage(t, setup{config: oneStep}).play(modeltest.Fail(modeltest.Fault{Status: 429, RetryAfter: 1}).Always())
	r := s.run(7, "--no-wait")
	if o := r.outcome(); o.Ended != mulligan.AgentUnavailable || !strings.Contains(o.Reason, "rate limited") || len(all[mulligan.Waited](r)) > 0 {
		t.Errorf("outcome %+v", o)
	}
}

// TestNoKey ends the session at once.
func TestNoKey(t *testing.T) {
	s := onStage(t, setup{config: oneStep}).play(modeltest.Fail(modeltest.Fault{Status: 401}).Always())
	r := s.run(7)
	ended := all[mulligan.TurnEnded](r)
	if len(ended) != 1 || ended[0].Result.Ending != mulligan.Unavailable || ended[0].Result.Cause != mulligan.Auth {
		t.Errorf("turns %+v", ended)
	}
	if len(all[mulligan.Waited](r)) > 0 {
		t.Error("it was waited for a key to come")
	}
}

// TestOverloadedForLong: tried again five times, then a failed iteration.
func TestOverloadedForLong(t *testing.T) {
	s := onStage(t, setup{config: oneStep}).play(modeltest.Fail(modeltest.Fault{Status: 529}).Always())
	r := s.run(7)
	ended := all[mulligan.TurnEnded](r)
	if len(ended) != 1 || ended[0].Result.Ending != mulligan.Unavailable || ended[0].Result.Cause != mulligan.Network {
		t.Errorf("turns %+v", ended)
	}
	if tries := strings.Count(s.logs(), "trying again in"); tries != 5 {
		t.Errorf("tried again %d times:\n%s", tries, s.logs())
	}
	if attempts := all[mulligan.AttemptEnded](r); len(attempts) != 1 || attempts[0].Counted {
		t.Errorf("attempts %+v", attempts)
	}
}

// TestStreamCut: a connection that breaks is tried again within the turn.
func TestStreamCut(t *testing.T) {
	cut := modeltest.Turn{Answer: modeltest.Answer{Text: strings.Repeat("so far ", 100), Cut: true}}
	s := onStage(t, setup{config: oneStep}).play(append([]modeltest.Turn{times(3, cut.At("Make the answer"))}, right("Make the answer")...)...)
	oneTurn(t, s.run(0))
	if !strings.Contains(s.logs(), "trying again in") {
		t.Errorf("the log does not say that the connection failed:\n%s", s.logs())
	}
}

// TestRefused: nobody is at the model's address at first.
func TestRefused(t *testing.T) {
	s := onStage(t, setup{config: oneStep}).play(right("Make the answer")...)
	address := s.nobodyThere()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		for !strings.Contains(s.logs(), "trying again in") {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
		s.forward(address)
	}()
	r := s.run(0)
	<-opened
	s.played()
	oneTurn(t, r)
}

// nobodyThere gives the agent an address that refuses, and gives that address.
func (s *stage) nobodyThere() string {
	s.t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close() // nothing else on the machine is likely to take it in the next seconds
	s.env = process.Set(s.env, "ANTHROPIC_BASE_URL=http://"+address)
	return address
}

// forward hands what comes to an address to the model.
func (s *stage) forward(address string) {
	to, err := url.Parse(s.model.URL)
	if err != nil {
		s.t.Error(err)
		return
	}
	listener, err := net.Listen("tcp4", address)
	if err != nil {
		s.t.Error(err)
		return
	}
	server := &http.Server{Handler: httputil.NewSingleHostReverseProxy(to), ReadHeaderTimeout: outer}
	s.t.Cleanup(func() { server.Close() })
	go server.Serve(listener) // until it is closed
}

// TestInterruptedAlone: the program ends with 0 when it alone is interrupted, which is no success:
// the attempt is taken again, though the answer is there.
func TestInterruptedAlone(t *testing.T) {
	const once = "test -e ../shot || { touch ../shot; sh -c 'sleep 3; kill -INT $0' $PPID >/dev/null 2>&1 & }"
	for name, tt := range map[string]struct {
		hook string
		turn modeltest.Turn
	}{
		"in a tool":        {"true", bash("kill -INT $PPID; sh -c 'sleep 30'")},
		"before an answer": {once, modeltest.Turn{Answer: modeltest.Answer{Text: "too late", Delay: outer}}},
	} {
		t.Run(name, func(t *testing.T) {
			command, err := json.Marshal(tt.hook)
			if err != nil {
				t.Fatal(err)
			}
			s := onStage(t, setup{config: strings.Replace(oneStep, "limits: {failed_iterations: 1}\n", "", 1), files: map[string]string{
				"answer":                "right\n",
				".claude/settings.json": `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": ` + string(command) + `}]}]}}`,
			}}).play(tt.turn.At("Make the answer"), modeltest.Say("Here again.").At("Make the answer"))
			r := s.run(0)
			s.played()
			ended := all[mulligan.TurnEnded](r)
			if len(ended) != 2 || ended[0].Result.Ending != mulligan.Crashed {
				t.Fatalf("turns %+v", ended)
			}
			// Which of them it is depends on how far the program was.
			if why := ended[0].Result.Reason; !strings.Contains(why, "interrupted") && !strings.Contains(why, "without a result") {
				t.Errorf("the turn ended by %q", why)
			}
			if got := r.attempts(); !slices.Equal(got, []int{1, 1}) {
				t.Errorf("attempts %v", got)
			}
		})
	}
}

// TestSilence: an agent that says nothing for idle_timeout is stopped, and the attempt taken again.
func TestSilence(t *testing.T) {
	hang := modeltest.Turn{Answer: modeltest.Answer{Text: "a long story", Hang: true}}
	s := onStage(t, setup{
		agent:  "    idle_timeout: 6s\n", // a busy machine takes some of them to start the program
		config: strings.Replace(oneStep, "limits: {failed_iterations: 1}\n", "", 1),
	}).play(append([]modeltest.Turn{hang.At("Make the answer")}, right("Make the answer")...)...)
	r := s.run(0)
	s.played()
	ended := all[mulligan.TurnEnded](r)
	if len(ended) != 2 || ended[0].Result.Ending != mulligan.TimedOut || !strings.Contains(ended[0].Result.Reason, "6s") {
		t.Errorf("turns %+v", ended)
	}
}

// TestCost: the turn that reaches the limit is examined, and then the session ends and says what
// was spent.
func TestCost(t *testing.T) {
	costly := modeltest.Say("Done, I think.")
	costly.Usage = modeltest.Usage{Input: 2_000_000, Output: 100_000}
	s := onStage(t, setup{config: strings.Replace(oneStep, "failed_iterations: 1", "cost_usd: 1", 1)}).play(costly.Always())
	r := s.run(4)
	o := r.outcome()
	if o.Ended != mulligan.LimitReached || !strings.Contains(o.Limit, "cost_usd") || o.Usage.CostUSD < 1 || o.Turns != 1 {
		t.Errorf("outcome %+v", o)
	}
	if len(all[mulligan.GateEnded](r)) != 1 {
		t.Error("the work of the last turn was not examined")
	}
	if st := s.status(); st.Spent.Usage.CostUSD != o.Usage.CostUSD || st.Ended != string(mulligan.LimitReached) {
		t.Errorf("status %+v", st)
	}
}

// logs are what the agent printed, in all turns so far.
func (s *stage) logs() string {
	home, _ := process.Lookup(s.env, "HOME")
	var out strings.Builder
	filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		if name := filepath.Base(path); err == nil && strings.HasPrefix(name, "turn-") && strings.HasSuffix(name, ".log") {
			if text, err := os.ReadFile(path); err == nil { // it may be on its way
				out.Write(text)
			}
		}
		return nil
	})
	return out.String()
}
