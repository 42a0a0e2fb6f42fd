package acp

import (
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/modeltest"
)

func TestProbe(t *testing.T) {
	name := os.Getenv("PROBE")
	if name == "" {
		t.Skip("probe")
	}
	f := modeltest.Fault{Status: 429, RetryAfter: 1}
	scripts := map[string]modeltest.Script{
		"mcp": {Turns: []modeltest.Turn{modeltest.Use(modeltest.Call{Name: os.Getenv("TOOL")}), modeltest.Say("listed")}},
		"429": {Turns: []modeltest.Turn{modeltest.Fail(f).Always()}},
		"401": {Turns: []modeltest.Turn{modeltest.Fail(modeltest.Fault{Status: 401}).Always()}},
		"500": {Turns: []modeltest.Turn{modeltest.Fail(modeltest.Fault{Status: 500}).Always()}},
		"400": {Turns: []modeltest.Turn{modeltest.Fail(modeltest.Fault{Status: 400}).Always()}},
	}
	model, err := modeltest.Start(scripts[os.Getenv("SCRIPT")])
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	path := modeltest.Agent(t, name)
	exec := []string{path, "acp"}
	if name == "gemini" {
		exec = []string{"node", path, "--acp"}
	}
	spec := mulligan.AgentSpec{Name: name, Timeout: 55 * time.Second, Permissions: "edits", InheritEnv: true}
	a := build(t, spec, agent.Deps{Pool: agenttest.Pool(t), Environ: modeltest.Env(t, model, name)}, append([]string{"sh", "-c", `tee /tmp/cxp/acp_in | "$@" | tee /tmp/cxp/acp_out`, "x"}, exec...)...)
	var log strings.Builder
	turn := mulligan.Turn{Session: "s1", Number: 1, Prompt: "please list", Dir: t.TempDir(), Log: &log, Env: []string{"MULLIGAN=" + os.Args[0], "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=token-1"}}
	began := time.Now()
	r, err := a.Turn(t.Context(), turn)
	t.Logf("%v %+v %v\n%s", time.Since(began), r, err, log.String())
	for _, q := range model.Asked() {
		t.Logf("asked %d %d %v", q.Turn, q.Status, q.Tools)
	}
}
