package feedback

import "strings"

// Kept returns the text that tells an agent which files checks have written since its last turn.
func (p Prompter) Kept(paths []string) string {
	return "Since your last turn checks have written these files, and what they wrote is part of the work:\n- " +
		strings.Join(paths, "\n- ") + "\nRead them again before you change them."
}
