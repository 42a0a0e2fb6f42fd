package claudecode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
)

// Many hooks with much to say share the room.
func TestManyBlocks(t *testing.T) {
	b := newBench(t)
	var commands []string
	for i := range 10 {
		commands = append(commands, fmt.Sprintf(`seq -f "hook %d, line %%g" 1 1000; echo reason-%d >&2; exit 2`, i, i))
	}
	got := b.commands(commands...)
	if n := len([]rune(got.Feedback)); n > 2*8000+100 {
		t.Errorf("%d characters", n)
	}
	for i := range 10 {
		if !strings.Contains(got.Feedback, fmt.Sprintf("reason-%d", i)) {
			t.Errorf("hook %d is pushed out", i)
		}
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	b := newBench(t)
	b.runner.Filter = func(w io.Writer) io.WriteCloser { return &censor{to: w} }
	b.runner.Judge = func(context.Context, string, mulligan.Turn) (mulligan.Result, error) {
		return mulligan.Result{}, errors.New("refused hunter2")
	}
	var live bytes.Buffer
	b.call.Live = &live
	got := b.run(
		mulligan.AgentHook{Name: "a", Type: TypeCommand, Command: "echo out hunter2; echo err hunter2 >&2; exit 2", Timeout: hangGuard},
		mulligan.AgentHook{Name: "b", Type: TypeCommand, Command: `echo '{"systemMessage":"hunter2","additionalContext":"hunter2"}'`, Timeout: hangGuard},
		mulligan.AgentHook{Name: "c", Type: TypePrompt, Prompt: "well?", Timeout: hangGuard},
	)
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"reply": string(text), "whole": b.whole(0) + b.whole(1), "live": live.String()} {
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "[secret:PASSWORD]") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

func TestOutputThatCannotBeKept(t *testing.T) {
	b := newBench(t)
	b.call.Output = func(int) (string, error) { return filepath.Join(b.kept, "no", "such", "folder"), nil }
	got := b.commands("echo no >&2; exit 2")
	if got.Decision != mulligan.Block || got.Feedback != "no" || got.Runs[0].Whole != "" || len(got.Messages) != 1 {
		t.Errorf("got %+v", got)
	}
	b.call.Output = func(int) (string, error) { return "", errors.New("the disk is full") }
	got = b.commands("echo no >&2; exit 2")
	if got.Decision != mulligan.Block || len(got.Messages) != 1 || !strings.Contains(got.Messages[0], "the disk is full") {
		t.Errorf("got %+v", got)
	}
	b.call.Output = nil
	if got = b.commands("echo no >&2; exit 2"); got.Decision != mulligan.Block || len(got.Messages) != 0 {
		t.Errorf("got %+v", got)
	}
}
