package plan

import (
	"net/url"
	"strings"

	"mulligan/config"
)

// checkAddress refuses an address that no request can be sent to, and one with a password, which
// the journal would keep.
func (b *builder) checkAddress(v config.Value) {
	switch {
	case !v.OK():
	case !isAddress(v.String()):
		b.addMistake(v.Wrong("is not an address: write one such as https://example.com/hook"))
	case hasUser(v.String()):
		b.addMistake(v.Wrong("has a name or a password in it, and a plan is stored").
			WithHint("put it into an environment variable, and write $NAME in a header"))
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func hasUser(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.User != nil
}

// stripUser returns an address without its user and password.
func stripUser(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	u.User = nil
	return u.String()
}

// resolveHeaders returns the headers of a request.
func (b *builder) resolveHeaders(v config.Value) map[string]string {
	if len(v.Keys()) == 0 {
		return nil
	}
	headers := map[string]string{}
	for _, name := range v.Keys() {
		value := v.Get(name)
		switch {
		case !headerName().MatchString(name):
			b.addMistake(value.Wrong("%q is not the name of a header", name))
		case strings.ContainsFunc(value.String(), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			b.addMistake(value.Wrong("has a character that no header can hold"))
		case value.OK():
			headers[name] = value.String()
		}
	}
	return headers
}
