package notify

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// Bell returns what makes a terminal ring, and show a message where it is known to take one. term is the value of TERM, and
// multiplexed is set below tmux or screen, which pass on the bell alone. task is what the session works on.
func Bell(n mulligan.Notice, task, term string, multiplexed bool) string {
	const bell = "\a"
	title, body := Words(n, task)
	title, body = text.Clip(title, 120), text.Clip(body, 200)
	switch {
	case multiplexed, term == "", term == "dumb", term == "linux", strings.HasPrefix(term, "screen"), strings.HasPrefix(term, "tmux"):
		return bell
	case strings.HasPrefix(term, "rxvt"), strings.HasPrefix(term, "foot"):
		return fmt.Sprintf("\x1b]777;notify;mulligan: %s;%s\x1b\\", strings.ReplaceAll(title, ";", ","), strings.ReplaceAll(body, ";", ",")) + bell
	}
	if body != "" {
		title += ": " + body
	}
	return "\x1b]9;mulligan: " + title + "\x1b\\" + bell
}
