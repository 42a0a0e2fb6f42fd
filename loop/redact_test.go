package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/redact"
)

// leaky is a world whose agent and gate print a secret, and whose log remembers.
type leaky struct {
	*world
	log bytes.Buffer
}

const planted = "planted-value-0123"

func (l *leaky) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	for _, piece := range []string{"it is planted-", "value-", "0123", ", sk-"} { // the last is held back
		fmt.Fprint(t.Log, piece)
	}
	_, err := l.world.Turn(ctx, t)
	return mulligan.Result{Ending: mulligan.Finished, Message: planted}, err
}

func (l *leaky) Examine(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	v := l.world.Examine(ctx, w)
	v.Summary, v.Finding.Text = planted, "evidence "+planted
	return v
}

func (l *leaky) Open(string) (io.WriteCloser, error) { return nopCloser{&l.log}, nil }

// TestSecretsAreNotSaid (A8): the journal, the state, the prompts and the log are without.
func TestSecretsAreNotSaid(t *testing.T) {
	l := &leaky{world: newWorld(mulligan.Fail, mulligan.Pass)}
	r := redact.New([]string{"MY_TOKEN=" + planted})
	s := l.session()
	s.Records, s.Redact = l, r.Body
	s.Filter = func(w io.Writer) io.WriteCloser { return r.Writer(w) }
	s.Agent = func(string) (mulligan.Agent, error) { return l, nil }
	s.Gates = func(mulligan.Step) ([]mulligan.Gate, error) { return []mulligan.Gate{l}, nil }
	p := planOf(1, "one")
	p.Task.Text, p.Notes = "# Use "+planted, []string{"a note with " + planted}
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Run(t.Context()); err != nil || o.Ended != mulligan.Verified {
		t.Fatalf("%v, %v", o, err)
	}
	for e, err := range l.journal.Read(t.Context(), id, 1) {
		data, _ := json.Marshal(e.Body)
		if err != nil || strings.Contains(string(data), planted) {
			t.Errorf("event %d, %s: %v: %s", e.Number, e.Body.Kind(), err, data)
		}
	}
	if got := l.turns[1].Prompt; !strings.Contains(got, "evidence [secret:MY_TOKEN]") {
		t.Errorf("the second prompt is %q", got)
	}
	if got := l.commits[0].Message; !strings.Contains(got, "Use [secret:MY_TOKEN]") {
		t.Errorf("the commit's message is %q", got)
	}
	if got := l.log.String(); !strings.HasPrefix(got, "it is [secret:MY_TOKEN], sk-turn 1\n") {
		t.Errorf("the log is %q", got)
	}
	if notes := s.State().Notes; len(notes) != 1 || notes[0] != "a note with [secret:MY_TOKEN]" {
		t.Errorf("the notes are %q", notes)
	}
}
