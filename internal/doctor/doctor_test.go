package doctor

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
		"2.1.325": OK, "2.1.400": OK, "2.2.0": OK, "2.1": OK,
		"2.1.324": Warning, "1.99.0": Warning, "3.0.0": Warning, "0.1": Warning,
	} {
		level, text, do := compareVersion(have, builtin.Program{Tested: "2.1.325", Install: "install it"})
		if level != want || text == "" || (level == Warning) != (do != "") {
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
		{mulligan.Result{Ending: mulligan.Finished, Message: "ready"}, OK},
		{mulligan.Result{Ending: mulligan.AtLimit}, OK},
		{mulligan.Result{Ending: mulligan.RateLimited}, Warning},
		{mulligan.Result{Ending: mulligan.Cancelled}, Problem},
		{mulligan.Result{Ending: mulligan.Crashed}, Problem},
		{mulligan.Result{Ending: mulligan.Refused}, Problem},
		{mulligan.Result{Ending: mulligan.TimedOut}, Problem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}, Problem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing}, Problem},
		{mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network}, Problem},
	} {
		d := &doctor{}
		d.addAnswer("agent x", c.result, time.Second)
		if f := d.findings[0]; f.Level != c.want || (f.Level != OK) != (f.Do != "") {
			t.Errorf("%+v: %+v", c.result, f)
		}
	}
}

// TestListWithheld: variables are listed by name, and those that look like keys apart.
func TestListWithheld(t *testing.T) {
	d := &doctor{Env: &environ.Env{Environ: []string{"PATH=/bin", "MY_API_KEY=x", "EMPTY_TOKEN=", "PLAIN=y", "MY_API_KEY=z"}}}
	kept, keys := d.listWithheld(map[string]bool{"PATH": true})
	if !slices.Equal(kept, []string{"MY_API_KEY", "EMPTY_TOKEN", "PLAIN"}) || !slices.Equal(keys, []string{"MY_API_KEY", "EMPTY_TOKEN"}) {
		t.Errorf("got %q, %q", kept, keys)
	}
}
