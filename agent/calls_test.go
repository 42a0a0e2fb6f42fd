package agent

import (
	"encoding/json"
	"testing"
)

// TestRunsExactly: a check is allowed as it is, and not as the beginning or a part of another command.
func TestRunsExactly(t *testing.T) {
	const check = "go test ./..."
	for command, want := range map[string]bool{
		check:                                true,
		" go test ./...\n":                   true,
		"/bin/bash -lc 'go test ./...'":      true,
		`bash -c "go test ./..."`:            true,
		"go test ./... && rm -rf /":          false,
		"go test ./...x":                     false,
		"go test":                            false,
		"":                                   false,
		"bash -lc go test ./...":             false, // the shell's command is `go`
		"bash -lc 'go test ./...; rm x'":     false,
		"bash -lc 'go test ./...' x; rm x":   false,
		"/tmp/evil/bash -lc 'go test ./...'": false,
		"FOO=1 go test ./...":                false,
	} {
		if got := RunsExactly(command, check); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	for _, c := range []struct {
		command, allowed string
		want             bool
	}{
		{"sh -c make", "make", true},
		{"sh -c make x", "make", false},
		{`sh -c 'grep '\''x'\'' f'`, "grep 'x' f", true},
		{`sh -c "grep 'x' f"`, "grep 'x' f", true},
		{`sh -c "echo $HOME"`, "echo $HOME", false},
		{"", "", false},
		{"sh -c ''", "", false},
	} {
		if got := RunsExactly(c.command, c.allowed); got != c.want {
			t.Errorf("%q for %q: %v", c.command, c.allowed, got)
		}
	}
}

func TestCallSubject(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"go test\n./...","description":"x"}`:   "go test\n./...",
		`{"command":["/bin/zsh","-lc","ls -l"]}`:           "ls -l",
		`{"command":["ls","-l"]}`:                          "ls -l",
		`{"file_path":"/a.go","content":"package a\n..."}`: "/a.go",
		`{"content":"one\ntwo"}`:                           "one",
		`{"odd":1}`:                                        `{"odd":1}`,
		`{}`:                                               "",
		`null`:                                             "",
	} {
		if got := CallSubject(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q", input, got)
		}
	}
}
