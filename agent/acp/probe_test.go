package acp

import (
	"os"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/modeltest"
	"mulligan/internal/process"
)

func TestProbe(t *testing.T) {
	name := os.Getenv("PROBE")
	if name == "" {
		t.Skip("probe")
	}
	call := modeltest.Call{Name: "bash", Input: map[string]any{"command": "echo wrong > answer; echo printed", "description": "answer"}}
	if name == "gemini" {
		call = modeltest.Call{Name: "run_shell_command", Input: map[string]any{"command": "echo wrong > answer; echo printed"}}
	}
	s := newStage(t, name, modeltest.Script{Turns: []modeltest.Turn{modeltest.Use(call), modeltest.Say("done"), modeltest.Say("done again")}})
	exec := s.agent.opt.Exec
	s.agent.opt.Exec = append([]string{"sh", "-c", `stamp() { while IFS= read -r l; do printf '%s %s\n' "$(date +%s.%N)" "$l" >> $1; printf '%s\n' "$l"; done; }; rm -f /tmp/cxp/acp_in /tmp/cxp/acp_out; date +%s.%N > /tmp/cxp/acp_in; stamp /tmp/cxp/acp_in | "$@" | stamp /tmp/cxp/acp_out; date +%s.%N >> /tmp/cxp/acp_in`, "x"}, exec...)
	began := time.Now()
	r := s.take("please", "", mulligan.Finished)
	t.Logf("%v %+v\n%s", time.Since(began), r, s.log.String())
	if os.Getenv("WAIT") != "" {
		time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
	}
	r, err := s.agent.Turn(t.Context(), func() mulligan.Turn { u := s.turn; u.Prompt = "again"; u.Conversation = r.Conversation; return u }())
	t.Logf("second: %+v %v", r, err)
	for _, q := range s.model.Log() {
		t.Logf("%v %s stray %v side %v", q.At.UnixNano(), q.Path, q.Stray, q.Side)
	}
	home, _ := process.Lookup(s.agent.deps.Environ, "HOME")
	os.RemoveAll("/tmp/cxp/acphome")
	os.CopyFS("/tmp/cxp/acphome", os.DirFS(home))
}
