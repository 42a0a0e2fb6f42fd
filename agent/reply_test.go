package agent

import (
	"maps"
	"testing"
)

func TestLastMessage(t *testing.T) {
	m := Deps{}.NewLastMessage()
	if text, cut := m.Finish(); text != "" || cut || m.Is("") {
		t.Errorf("without a message: %q, cut %v", text, cut)
	}
	for _, piece := range []struct {
		id, text string
		another  bool
	}{{"1", "first", true}, {"2", "second ", true}, {"2", "message", false}} {
		if another := m.Add(piece.id, piece.text); another != piece.another || !m.Is(piece.id) {
			t.Errorf("%v: another message %v", piece, another)
		}
	}
	if text, cut := m.Finish(); text != "second message" || cut {
		t.Errorf("message %q, cut %v", text, cut)
	}
	if !m.Add("2", "third") {
		t.Error("a message went on after its end")
	}
}

func TestToolEnv(t *testing.T) {
	got := maps.Collect(ToolEnv([]string{"PATH=/bin", "MULLIGAN=/m", "MULLIGAN_DOOR=/d=1", "MULLIGANS=no"}))
	if want := map[string]string{"MULLIGAN": "/m", "MULLIGAN_DOOR": "/d=1"}; !maps.Equal(got, want) {
		t.Errorf("variables %v, want %v", got, want)
	}
}
