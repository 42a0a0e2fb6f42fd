package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// notifyField returns the field of how a person hears of a session that they do not watch.
func notifyField() Field {
	return Field{Name: "notify", Doc: "how you hear that a session has ended or needs you", Type: Obj(
		Field{Name: "on", Doc: "the moments: verified, failed, waiting, broken, unavailable, interrupted, question, guard, folder; without it all but interrupted", Type: ListOf(
			Word("verified", "failed", "waiting", "broken", "unavailable", "interrupted", "question", "guard", "folder"),
		)},
		Field{Name: "bell", Doc: "terminals that show the session ring their bell, and show a message where they can", Default: "false", Type: Flag()},
		Field{Name: "desktop", Doc: "a message on the desktop, by notify-send or osascript", Default: "false", Type: Flag()},
		Field{Name: "webhook", Doc: "address that is sent a POST, or $NAME: the variable that has it", Trust: needsTrustUnless(""), Type: webhookType()},
		Field{Name: "format", Doc: "what the webhook is sent", Default: "json", Type: Words(
			Choice{Name: "json", Doc: "all that is known, as an object"}, Choice{Name: "slack", Doc: "a text, as Slack and its likes take it"},
		)},
		Field{Name: "headers", Doc: "headers of the webhook's request, each with the name of the environment variable that has its value", Trust: needsTrustUnless(""), Type: MapOf(NamedString("a variable's name"))},
		Field{Name: "command", Doc: "shell command that gets the notice as JSON on standard input, and as variables", Type: NamedString("a command")},
		Field{Name: "timeout", Doc: "each way is given up after this, all tries together; from 1s to 1m", Default: "15s", Type: DurationType()},
	)}
}

// The bounds of notify.timeout: a session's process stays for it at most.
const (
	MinNotifyTimeout = time.Second
	MaxNotifyTimeout = time.Minute
)

func webhookType() *Type {
	return Words(
		Choice{Name: "https://", Doc: "an address", Prefix: true, Check: CheckWebhook},
		Choice{Name: "http://", Doc: "the same, not encrypted", Prefix: true, Check: CheckWebhook},
		Choice{Name: "$", Doc: "the name of the environment variable that has the address", Prefix: true, Check: func(text string) error { return CheckVariableName(text[1:]) }},
	)
}

// CheckWebhook returns what is wrong with an address to send notices to, or nil. The error has nothing of the address: it
// may be a secret.
func CheckWebhook(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return errors.New("is not an address: it reads https://host/path")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("is not an address of the web: it begins with https:// or http://")
	case u.User != nil:
		return errors.New("has a password in it: put that into a header, by the name of a variable")
	}
	return nil
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckVariableName returns what is wrong with the name of an environment variable, or nil. The error has nothing of the
// text: it may be a secret that stands in the wrong place.
func CheckVariableName(text string) error {
	if variableName.MatchString(text) {
		return nil
	}
	return fmt.Errorf("is not the name of an environment variable: letters, digits and _%s", hintAtValue(text))
}

// hintAtValue returns what to do about a value that stands where its variable's name should.
func hintAtValue(text string) string {
	if strings.ContainsAny(text, " -.:/") {
		return "; the value itself does not belong in this file"
	}
	return ""
}
