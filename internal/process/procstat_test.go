package process

import (
	"strings"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	rest := " 7 5" + strings.Repeat(" 0", 15) + " 4711 0 0"
	for _, tt := range []struct {
		text  string
		want  Stat
		ok    bool
		ended bool
	}{
		{text: "7 (sh) S 3" + rest, want: Stat{Comm: "sh", State: 'S', Parent: 3, Session: 5, Start: 4711}, ok: true},
		{text: "7 (mulligan-agent) S 3" + rest, want: Stat{Comm: "mulligan-agent", State: 'S', Parent: 3, Session: 5, Start: 4711}, ok: true},
		{text: "7 (a) S 1 (b) Z 3" + rest, want: Stat{Comm: "a) S 1 (b", State: 'Z', Parent: 3, Session: 5, Start: 4711}, ok: true, ended: true},
		{text: "7 (a) b (c) R) S 3" + rest, want: Stat{Comm: "a) b (c) R", State: 'S', Parent: 3, Session: 5, Start: 4711}, ok: true},
		{text: "7 () S 0" + rest, want: Stat{State: 'S', Session: 5, Start: 4711}, ok: true},
		{text: "7 (sh) Z 3" + rest, want: Stat{Comm: "sh", State: 'Z', Parent: 3, Session: 5, Start: 4711}, ok: true, ended: true},
		{text: "7 (sh) S x" + rest},
		{text: "7 (sh) S"},
		{text: "7 (sh) S 3 7 5 0"},
		{text: "7 sh S 3" + rest},
		{text: ")("},
		{text: ""},
	} {
		got, ok := parseStat([]byte(tt.text))
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %+v, %v", tt.text, got, ok)
		}
		if ok && got.HasEnded() != tt.ended {
			t.Errorf("%q: ended: %v", tt.text, got.HasEnded())
		}
	}
}
