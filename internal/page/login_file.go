package page

import (
	"fmt"
	"time"

	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

const (
	// visitGap is how long a person does not open the list before the next time is another visit.
	visitGap = 30 * time.Minute
	// visitStep is how exactly the end of a visit is known: the list is opened often, and its time seldom written.
	visitStep = time.Minute
)

// A login is what the file of a browser has.
type login struct {
	until time.Time // it holds
	last  time.Time // the visit before this one ended; zero if there was none
	seen  time.Time // the list was opened; zero if it never was
}

// readLogin reads the file of a login.
func readLogin(path string) (known login, ok bool) {
	data, err := regular.ReadFile(path, 128)
	if err != nil {
		return login{}, false
	}
	var until, last, seen int64
	n, _ := fmt.Sscan(string(data), &until, &last, &seen) // one that has never opened the list may have the first alone
	return login{timeOf(until), timeOf(last), timeOf(seen)}, n > 0
}

func (l login) write(path string) error {
	return durable.WriteFile(path, fmt.Appendf(nil, "%d %d %d", secondsOf(l.until), secondsOf(l.last), secondsOf(l.seen)))
}

// timeOf returns a time that secondsOf has made a number of.
func timeOf(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

func secondsOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// visit notes that a browser opens the list. It returns when the person's last visit ended, the zero time if this
// is the first: opening the list again soon belongs to the same visit.
func (l *logins) visit(secret string) time.Time {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	path := l.file(secret)
	known, ok := readLogin(path)
	if !ok {
		return time.Time{}
	}
	now := l.now()
	away := now.Sub(known.seen)
	if !known.seen.IsZero() && away >= 0 && away < visitStep {
		return known.last
	}
	if !known.seen.IsZero() && away >= visitGap {
		known.last = known.seen
	}
	known.seen = now
	_ = known.write(path) // the next time tells; what ended is listed all the same
	return known.last
}
