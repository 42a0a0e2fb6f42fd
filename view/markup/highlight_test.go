package markup

import (
	"strings"
	"testing"
	"time"
)

// Expressions of a lexer may take long on a text that was made for it: at a time the rest stays plain.
func TestColouringEnds(t *testing.T) {
	file := FileChange{New: "a.go", Hunks: []Hunk{{Lines: []Line{{Kind: Added, Text: "func <f>"}}}}}
	if got := colorHunks(file, time.Now().Add(time.Hour))[0][0]; !strings.HasPrefix(got, `<span class="h-keyword">func</span> `) {
		t.Errorf("in time: %s", got)
	}
	if got := colorHunks(file, time.Now())[0][0]; got != "func &lt;f&gt;" {
		t.Errorf("too late: %s", got)
	}
}
