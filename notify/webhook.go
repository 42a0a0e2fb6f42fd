package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/text"
)

const (
	maxTries  = 3
	firstWait = 250 * time.Millisecond // between two tries, and four times as long before the next
	maxWait   = 5 * time.Second        // whatever a server asks for
	// maxAnswer is how much of an answer is read: it says nothing that is used.
	maxAnswer = 64 << 10
)

// errNoMore is in an error that another try would not mend.
var errNoMore = errors.New("refused")

// post sends a message to the webhook, at most three times.
func (n Notifier) post(ctx context.Context, m message) mulligan.NotifyResult {
	address, headers, err := n.resolveWebhook()
	if err != nil {
		return failed(0, err.Error())
	}
	body, err := encode(m, n.Format)
	if err != nil {
		return failed(0, err.Error())
	}
	client := newClient()
	defer client.CloseIdleConnections()
	wait := firstWait
	for try := 1; ; try++ {
		asked, err := n.postOnce(ctx, client, address, headers, m.ID, body)
		switch {
		case err == nil:
			return mulligan.NotifyResult{OK: true, Tries: try, Note: address.Host}
		case errors.Is(err, errNoMore), try == maxTries, ctx.Err() != nil:
			return failed(try, fmt.Sprintf("%s: %s", address.Host, explain(err)))
		}
		n.Clock.Sleep(ctx, min(max(wait, asked), maxWait))
		wait *= 4
	}
}

// resolveWebhook returns the address and the headers, with what the environment has for them.
func (n Notifier) resolveWebhook() (*url.URL, http.Header, error) {
	address := n.Webhook
	if name, ok := strings.CutPrefix(address, "$"); ok {
		value, set := n.getenv(name)
		if !set {
			return nil, nil, fmt.Errorf("the environment variable %s, which has its address, is not set", name)
		}
		if err := config.CheckWebhook(value); err != nil {
			return nil, nil, fmt.Errorf("the environment variable %s %w", name, err)
		}
		address = value
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, errors.New("the address cannot be read")
	}
	headers := http.Header{}
	for header, name := range n.Headers {
		value, set := n.getenv(name)
		if !set {
			return nil, nil, fmt.Errorf("the environment variable %s, for the header %s, is not set", name, header)
		}
		headers.Set(header, value)
	}
	return u, headers, nil
}

// isHeaderName reports whether a request may have a header of this name that is not mulligan's own.
func isHeaderName(name string) bool {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) {
		return false
	}
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "Idempotency-Key":
		return false
	}
	return true
}

// newClient returns a client that follows no redirect to another host: headers and message are for the one that the
// person named.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			from := via[0].URL
			if len(via) > maxTries || to.Method != http.MethodPost || to.URL.Scheme != from.Scheme || to.URL.Host != from.Host {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// postOnce sends a message once. asked is how long the server wants to be left alone.
func (n Notifier) postOnce(ctx context.Context, client *http.Client, address *url.URL, headers http.Header, id string, body []byte) (asked time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, n.Timeout/maxTries)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoMore, err)
	}
	r.Header = headers.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", id)
	r.Header.Set("User-Agent", "mulligan/"+n.Version)
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // what it says is not used
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return 0, nil
	case code >= 300 && code < 400:
		return 0, fmt.Errorf("%w: it redirects%s, which is not followed", errNoMore, describeTarget(address, answer))
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return time.Duration(min(max(seconds, 0), int(maxWait/time.Second))) * time.Second, fmt.Errorf("it answered %d", code)
	default:
		return 0, fmt.Errorf("%w: it answered %d", errNoMore, code)
	}
}

// describeTarget returns where a redirect leads, without its path: that may be a secret.
func describeTarget(from *url.URL, answer *http.Response) string {
	to, err := answer.Location()
	if err != nil || to.Host == from.Host {
		return ""
	}
	return " to " + text.Clip(to.Host, 100)
}

// explain returns the words of an error without the address: it may be a secret.
func explain(err error) string {
	if failure := (*url.Error)(nil); errors.As(err, &failure) {
		if failure.Timeout() {
			return "no answer in time"
		}
		err = failure.Err
	}
	return strings.TrimPrefix(err.Error(), errNoMore.Error()+": ")
}

// encode returns a message in a format.
func encode(m message, format string) ([]byte, error) {
	if format != "slack" {
		return json.Marshal(m)
	}
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	lines := []string{"*" + escape(m.Title) + "*"}
	if m.Text != "" {
		lines = append(lines, escape(m.Text))
	}
	lines = append(lines, "`"+escape(strings.ReplaceAll(m.Next, "`", "'"))+"`")
	if m.Repository != "" {
		lines = append(lines, escape(fmt.Sprintf("%s, session %s", m.Repository, m.Session)))
	}
	return json.Marshal(map[string]string{"text": strings.Join(lines, "\n")})
}
