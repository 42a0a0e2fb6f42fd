package doctor

import (
	"mulligan/internal/text"
	"mulligan/workspace"
)

// checkSlots says what the clones of this repository's sessions take.
func (d *doctor) checkSlots() {
	folders, err := d.Folders()
	if err != nil || d.root == "" {
		return // checkConfig has said so
	}
	slots, err := folders.ListSlots(d.root)
	if err != nil || len(slots) == 0 {
		return
	}
	var bytes int64
	for _, slot := range slots {
		bytes += workspace.SizeOf(slot)
	}
	d.addFinding(OK, "clones", "", "%s of clones take %s beside the store's %s; `mulligan prune` removes those that no session needs",
		text.Count(len(slots), "pair"), text.Size(bytes), text.Size(workspace.SizeOf(folders.Store(d.root))))
}
