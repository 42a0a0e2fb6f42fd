package runner

import (
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/view"
)

// maxSlug is how many letters of a task's title are in the name of its branch.
const maxSlug = 40

// nameBranch returns the name of a new session's branch: the task's title and the end of the session's
// id.
func nameBranch(p *mulligan.Plan, id string) string {
	title := p.Task.Title()
	if p.Task.Folder != "" {
		title = filepath.Base(p.Task.Folder)
	}
	words := strings.FieldsFunc(strings.ToLower(view.Line(title)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := ""
	for _, word := range words {
		if slug != "" && len(slug)+1+len(word) > maxSlug {
			break
		}
		slug = strings.TrimPrefix(slug+"-"+word, "-")
	}
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	return "mulligan/" + strings.TrimPrefix(slug+"-"+id[strings.LastIndexByte(id, '-')+1:], "-")
}
