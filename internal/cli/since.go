package cli

import (
	"errors"
	"strings"
	"time"
)

// A moment is a time that people give as a date, as RFC 3339, or as how long ago it is. The zero value is
// no time.
type moment struct {
	at   time.Time
	text string
	now  func() time.Time
}

func (m *moment) String() string { return m.text }
func (m *moment) Type() string   { return "when" }

// Set reads the time that a person gave.
func (m *moment) Set(text string) error {
	text = strings.TrimSpace(text)
	at, err := parseMoment(text, m.now())
	if err == nil {
		m.at, m.text = at, text
	}
	return err
}

// parseMoment returns the time that a text names. A date begins at midnight where now is.
func parseMoment(text string, now time.Time) (time.Time, error) {
	if at, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return at, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	var ago age
	if text == "" || ago.Set(text) != nil {
		return time.Time{}, errors.New("it reads 2026-11-01, 2026-11-01T08:30:00Z, 72h, 14d or 2w")
	}
	return now.Add(-time.Duration(ago)), nil
}
