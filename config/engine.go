package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// engineType returns the type of the place that the journal is kept in.
func engineType() *Type {
	return Words(
		Choice{Name: "embedded", Doc: "in the state folder, by mulligan itself"},
		Choice{Name: "nats://", Doc: "a NATS server or cluster; several addresses with commas", Prefix: true, Check: checkServers},
		Choice{Name: "tls://", Doc: "the same, encrypted", Prefix: true, Check: checkServers},
	)
}

// CheckEngine returns what is wrong with the name of an engine, or nil.
func CheckEngine(text string) error {
	for _, c := range engineType().Choices {
		switch {
		case !c.Prefix && text == c.Name:
			return nil
		case c.Prefix && strings.HasPrefix(text, c.Name):
			return c.Check(text)
		}
	}
	return errors.New("is no engine")
}

// checkServers checks the addresses of servers. Its errors hold nothing of what stands before
// an @: that is a password or a token.
func checkServers(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil {
			return errors.New("is not an address: it reads nats://host:4222, or several with commas; write what is special in a password as %XX")
		}
		port, err := strconv.Atoi(u.Port())
		switch {
		case u.Scheme != "nats" && u.Scheme != "tls":
			return errors.New("every address begins with nats:// or tls://")
		case u.Hostname() == "":
			return fmt.Errorf("needs a host after %s://", u.Scheme)
		case u.Port() != "" && (err != nil || port < 1 || port > 65535):
			return fmt.Errorf("%s has a port that is none", u.Hostname())
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
			return fmt.Errorf("has more than a host and a port after %s", u.Host)
		}
	}
	return nil
}

var userinfo = regexp.MustCompile(`://[^/\s@"']+@`)

// maskUserinfo writes * for what stands before the @ of an address, character by character, so
// that a caret below it stays where it is.
func maskUserinfo(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return userinfo.ReplaceAllStringFunc(s, func(found string) string {
		return "://" + strings.Repeat("*", utf8.RuneCountInString(found)-len("://@")) + "@"
	})
}
