// Package notify reaches a person who does not watch: by a webhook, a command, the desktop, and the bell of terminals
// that show the session. No way of it changes how a session ends: what fails is a result.
package notify

import (
	"context"
	"slices"
	"sync"
	"time"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/process"
)

// The ways to a person that the session's process takes.
const (
	wayWebhook = "webhook"
	wayCommand = "command"
	wayDesktop = "desktop"
)

// Settings are what a config says under notify.
type Settings struct {
	On      []mulligan.NoticeMoment
	Bell    bool
	Desktop bool
	Webhook string // an address, or $NAME
	Format  string
	Headers map[string]string // header to the name of the variable that has its value
	Command string
	Timeout time.Duration
}

// Decode reads the settings of a config, whose own mistakes are not repeated.
func Decode(v config.Value) (Settings, config.Mistakes) {
	s := Settings{
		Bell: v.Get("bell").Bool(), Desktop: v.Get("desktop").Bool(), Webhook: v.Get("webhook").String(), Format: v.Get("format").String(),
		Command: v.Get("command").String(), Timeout: v.Get("timeout").Duration(), Headers: map[string]string{},
	}
	for _, moment := range v.Get("on").Strings() {
		s.On = append(s.On, mulligan.NoticeMoment(moment))
	}
	if !v.Get("on").Given() {
		s.On = slices.DeleteFunc(mulligan.NoticeMoments(), func(m mulligan.NoticeMoment) bool { return m == mulligan.NoticeInterrupted })
	}
	var mistakes config.Mistakes
	for _, name := range v.Get("headers").Keys() {
		variable := v.Get("headers", name)
		if !isHeaderName(name) {
			mistakes = append(mistakes, variable.Wrong("%q is not the name of a header that can be set", name))
			continue
		}
		if err := config.CheckVariableName(variable.String()); err != nil && variable.OK() {
			mistakes = append(mistakes, variable.Wrong("%v", err))
		}
		s.Headers[name] = variable.String()
	}
	if t := v.Get("timeout"); t.OK() && (s.Timeout < config.MinNotifyTimeout || s.Timeout > config.MaxNotifyTimeout) {
		mistakes = append(mistakes, t.Wrong("%s is out of range: it must be from %s to %s", t, config.MinNotifyTimeout, config.MaxNotifyTimeout))
	}
	if h := v.Get("headers"); h.Given() && !v.Get("webhook").IsSet() {
		mistakes = append(mistakes, h.Wrong("there is no webhook that these headers are for"))
	}
	return s, mistakes
}

// Any reports whether a person wants to be notified at all.
func (s Settings) Any() bool { return len(s.listWays()) > 0 }

func (s Settings) listWays() []string {
	var ways []string
	for _, way := range []struct {
		name string
		set  bool
	}{{mulligan.WayBell, s.Bell}, {wayDesktop, s.Desktop}, {wayWebhook, s.Webhook != ""}, {wayCommand, s.Command != ""}} {
		if way.set {
			ways = append(ways, way.name)
		}
	}
	return ways
}

// A Notifier sends notices on the ways that its settings have. It implements mulligan.Notifier.
type Notifier struct {
	Settings
	Environ []string
	Dir     string // the folder that the command runs in
	Pool    *process.Pool
	Clock   mulligan.Clock
	Version string
	// Redact takes secrets out of a text.
	Redact func(string) string
}

var _ mulligan.Notifier = Notifier{}

// Ways returns the ways on which a person wants to hear of a moment.
func (n Notifier) Ways(m mulligan.NoticeMoment) []string {
	if m != mulligan.NoticeTest && !slices.Contains(n.On, m) {
		return nil
	}
	return n.listWays()
}

// Send takes the ways of a delivery, all at once.
func (n Notifier) Send(ctx context.Context, d mulligan.Delivery) []mulligan.NotifyResult {
	m := newMessage(d, n.Clock.Now(), n.Redact)
	results := make([]mulligan.NotifyResult, len(d.Ways))
	var sending sync.WaitGroup
	for i, way := range d.Ways {
		sending.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, n.Timeout)
			defer cancel()
			results[i] = n.take(ctx, way, m)
			results[i].Way = way
		})
	}
	sending.Wait()
	return results
}

// take takes one way. One that the settings had when the notice was decided on may be gone since.
func (n Notifier) take(ctx context.Context, way string, m message) mulligan.NotifyResult {
	switch {
	case way == wayWebhook && n.Webhook != "":
		return n.post(ctx, m)
	case way == wayCommand && n.Command != "":
		return n.runCommand(ctx, m)
	case way == wayDesktop:
		return n.showOnDesktop(ctx, m)
	}
	return mulligan.NotifyResult{Note: "the config has it no more"}
}

// getenv returns a variable of the person's environment.
func (n Notifier) getenv(name string) (string, bool) {
	value, ok := process.Lookup(n.Environ, name)
	return value, ok && value != ""
}

func failed(tries int, note string) mulligan.NotifyResult {
	return mulligan.NotifyResult{Tries: tries, Note: note}
}
