package cli

import (
	"slices"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
)

func TestCompareVersion(t *testing.T) {
	for have, want := range map[string]string{
		"2.1.325": levelOK, "2.1.400": levelOK, "2.2.0": levelOK, "2.1": levelOK,
		"2.1.324": levelWarning, "1.99.0": levelWarning, "3.0.0": levelWarning, "0.1": levelWarning,
	} {
		level, text, do := compareVersion(have, builtin.Program{Tested: "2.1.325", Install: "install it"})
		if level != want || text == "" || (level == levelWarning) != (do != "") {
			t.Errorf("%s is %s: %s; %s", have, level, text, do)
		}
	}
}

// TestAddAnswer: every ending of an agent's answer has its level, and a way out unless it is ok.
func TestAddAnswer(t *testing.T) {
	for _, c := range []struct {
		result mulligan.Result
		want   string
	}{
		{mulligan.Result{Ending: mulligan.Finished, Message: "ready"}, levelOK},
		{mulligan.Result{Ending: mulligan.AtLimit}, levelOK},
		{mulligan.Result{Ending: mulligan.RateLimited}, levelWarning},
		{mulligan.Result{Ending: mulligan.Cancelled}, levelProblem},
		{mulligan.Result{Ending: mulligan.Crashed}, levelProblem},
		{mulligan.Result{Ending: mulligan.Refused}, levelProblem},
		{mulligan.Result{Ending: mulligan.TimedOut}, levelProblem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}, levelProblem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing}, levelProblem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network}, levelProblem},
	} {
		d := &doctor{}
		d.addAnswer("agent x", c.result, time.Second)
		if f := d.findings[0]; f.Level != c.want || (f.Level != levelOK) != (f.Do != "") {
			t.Errorf("%+v: %+v", c.result, f)
		}
	}
}

// TestListWithheld: variables are listed by name, and those that look like keys apart.
func TestListWithheld(t *testing.T) {
	d := &doctor{App: &App{Env: &environ.Env{Environ: []string{"PATH=/bin", "MY_API_KEY=x", "EMPTY_TOKEN=", "PLAIN=y", "MY_API_KEY=z"}}}}
	kept, keys := d.listWithheld(map[string]bool{"PATH": true})
	if !slices.Equal(kept, []string{"MY_API_KEY", "EMPTY_TOKEN", "PLAIN"}) || !slices.Equal(keys, []string{"MY_API_KEY", "EMPTY_TOKEN"}) {
		t.Errorf("got %q, %q", kept, keys)
	}
}
