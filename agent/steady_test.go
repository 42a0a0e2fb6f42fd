package agent

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// flaky fails its first turns.
type flaky struct {
	failures int
	result   mulligan.Result
	turns    int
}

func (f *flaky) Turn(context.Context, mulligan.Turn) (mulligan.Result, error) {
	f.turns++
	usage := mulligan.Usage{InputTokens: 1}
	if f.turns <= f.failures {
		r := f.result
		r.Usage = usage
		return r, nil
	}
	return mulligan.Result{Ending: mulligan.Finished, Usage: usage}, nil
}

type bubble struct{}

func (bubble) Now() time.Time { return time.Now() }
func (bubble) Sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// TestSteady (A4): five tries, half a second doubling, and only for the transport.
func TestSteady(t *testing.T) {
	network := mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "connection refused"}
	for name, test := range map[string]struct {
		failures int
		result   mulligan.Result
		turns    int
		ending   mulligan.Ending
		waited   time.Duration
	}{
		"well":        {0, network, 1, mulligan.Finished, 0},
		"twice":       {2, network, 3, mulligan.Finished, 1500 * time.Millisecond},
		"for long":    {99, network, 6, mulligan.Unavailable, 15500 * time.Millisecond},
		"crashed":     {1, mulligan.Result{Ending: mulligan.Crashed}, 1, mulligan.Crashed, 0},
		"not allowed": {1, mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}, 1, mulligan.Unavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flaky{failures: test.failures, result: test.result}
				began := time.Now()
				r, err := Steady(f, bubble{}, nil).Turn(t.Context(), mulligan.Turn{Log: io.Discard})
				if err != nil || r.Ending != test.ending || f.turns != test.turns || time.Since(began) != test.waited {
					t.Errorf("%+v, %v after %d turns and %v", r, err, f.turns, time.Since(began))
				}
				if r.Usage.InputTokens != int64(f.turns) {
					t.Errorf("usage of %d turns is %+v", f.turns, r.Usage)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var log strings.Builder
		r, err := Steady(&flaky{failures: 99, result: network}, bubble{}, nil).Turn(ctx, mulligan.Turn{Log: &log})
		if err != nil || r.Ending != mulligan.Cancelled || !strings.Contains(log.String(), "connection refused") {
			t.Errorf("%+v, %v, log %q", r, err, log.String())
		}
	})
}
