package modeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The real programs, each given one prompt: it uses a tool as the script says, sees what
// the tool gave, and ends with the script's last words.

func TestClaude(t *testing.T) {
	program := Agent(t, "claude")
	s := start(t,
		Use(Call{Name: "Bash", Input: object{"command": "echo made > made.txt; echo from-the-tool", "description": "make it"}}).At("make the file"),
		Say("all is made").At("from-the-tool"),
	)
	dir := t.TempDir()
	got := run(t, dir, Env(t, s, "claude"),
		program, "-p", "make the file", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
	expect(t, s, got, dir, `"result":"all is made"`)
}

// TestClaudeTellsWhenItsLimitEnds: the form of a used-up subscription is one that the program
// understands.
func TestClaudeTellsWhenItsLimitEnds(t *testing.T) {
	program := Agent(t, "claude")
	until := time.Now().Add(time.Hour)
	s := start(t, Limited(until))
	got := run(t, t.TempDir(), Subscribed(Env(t, s, "claude")), program, "-p", "go", "--output-format", "stream-json", "--verbose")
	want := fmt.Sprintf(`"rate_limit_info":{"status":"rejected","resetsAt":%d`, until.Unix())
	if got.exit.Code != 1 || !strings.Contains(got.stdout, want) {
		t.Errorf("%v without %s:\n%s\n%s", got.exit, want, got.stdout, got.stderr)
	}
}

// expect holds what every program's smoke test expects.
func expect(t *testing.T, s *Server, got ran, dir, said string) {
	t.Helper()
	if !got.exit.OK() || !strings.Contains(got.stdout, said) {
		t.Errorf("%v without %q:\n%s\n%s", got.exit, said, got.stdout, got.stderr)
	}
	if made, err := os.ReadFile(filepath.Join(dir, "made.txt")); strings.TrimSpace(string(made)) != "made" {
		t.Errorf("the tool made %q, %v", made, err)
	}
	asked := s.Asked()
	if len(asked) != 2 || s.Left() != 0 || !strings.Contains(asked[len(asked)-1].Newest(), "from-the-tool") {
		t.Errorf("%d requests, %d turns left", len(asked), s.Left())
	}
	for _, r := range s.Log() {
		if r.Foreign || r.Stray {
			t.Errorf("%s %s: with a key that nobody gave it: %v; out of this machine: %v", r.Method, r.Path, r.Foreign, r.Stray)
		}
	}
	if t.Failed() || testing.Verbose() {
		for _, r := range s.Log() {
			slices.Sort(r.Tools)
			t.Logf("%s %s %s %d turn %d side %v stream %v model %s tools %s\n\tnewest: %.300q", r.At.Format("04:05.000"), r.Method, r.Path, r.Status, r.Turn, r.Side, r.Stream, r.Model, r.Tools, r.Newest())
		}
		t.Logf("%v in %v\n%s\n%s", got.exit, got.exit.Duration, got.stdout, got.stderr)
	}
}

func TestCodex(t *testing.T) {
	program := Agent(t, "codex")
	s := start(t,
		Use(Call{Name: "exec_command", Input: object{"cmd": "echo made > made.txt; echo from-the-tool"}}).At("make the file"),
		Say("all is made").At("from-the-tool"),
	)
	dir := t.TempDir()
	got := run(t, dir, Env(t, s, "codex"),
		program, "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--disable", "plugins", "make the file")
	expect(t, s, got, dir, `"text":"all is made"`)
}
