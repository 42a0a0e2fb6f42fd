package zz

import (
	"bytes"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"mulligan/internal/modeltest"
	"mulligan/internal/process"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	os.Exit(m.Run())
}

func TestZ(t *testing.T) {
	claude := modeltest.Agent(t, "claude")
	s, _ := modeltest.Start(modeltest.Script{Turns: []modeltest.Turn{modeltest.Say("x").Always()}})
	defer s.Close()
	env := append(modeltest.Env(t, s, "claude"), "MULLIGAN=/tmp/e2e-mulligan", "MULLIGAN_DOOR=/nowhere", "MULLIGAN_TOKEN=xxxxxxxxxxxxxx")
	mcp := func(command, args string) []string {
		return []string{`--mcp-config={"mcpServers":{"mulligan":{"type":"stdio","command":"` + command + `","args":[` + args + `],"env":{"MULLIGAN_DOOR":"${MULLIGAN_DOOR}","MULLIGAN_TOKEN":"${MULLIGAN_TOKEN}"}}}}`, "--allowedTools=mcp__mulligan__*"}
	}
	base := []string{claude, "--print", "--output-format", "stream-json", "--verbose", "--include-partial-messages", "--dangerously-skip-permissions"}
	sets := map[string][]string{
		"a arg":       append(append([]string{}, base...), "hello"),
		"b stdin":     base,
		"c mcp":       append(append([]string{}, base...), mcp("${MULLIGAN}", `"mcp"`)...),
		"d mcp false": append(append([]string{}, base...), mcp("/bin/false", ``)...),
		"e strict":    append(append(append([]string{}, base...), mcp("${MULLIGAN}", `"mcp"`)...), "--strict-mcp-config"),
	}
	times := map[string][]time.Duration{}
	pool := process.NewPool(process.PoolOptions{})
	defer pool.Close()
	for range 8 {
		for name, argv := range sets {
			var out bytes.Buffer
			start := time.Now()
			exit, err := pool.Run(t.Context(), process.Spec{Argv: argv, Dir: t.TempDir(), Env: env, Stdin: strings.NewReader("hello"), Stdout: &out, Stderr: &out, Timeout: 30 * time.Second, Agent: true})
			if err != nil || !exit.OK() {
				t.Fatal(exit, err, out.String())
			}
			times[name] = append(times[name], time.Since(start))
		}
	}
	for name, all := range times {
		sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
		t.Log(name, all[len(all)/2], all[0])
	}
}
