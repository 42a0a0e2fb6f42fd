package feedback

import (
	"fmt"
	"strings"

	"mulligan"
)

// maxGitChanges is how many changes of git's own files a prompt names.
const maxGitChanges = 20

// GitRestored returns the text that tells an agent what was put back in the repository's git folder. It is no fault:
// tools such as husky, pre-commit and git lfs do that by themselves.
func (p Prompter) GitRestored(changes []mulligan.GitChange) string {
	lines := make([]string, 0, len(changes))
	for _, c := range changes[:min(len(changes), maxGitChanges)] {
		c.Kept = "" // where the copy is a person has to know
		lines = append(lines, c.Describe())
	}
	if more := len(changes) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return "While the last turn ran, git's own files of this repository were changed in ways that can start programs or hide files. " +
		"Tools such as husky, pre-commit and git lfs do that when they are installed, and it is no fault of yours. mulligan has put these back:\n- " +
		strings.Join(lines, "\n- ") + "\nGo on with the task. You need not set them again; the work does not depend on them."
}
