package runner

import (
	"fmt"
	"strings"

	"mulligan/internal/text"
)

// joinPaths returns paths on one line, as messages and commits name them.
func joinPaths(paths []string) string {
	more := ""
	if len(paths) > 10 {
		more = fmt.Sprintf(" and %d more", len(paths)-10)
		paths = paths[:10]
	}
	return text.OneLine(strings.Join(paths, ", ")) + more
}
