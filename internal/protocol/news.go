package protocol

// LauncherVariable names the descriptor on which a session's own process writes News to the process
// that launched it. "3 watched" means that the launcher shows the session to a person.
const LauncherVariable = "MULLIGAN_READY_FD"

// LauncherWatches follows the descriptor in LauncherVariable if the launcher shows the session.
const LauncherWatches = "watched"

// News is one line from a session's own process to its launcher. One of its fields Session, Text and
// Exit is set.
type News struct {
	Session string `json:"session,omitempty"` // a session has begun, or has been resumed
	Past    int64  `json:"past,omitempty"`    // the number of its last event before that
	Text    string `json:"text,omitempty"`    // something to show
	Exit    *int   `json:"exit,omitempty"`    // the process is about to end
	Error   string `json:"error,omitempty"`   // with Exit: what the person is to read
}
