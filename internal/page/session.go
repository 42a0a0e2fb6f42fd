package page

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"mulligan"
	"mulligan/internal/changes"
	"mulligan/internal/usererror"
	"mulligan/state"
	"mulligan/view/timeline"
	"mulligan/view/web"
)

// showSession shows one session.
func (v *visit) showSession() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	page, err := v.makeSession(e, w)
	if err != nil {
		return err
	}
	return v.show("session", page)
}

// makeSession returns the page of a session as it is now.
func (v *visit) makeSession(e entry, w *watch) (page web.Session, err error) {
	f := v.sessionFrame(e, "session")
	f.Live = "/s/" + e.ID + "/live"
	all := v.r.URL.Query().Get("all") != ""
	if all {
		f.Live += "?all=1"
	}
	f.Here = "/s/" + e.ID
	l := web.Listed{Summary: e.Summary, Running: e.running}
	var now printing
	w.inspect(v.now(), func(is look) {
		if fillListed(&l, is); l.Snap == nil {
			err = usererror.Usage("this session cannot be shown", describeUnread(is.err))
			return
		}
		page = web.NewSession(f, l, is.state)
		page.Timeline = web.NewTimeline(v.timelineSource(e, is, all))
		if is.err != nil {
			page.Notice = "The journal of this session is damaged, and what came after is not shown: " + is.err.Error()
		}
		if l.Running {
			now = v.findPrinting(e.ID, is)
		}
	})
	if err == nil && now.path != "" {
		page.Output = v.readTail(e.ID, now)
	}
	return page, err
}

// describeUnread says why a session that the list has cannot be shown.
func describeUnread(err error) string {
	if err == nil {
		return "its journal could not be read in time; load the page again"
	}
	return err.Error()
}

// timelineSource returns what the timeline of a session is drawn from.
func (v *visit) timelineSource(e entry, is look, all bool) web.TimelineSource {
	return web.TimelineSource{
		Session: e.ID, Line: is.line, Event: is.event, Now: v.now(), All: all,
		Output: func(path string) string { return v.outputAddress(e.ID, path) },
	}
}

// streamSession sends the changes of a session's page, and tells the session that a person looks on.
func (v *visit) streamSession() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	defer v.gallery.look()()
	if !v.config.ReadOnly {
		defer w.attend()()
	}
	ctx, leave := context.WithCancel(v.r.Context())
	defer leave()
	return v.startStream().pump(ctx, w.news.next, func() ([]byte, bool, error) {
		if now, err := v.gallery.find(ctx, e.ID); err == nil {
			e = now
		}
		page, err := v.makeSession(e, w)
		if err != nil {
			return nil, false, err
		}
		page.Notice = ""
		var b bytes.Buffer
		err = v.pages.Write(&b, "session-live", page)
		return b.Bytes(), page.Runs, err
	})
}

// showAttempt shows one attempt, with what its turns printed and what they changed.
func (v *visit) showAttempt() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	number, err := strconv.Atoi(v.r.PathValue("attempt"))
	if err != nil || number < 1 {
		return usererror.Usage("an attempt has a number", "")
	}
	page := web.Attempt{Frame: v.sessionFrame(e, "attempt")}
	var (
		row   *web.AttemptRow
		turns []mulligan.TurnStarted
		state state.State
		raw   = map[string]bool{}
	)
	w.inspect(v.now(), func(is look) {
		row = web.NewAttemptRow(v.timelineSource(e, is, true), number)
		if row == nil {
			return
		}
		state = *is.state
		turns = findTurns(is, is.line.Attempt(number))
		for _, t := range turns {
			raw[t.Agent] = isRaw(is.state, t.Agent)
		}
		if is.line.Attempt(number-1) != nil {
			page.Previous = fmt.Sprintf("/s/%s/a/%d", e.ID, number-1)
		}
		if is.line.Attempt(number+1) != nil {
			page.Following = fmt.Sprintf("/s/%s/a/%d", e.ID, number+1)
		}
	})
	if row == nil {
		v.refuse(http.StatusNotFound, fmt.Sprintf("This session has no attempt %d", number), "")
		return nil
	}
	page.Title = row.Name + " · " + page.Title
	page.Row = *row
	for _, t := range turns[:min(len(turns), maxTurnsShown)] {
		if out := v.readTail(e.ID, printing{t.Log, raw[t.Agent]}); out != nil {
			out.Name = fmt.Sprintf("%d: %s", t.Turn, t.Agent)
			page.Outputs = append(page.Outputs, *out)
		}
	}
	page.Diff = v.makeDiff(e, &state, changes.Attempt{Number: number})
	return v.show("attempt", page)
}

