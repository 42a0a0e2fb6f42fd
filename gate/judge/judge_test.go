package judge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// A fake is an agent that a function plays.
type fake func(ctx context.Context, t mulligan.Turn) (mulligan.Result, error)

func (f fake) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) { return f(ctx, t) }

func decide(t *testing.T, f fake, c mulligan.Case) mulligan.Judgement {
	t.Helper()
	b := &Bench{Root: "/work", Agent: func(name string) (mulligan.Agent, error) {
		if name != "critic" {
			return nil, errors.New("no agent " + name)
		}
		return f, nil
	}}
	return b.Decide(t.Context(), c)
}

// A judge's turn is read-only, in an empty folder that is gone afterwards, without the session's tools.
func TestDecide(t *testing.T) {
	var taken mulligan.Turn
	j := decide(t, func(_ context.Context, turn mulligan.Turn) (mulligan.Result, error) {
		taken = turn
		if list, err := os.ReadDir(turn.Dir); err != nil || len(list) > 0 {
			t.Errorf("the folder has %v, %v", list, err)
		}
		if err := os.WriteFile(filepath.Join(turn.Dir, "mine"), nil, 0o666); err != nil {
			t.Error(err)
		}
		return mulligan.Result{Ending: mulligan.Finished, Message: `{"ok": false, "reason": "no"}`, Usage: mulligan.Usage{InputTokens: 7}}, nil
	}, mulligan.Case{Session: "s", Agent: "critic", Model: "m", BudgetUSD: 0.5, Question: "Is it?"})
	if j.OK || j.Reason != "no" || j.Broken != "" || j.Usage == nil || j.Usage.InputTokens != 7 {
		t.Errorf("%+v", j)
	}
	if !taken.ReadOnly || taken.Root != "/work" || taken.Conversation != "" || len(taken.Env) > 0 || taken.Model != "m" || taken.BudgetUSD != 0.5 || taken.Number != 1 {
		t.Errorf("%+v", taken)
	}
	if _, err := os.Stat(taken.Dir); err == nil {
		t.Errorf("%s is still there", taken.Dir)
	}
}

func TestBrokenJudges(t *testing.T) {
	result := func(r mulligan.Result) fake {
		return func(context.Context, mulligan.Turn) (mulligan.Result, error) { return r, nil }
	}
	for _, tt := range []struct {
		name  string
		agent string
		turn  fake
		want  string
		taken bool
	}{
		{"no such agent", "other", nil, "no agent other", false},
		{"missing", "critic", result(mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Missing, Reason: "x was not found"}), "unavailable (missing): x was not found", false},
		{"rate limited", "critic", result(mulligan.Result{Ending: mulligan.RateLimited, Reason: "until five"}), "until five", true},
		{"crashed", "critic", result(mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 1", Message: `{"ok": true}`}), "crashed: exit status 1", true},
		{"an error", "critic", func(context.Context, mulligan.Turn) (mulligan.Result, error) {
			return mulligan.Result{}, errors.New("no log")
		}, "no log", true},
		{"prose", "critic", result(mulligan.Result{Ending: mulligan.Finished, Message: "Well."}), "but: Well.", true},
	} {
		j := decide(t, tt.turn, mulligan.Case{Agent: tt.agent})
		if j.OK || !strings.Contains(j.Broken, tt.want) || (j.Usage != nil) != tt.taken {
			t.Errorf("%s: %+v", tt.name, j)
		}
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := decide(t, func(ctx context.Context, _ mulligan.Turn) (mulligan.Result, error) {
			<-ctx.Done()
			return mulligan.Result{Ending: mulligan.Cancelled, Message: `{"ok": true}`}, nil
		}, mulligan.Case{Agent: "critic", Timeout: time.Minute})
		if j.OK || j.Broken != "timed out after 1m0s" {
			t.Errorf("%+v", j)
		}
	})
}
