package plan

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// AccessLines returns, line by line, what agents may write in the steps of the plans that say so, and the
// scripts of checks and hooks that no agent may change.
func AccessLines(plans []*mulligan.Plan) []string {
	var lines, scripts []string
	for _, p := range plans {
		for _, step := range p.Steps {
			where := fmt.Sprintf("step %s of pipeline %s", step.Name, p.Pipeline)
			if p.Loop != nil {
				where = "the loop"
			}
			if line := describeWriteRules(step.WriteRules); line != "" {
				lines = append(lines, where+" may write "+line)
			}
		}
		for _, f := range p.Protected {
			if f.Role == mulligan.RoleScript && !slices.Contains(scripts, f.Path) {
				scripts = append(scripts, f.Path)
			}
		}
	}
	if len(scripts) > 0 {
		lines = append(lines, "protected, because checks or hooks run it: "+strings.Join(scripts, ", "))
	}
	return lines
}

// describeWriteRules returns what may be written and what may not, or "" if a step says nothing about it.
func describeWriteRules(a mulligan.WriteRules) string {
	line := "everything"
	switch {
	case !a.Limited && len(a.Protect) == 0:
		return ""
	case a.Limited && len(a.AllowWrite) == 0:
		line = "nothing"
	case a.Limited:
		line = strings.Join(a.AllowWrite, ", ")
	}
	if len(a.Protect) > 0 {
		line += ", but not " + strings.Join(a.Protect, ", ")
	}
	return line
}
