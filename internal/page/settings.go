package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mulligan/config"
	"mulligan/internal/doctor"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/view"
	"mulligan/view/web"
)

// showSettings shows what is in force where the server was started: the config, and what doctor finds if that is
// asked for, since it starts programs.
func (v *visit) showSettings() error {
	page := web.Settings{Frame: v.frame("Settings")}
	page.Parts = append(page.Parts, v.describeConfig())
	if v.r.URL.Query().Get("doctor") != "" {
		page.Parts = append(page.Parts, v.describeDoctor())
	} else {
		page.Doctor = "/settings?doctor=1"
	}
	page.Parts = append(page.Parts, web.SettingsPart{Title: "State", Note: "The journal, clones and outputs.", Text: v.state})
	return v.show("settings", page)
}

// describeConfig returns the config in force, as `mulligan config` prints it.
func (v *visit) describeConfig() web.SettingsPart {
	part := web.SettingsPart{Title: "Config"}
	root, err := v.config.Env.Root()
	if err != nil {
		part.Note = "The page was started outside of a repository."
		return part
	}
	part.Note = "Of " + view.Line(root) + ", with where each value came from."
	c, err := v.config.Env.LoadConfig(root, environ.ConfigFlags{})
	if err == nil {
		err = c.Err()
	}
	var b strings.Builder
	if err == nil {
		err = config.Render(&b, c.Value)
	}
	if err != nil {
		part.Note = errorWords(err)
		return part
	}
	part.Text = view.Document(v.config.Env.Secrets.String(b.String()))
	return part
}

// describeDoctor returns what a session would meet here.
func (v *visit) describeDoctor() web.SettingsPart {
	ctx, cancel := context.WithTimeout(v.r.Context(), time.Minute)
	defer cancel()
	var b strings.Builder
	for _, f := range doctor.Examine(ctx, v.config.Env, doctor.Options{}) {
		fmt.Fprintf(&b, "%-8s %s: %s\n", f.Level, f.About, f.Text)
		if f.Do != "" {
			fmt.Fprintf(&b, "%-8s -> %s\n", "", f.Do)
		}
	}
	return web.SettingsPart{Title: "Doctor", Note: "What a session would meet here.", Text: v.config.Env.Secrets.String(b.String())}
}

// errorWords returns an error with what to do about it.
func errorWords(err error) string {
	if told, ok := errors.AsType[*usererror.Error](err); ok && told.Hint != "" {
		return told.Words + ": " + told.Hint
	}
	return err.Error()
}
