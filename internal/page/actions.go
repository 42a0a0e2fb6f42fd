package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/view"
)

// answer gives a person's answer to a question.
func (v *visit) answer() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	number, err := strconv.Atoi(v.r.PostFormValue("question"))
	if err != nil || number < 1 {
		return usererror.Usage("the form names no question", "load the page again")
	}
	text := v.r.PostFormValue("answer") // an option
	if text == "" {
		text = strings.TrimSpace(v.r.PostFormValue("text"))
	}
	if text == "" {
		return usererror.Usage("the answer is empty", "")
	}
	if err := v.gallery.client.Answer(v.r.Context(), e.ID, number, v.findOption(e, number, text)); err != nil {
		return err
	}
	v.redirect(e.ID, "answered")
	return nil
}

// findOption returns the option that a page shows as this text, or the text itself if there is none: what a
// page shows has been made fit for it.
func (v *visit) findOption(e entry, question int, text string) string {
	w, release := v.gallery.open(v.r.Context(), e)
	defer release()
	w.ready(v.r.Context())
	w.inspect(v.now(), func(is look) {
		if question > len(is.state.Questions) {
			return
		}
		for _, option := range is.state.Questions[question-1].Options {
			if view.Line(option) == text {
				text = option
				return
			}
		}
	})
	return text
}

// decide says a person's word about an item that was claimed too often.
func (v *visit) decide() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	item, word := v.r.PostFormValue("item"), v.r.PostFormValue("word")
	if item == "" || word != "approve" && word != "release" {
		return usererror.Usage("the form names no item, or no word about it", "load the page again")
	}
	if err := v.gallery.client.Decide(v.r.Context(), e.ID, item, word == "approve"); err != nil {
		return err
	}
	v.redirect(e.ID, "decided")
	return nil
}

// tell says something to the agent.
func (v *visit) tell() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	text := strings.TrimSpace(v.r.PostFormValue("text"))
	switch {
	case text == "":
		return usererror.Usage("there is nothing to tell", "")
	case utf8.RuneCountInString(text) > protocol.MaxTold:
		return usererror.Usage("the message is too long", "put it into a file of the workspace, and tell the agent its path")
	}
	if err := v.gallery.client.Tell(v.r.Context(), e.ID, text); err != nil {
		return err
	}
	v.redirect(e.ID, "told")
	return nil
}

// pause has the session pause when the running turn and its checks are through.
func (v *visit) pause() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	if err := v.gallery.client.Pause(v.r.Context(), e.ID); err != nil {
		return err
	}
	v.redirect(e.ID, "pausing")
	return nil
}

// stop ends the running turn and closes the session in order.
func (v *visit) stop() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	if err := v.gallery.client.Stop(v.r.Context(), e.ID, false); err != nil {
		return err
	}
	v.redirect(e.ID, "stopping")
	return nil
}

// resume runs the session again, in a process of its own.
func (v *visit) resume() error {
	e, done, err := v.findSession()
	if err != nil || done {
		return err
	}
	if e.Ended == mulligan.Verified || e.Ended == mulligan.Accepted || v.config.Resume == nil {
		return usererror.Usage("this session cannot be resumed here", "")
	}
	if err := v.config.Resume(v.r.Context(), e.ID); err != nil {
		return err
	}
	v.redirect(e.ID, "resuming")
	return nil
}
