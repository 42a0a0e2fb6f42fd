package program

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/redact"
)

// TestStreamsAreFiltered (A8): each stream by itself, and before anything of it is cut: the
// secrets here stand where a long message and a long complaint are.
func TestStreamsAreFiltered(t *testing.T) {
	r := redact.New([]string{"MY_TOKEN=planted-value-0123"})
	deps := agent.Deps{
		Pool: agenttest.Pool(t), Environ: []string{"PATH=/usr/bin:/bin"},
		Filter: func(w io.Writer) io.WriteCloser { return r.Writer(w) },
	}
	a := build(t, mulligan.AgentSpec{}, deps, sh(`
		printf planted-; echo an error >&2; sleep 0.1; echo value-0123
		i=0; while [ $i -lt 3000 ]; do echo planted-value-0123; i=$((i+1)); done
		printf '%4090splanted-value-0123' ' ' >&2
		exit 1`))
	var log bytes.Buffer
	result, err := a.Turn(t.Context(), mulligan.Turn{Dir: t.TempDir(), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	if result.Ending != mulligan.Crashed || !result.MessageCut || !strings.HasSuffix(result.Reason, "[secret:MY_TOKEN]") {
		t.Errorf("the result is %s, %q, cut: %v", result.Ending, result.Reason, result.MessageCut)
	}
	for name, text := range map[string]string{"message": result.Message, "reason": result.Reason, "log": log.String()} {
		for _, part := range []string{"planted", "value", "0123"} {
			if at := strings.Index(text, part); at >= 0 {
				t.Errorf("the %s has %q in %q", name, part, text[max(at-40, 0):min(at+40, len(text))])
			}
		}
	}
}
