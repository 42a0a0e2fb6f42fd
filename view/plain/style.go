package plain

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mulligan/view"
)

// Options are how lines are written.
type Options struct {
	Color   bool // a terminal, and NO_COLOR is not set
	Verbose bool // also what the agent said and used, and every decision
	// Zone is the reader's time zone; nil: times are as the events have them.
	Zone *time.Location
	// Width is where the lines of prose in an outcome break, between words; 0: nowhere.
	Width int
}

// inZone returns a time as the reader's clock shows it.
func (o Options) inZone(at time.Time) time.Time {
	if o.Zone == nil {
		return at
	}
	return at.In(o.Zone)
}

type tone view.Tone

const (
	usual = tone(view.Usual)
	dim   = tone(view.Quiet)
	bold  = tone(view.Bold)
	good  = tone(view.Good)
	bad   = tone(view.Bad)
	warn  = tone(view.Warn)
)

// A part is a piece of a line. It is made by say, which makes text from outside harmless.
type part struct {
	tone tone
	text string
	near bool // one space before it, not two
}

// afterOneSpace returns the part with one space before it instead of two.
func (p part) afterOneSpace() part {
	p.near = true
	return p
}

// say returns a part in the usual tone, formatted as by fmt.Sprintf with every argument cleaned.
func say(format string, args ...any) part { return usual.say(format, args...) }

// say returns a part in the tone.
func (t tone) say(format string, args ...any) part {
	for i, arg := range args {
		if _, number := arg.(int); !number {
			args[i] = cleanKeepingSpaces(fmt.Sprint(arg))
		}
	}
	return part{tone: t, text: fmt.Sprintf(format, args...)}
}

// writeLine writes parts with two spaces between them. It ignores an error of the writer: the session
// does not depend on its audience.
func (o Options) writeLine(w io.Writer, indent string, parts ...part) {
	line := ""
	for _, p := range parts {
		switch {
		case p.text == "":
			continue
		case line != "" && p.near:
			line += " "
		case line != "":
			line += "  "
		}
		if o.Color && p.tone != usual {
			p.text = "\x1b[" + string(p.tone) + "m" + p.text + "\x1b[0m"
		}
		line += p.text
	}
	_, _ = io.WriteString(w, indent+line+"\n")
}

// cleanKeepingSpaces returns a text fit for a terminal, with the spaces at its ends, which align it.
func cleanKeepingSpaces(s string) string {
	inner := strings.Trim(s, " ")
	left := len(s) - len(strings.TrimLeft(s, " "))
	return s[:left] + view.Line(inner) + s[min(len(s), left+len(inner)):]
}

// pad returns a text with spaces up to a width.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}
