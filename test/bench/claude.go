package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// playClaude prints what Claude Code would: a beginning, size bytes of text and of tools' results,
// and a result. Most lines are short, and some are very long.
func playClaude(size string) error {
	left, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	fmt.Fprintln(out, `{"type":"system","subtype":"init","session_id":"s","model":"m","apiKeySource":"none","tools":[]}`)
	short, long := claudeLines(4<<10), claudeLines(1<<20)
	for i := 0; left > 0; i++ {
		line := short
		if i%256 == 255 {
			line = long
		}
		left -= len(line)
		if _, err := out.WriteString(line); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","total_cost_usd":0,"usage":{"input_tokens":1,"output_tokens":1}}`)
	return out.Flush()
}

// claudeLines returns a message and a tool's result, of about size bytes together.
func claudeLines(size int) string {
	text := strings.Repeat("the agent says this and that of its work\\n", size/2/42)
	return `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"` + text + `"}]}}` + "\n" +
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"` + text + `"}]}}` + "\n"
}

// playTimer runs a program with its own streams, and appends to the log when it started and ended.
func playTimer(log string, argv []string) error {
	start := time.Now()
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err != nil {
		return err
	}
	if err := appendLine(log, fmt.Sprintf("%d %d\n", start.UnixNano(), time.Now().UnixNano())); err != nil {
		return err
	}
	if !state.Success() {
		return fmt.Errorf("%s: %s", argv[0], state)
	}
	return nil
}

// turnMessages returns the last message of each turn.
func turnMessages(all []event) []string {
	var messages []string
	for _, e := range all {
		var r struct{ Message string }
		if e.Kind == "turn.ended" && json.Unmarshal(e.Data.Result, &r) == nil {
			messages = append(messages, r.Message)
		}
	}
	return messages
}