// maxTurnsShown is how many turns of an attempt are shown with what they printed.
const maxTurnsShown = 12

// findTurns returns the turns of a row.
func findTurns(is look, r *timeline.Row) []mulligan.TurnStarted {
	var list []mulligan.TurnStarted
	for _, s := range r.Segments {
		if b, ok := is.event(s.Event).(mulligan.TurnStarted); ok {
			list = append(list, b)
		}
	}
	return list
}

// maxPatch is how many bytes of a patch are shown.
const maxPatch = 2 << 20

// makeDiff returns what a session or an attempt changed. What cannot be compared is said.
func (v *visit) makeDiff(e entry, state *state.State, attempt changes.Attempt) web.Patch {
	store, err := v.config.Env.OpenStore(e.Root)
	if err != nil {
		return web.Patch{Note: err.Error()}
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), 30*time.Second)
	defer cancel()
	patch, err := changes.Find(ctx, store, e.Summary, state, attempt, false)
	if err != nil {
		return web.Patch{Note: err.Error()}
	}
	text, cut := patch.Text, ""
	if len(text) > maxPatch {
		text, cut = text[:bytes.LastIndexByte(text[:maxPatch], '\n')+1], "More was changed than a page can show: `mulligan diff "+e.ID+"` prints all of it."
	}
	p := web.NewPatch(patch.What, []byte(v.config.Env.Secrets.String(string(text))))
	p.Cut = cut
	return p
}

// showDiff shows what a session changed.
func (v *visit) showDiff() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	var state state.State
	w.inspect(v.now(), func(is look) { state = *is.state })
	return v.show("diff", web.Diff{Frame: v.sessionFrame(e, "diff"), Diff: v.makeDiff(e, &state, changes.Attempt{})})
}

// showTasks shows the agent's own tasks.
func (v *visit) showTasks() error {
	return v.showBoard("tasks", func(f web.Frame, is look) any { return web.NewTasks(f, is.snap, &is.state.Board) })
}

// showNotes shows what the agent wants later iterations to know.
func (v *visit) showNotes() error {
	return v.showBoard("notes", func(f web.Frame, is look) any { return web.NewNotes(f, &is.state.Board) })
}

func (v *visit) showBoard(name string, draw func(web.Frame, look) any) error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	var page any
	w.inspect(v.now(), func(is look) { page = draw(v.sessionFrame(e, name), is) })
	return v.show(name, page)
}

// eventsPage is how many events a page has.
const eventsPage = 200

// showEvents shows what the journal has of a session, the newest on the first page.
func (v *visit) showEvents() error {
	e, w, release, err := v.openSession()
	if err != nil || w == nil {
		return err
	}
	defer release()
	page := web.Events{Frame: v.sessionFrame(e, "events")}
	w.inspect(v.now(), func(is look) {
		page.All = is.state.Last
		if len(is.events) == 0 {
			return
		}
		first := is.events[0].Number
		from := max(first, page.All-eventsPage+1)
		if given, err := strconv.ParseInt(v.r.URL.Query().Get("from"), 10, 64); err == nil {
			from = min(max(given, first), page.All)
		}
		to := min(page.All, from+eventsPage-1)
		address := func(n int64) string { return fmt.Sprintf("/s/%s/events?from=%d", e.ID, n) }
		if from > first {
			page.Older = address(max(first, from-eventsPage))
		}
		if to < page.All {
			page.Newer = address(to + 1)
		}
		for _, ev := range is.events[from-first : to-first+1] {
			page.Events = append(page.Events, web.NewEventLine(ev, is.snap, findAttempt(is.line, ev.Number)))
		}
	})
	return v.show("events", page)
}

// findAttempt returns the attempt that an event belongs to, 0 if it is none's.
func findAttempt(line *timeline.Timeline, event int64) int {
	attempt := 0
	for _, r := range line.Rows() {
		if r.Event > event {
			break
		}
		attempt = r.Iteration
	}
	return attempt
}

// outputAddress returns the address of an output of a session by its path, "" if it lies elsewhere.
func (v *visit) outputAddress(session, path string) string {
	folders, err := v.config.Env.Folders()
	if path == "" || err != nil || filepath.Dir(path) != folders.Session(session) {
		return ""
	}
	return "/s/" + session + "/output/" + filepath.Base(path)
}
