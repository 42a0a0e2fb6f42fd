package process

import (
	"slices"
	"strings"
	"testing"
)

func TestBase(t *testing.T) {
	environ := []string{"B=1", "A=1", "LC_ALL=C", "LC=x", "A=2", "SECRET=s", "=odd", "no value"}
	for _, tc := range []struct {
		names string
		want  string
	}{
		{"A B", "B=1 A=2"},
		{"LC_*", "LC_ALL=C"},
		{"LC*", "LC_ALL=C LC=x"},
		{"A A*", "A=2"},
		{"*", "B=1 A=2 LC_ALL=C LC=x SECRET=s"},
		{"", ""},
	} {
		if got := strings.Join(Base(environ, strings.Fields(tc.names)), " "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.names, got, tc.want)
		}
	}
}

func TestSet(t *testing.T) {
	env := []string{"A=1", "B=2", "A=3"}
	if got := Set(env, "C=4", "B=5", "B="); !slices.Equal(got, []string{"A=3", "B=", "C=4"}) {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(env, []string{"A=1", "B=2", "A=3"}) {
		t.Errorf("changed what was given: %q", env)
	}
	if v, ok := Lookup(env, "A"); v != "3" || !ok {
		t.Errorf("got %q, %v", v, ok)
	}
	if _, ok := Lookup(env, "AB"); ok {
		t.Error("found what is not there")
	}
}

func TestAgentEnv(t *testing.T) {
	environ := []string{
		"PATH=/bin", "HOME=/home/x", "LC_CTYPE=C", "XDG_STATE_HOME=/s", "https_proxy=p",
		"AWS_SECRET_ACCESS_KEY=k", "GITHUB_TOKEN=t", "SSH_AUTH_SOCK=/a", "OPENAI_API_KEY=o", "MULLIGAN_TOKEN=m", "MY_TOKEN=y",
	}
	got := AgentEnv(environ, []string{"MY_*"}, false)
	want := []string{"PATH=/bin", "HOME=/home/x", "LC_CTYPE=C", "XDG_STATE_HOME=/s", "https_proxy=p", "MY_TOKEN=y"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := AgentEnv(environ, nil, true); !slices.Equal(got, environ) {
		t.Errorf("inherited %q", got)
	}
}
