package loop

import (
	"context"
	"fmt"
	"strings"

	"mulligan"
)

// describeTouched returns the lines of a commit's body, or "" if nothing was touched.
func describeTouched(t mulligan.Touched) string {
	if t.Files == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, t.Figures())
	for _, f := range t.Top {
		fmt.Fprintf(&b, "  %s (%s, +%d -%d)\n", f.Path, f.Change, f.Added, f.Deleted)
	}
	if more := t.Files - len(t.Top); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	if words := t.TestWords(); words != "" {
		fmt.Fprintf(&b, "Tests %s\n", words)
	}
	if words := t.SteeringWords(); words != "" {
		fmt.Fprintf(&b, "Files that steer the checks, %s\n", words)
	}
	return b.String()
}

// listTouched returns what differs between two trees, or nil if there is nothing to compare.
func (s *Session) listTouched(ctx context.Context, from, to mulligan.Tree) (*mulligan.Touched, error) {
	if s.Touched == nil || from.ID == "" || to.ID == "" {
		return nil, nil
	}
	t, err := s.Touched(context.WithoutCancel(ctx), from, to)
	if err != nil {
		return nil, fmt.Errorf("listing what was touched: %w", err)
	}
	return &t, nil
}
