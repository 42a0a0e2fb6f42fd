package mulligan

import "fmt"

// A NoticeMoment is something that a person wants to hear of. The config names them under notify.on.
type NoticeMoment string

const (
	NoticeVerified    NoticeMoment = "verified"    // the session ended well, accepted work included
	NoticeFailed      NoticeMoment = "failed"      // it gave up, or reached a limit
	NoticeWaiting     NoticeMoment = "waiting"     // it ended to wait for a person
	NoticeBroken      NoticeMoment = "broken"      // a gate could not tell
	NoticeUnavailable NoticeMoment = "unavailable" // the agent is
	NoticeInterrupted NoticeMoment = "interrupted" // a person stopped it
	NoticeQuestion    NoticeMoment = "question"    // a question waits for its answer, and the session with it
	NoticeGuard       NoticeMoment = "guard"       // an item was claimed too often, and a person has to decide
	NoticeFolder      NoticeMoment = "folder"      // the tasks of a folder have ended
	NoticeTest        NoticeMoment = "test"        // a person tries the ways out
)

// NoticeMoments returns the moments that a config can choose.
func NoticeMoments() []NoticeMoment {
	return []NoticeMoment{
		NoticeVerified, NoticeFailed, NoticeWaiting, NoticeBroken, NoticeUnavailable, NoticeInterrupted,
		NoticeQuestion, NoticeGuard, NoticeFolder,
	}
}

// NeedsPerson reports whether the work stands still until a person does something.
func (m NoticeMoment) NeedsPerson() bool {
	switch m {
	case NoticeWaiting, NoticeBroken, NoticeUnavailable, NoticeQuestion, NoticeGuard:
		return true
	default:
		return false
	}
}

// A Notice is a message to the session's person.
type Notice struct {
	Moment NoticeMoment `json:"moment"`
	Ended  Ended        `json:"ended,omitempty"` // of a session that has ended
	Reason string       `json:"reason,omitempty"`
	// Question is the id of a question that waits, Text what is asked, or what was claimed too often.
	Question int      `json:"question,omitempty"`
	Text     string   `json:"text,omitempty"`
	Options  []string `json:"options,omitempty"`
	// Folder is the folder whose tasks have ended, Done how many of them ended well.
	Folder string `json:"folder,omitempty"`
	Done   int    `json:"done,omitempty"`
}

// WayBell is the way to a person that viewers take: those that have a terminal ring its bell.
const WayBell = "bell"

// NotifyStarted is the intent to notify a person. It is stored together with what it is about, right before
// that, so that a kill loses neither.
type NotifyStarted struct {
	ID     string   `json:"id"` // of this notice, the same if it is sent again
	Notice Notice   `json:"notice"`
	Ways   []string `json:"ways"` // WayBell, webhook, command, desktop
}

// NotifyEnded is what became of it, way by way. Bells are not among them: viewers ring those.
type NotifyEnded struct {
	ID      string         `json:"id"`
	Results []NotifyResult `json:"results,omitempty"`
}

// A NotifyResult is what became of a notice on one way.
type NotifyResult struct {
	Way   string `json:"way"`
	OK    bool   `json:"ok"`
	Tries int    `json:"tries,omitempty"`
	Note  string `json:"note,omitempty"` // why it failed, or where it went
}

func (NotifyStarted) Kind() string { return "notify.started" }
func (NotifyEnded) Kind() string   { return "notify.ended" }

// NoticeOfEnding returns the moment of a session's end.
func NoticeOfEnding(e Ended) NoticeMoment {
	switch e {
	case Verified, Accepted:
		return NoticeVerified
	case Waiting:
		return NoticeWaiting
	case GateBroken:
		return NoticeBroken
	case AgentUnavailable:
		return NoticeUnavailable
	case Interrupted:
		return NoticeInterrupted
	default:
		return NoticeFailed
	}
}

// Describe returns what became of a notice, in words.
func (r NotifyResult) Describe() string {
	if r.OK {
		return fmt.Sprintf("notified by %s", r.Way)
	}
	return fmt.Sprintf("no notification by %s: %s", r.Way, r.Note)
}
