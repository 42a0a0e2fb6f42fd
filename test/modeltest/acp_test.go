package modeltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"mulligan/internal/process"
)

// TestACP: the programs that speak ACP take one prompt over it.
func TestACP(t *testing.T) {
	tests := []struct {
		name string
		args []string
		call Call
	}{
		{"opencode", []string{"acp"}, Call{Name: "bash", Input: object{"command": "echo made > made.txt; echo from-the-tool", "description": "make it"}}},
		{"gemini", []string{"--acp"}, Call{Name: "run_shell_command", Input: object{"command": "echo made > made.txt; echo from-the-tool"}}},
		{"claude-agent-acp", nil, Call{Name: "Bash", Input: object{"command": "echo made > made.txt; echo from-the-tool", "description": "make it"}}},
		{"codex-acp", nil, Call{Name: "exec_command", Input: object{"cmd": "echo made > made.txt; echo from-the-tool"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			program := Agent(t, test.name)
			s := start(t, Use(test.call).At("make the file"), Say("all is made").At("from-the-tool"))
			dir := t.TempDir()
			got := converse(t, dir, Env(t, s, test.name), append([]string{program}, test.args...)...)
			expect(t, s, got, dir, `"stopReason":"end_turn"`)
		})
	}
}

// converse sends a prompt over ACP, permits everything that is asked, and closes the connection.
func converse(t *testing.T, dir string, env []string, argv ...string) ran {
	t.Helper()
	fromUs, toProgram := io.Pipe()
	fromProgram, toUs := io.Pipe()
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	var got ran
	var stderr bytes.Buffer
	over := make(chan error, 1)
	go func() {
		var err error
		got.exit, err = pool.Run(t.Context(), process.Spec{
			Argv: argv, Dir: dir, Env: env, Stdin: fromUs, Stdout: toUs, Stderr: &stderr, Timeout: outer, Role: process.RoleAgent,
		})
		toUs.Close()
		over <- err
	}()
	got.stdout = dialogue(t, dir, toProgram, fromProgram)
	toProgram.Close()
	go io.Copy(io.Discard, fromProgram) // so that it can end
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	got.stderr = stderr.String()
	return got
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	} `json:"params"`
	Result struct {
		Session string `json:"sessionId"`
		Stop    string `json:"stopReason"`
	} `json:"result"`
	Error json.RawMessage `json:"error"`
}

// dialogue plays the client, and returns all that the program wrote.
func dialogue(t *testing.T, dir string, w io.Writer, r io.Reader) string {
	t.Helper()
	send := func(m object) {
		m["jsonrpc"] = "2.0"
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			t.Errorf("the program hung up: %v", err)
		}
	}
	send(object{"id": 1, "method": "initialize", "params": object{"protocolVersion": 1, "clientCapabilities": object{}}})
	var said bytes.Buffer
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		said.Write(line)
		if err != nil {
			return said.String()
		}
		var m rpc
		if json.Unmarshal(line, &m) != nil {
			continue // some print a warning before they speak
		}
		switch {
		case m.Method == "session/request_permission":
			for _, o := range m.Params.Options {
				if o.Kind == "allow_once" {
					send(object{"id": m.ID, "result": object{"outcome": object{"outcome": "selected", "optionId": o.ID}}})
				}
			}
		case m.Error != nil || m.Result.Stop != "":
			return said.String()
		case string(m.ID) == "1" && m.Method == "":
			send(object{"id": 2, "method": "session/new", "params": object{"cwd": dir, "mcpServers": []any{}}})
		case m.Result.Session != "":
			prompt := []object{{"type": "text", "text": "make the file"}}
			send(object{"id": 3, "method": "session/prompt", "params": object{"sessionId": m.Result.Session, "prompt": prompt}})
		}
	}
}
