package claudecode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync"

	"mulligan/internal/process"
)

// maxBody bounds the answer of a server.
const maxBody = 1 << 20

// postEvent sends the event to an address. A successful answer counts as if a command had printed
// it and succeeded; any other one makes the hook broken.
func (r Runner) postEvent(ctx context.Context, t hookTask) result {
	ctx, cancel := context.WithTimeout(ctx, t.hook.Timeout)
	defer cancel()
	req, err := r.newRequest(ctx, t)
	if err != nil {
		return t.brokenResult("cannot be sent", r.cleanText(err.Error()))
	}
	// A connection of its own for each hook: nothing stays open behind a session.
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the event goes to the address that the user gave, and to no other
	}}
	res, err := client.Do(req)
	if err != nil {
		return t.noAnswerResult(ctx, r.cleanText(transportFailure(err)))
	}
	defer res.Body.Close()
	out := r.newOutput(t)
	n, err := io.Copy(out.stdout, io.LimitReader(res.Body, maxBody+1))
	out.finish()
	var s result
	switch {
	case err != nil:
		s = t.noAnswerResult(ctx, r.cleanText(transportFailure(err)))
	case res.StatusCode < 200 || res.StatusCode > 299:
		s = t.brokenResult("HTTP "+res.Status, "")
		s.showText(t, out.agentText(shownToPeople))
	case n > maxBody:
		s = t.brokenResult("HTTP "+res.Status, fmt.Sprintf("its answer is larger than %d MiB", maxBody>>20))
	default:
		s = t.answeredResult(out, "HTTP "+res.Status, r.textLimit())
	}
	return s.withOutput(out)
}

func (r Runner) newRequest(ctx context.Context, t hookTask) (*http.Request, error) {
	at, err := url.Parse(t.hook.URL)
	switch {
	case err != nil:
		return nil, errors.New("its address cannot be read")
	case at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return nil, fmt.Errorf("its address is %s: want http:// or https://", at.Redacted())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.hook.URL, bytes.NewReader(t.event))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range t.hook.Headers {
		req.Header.Set(name, replaceReferences(value, func(variable, _ string) string {
			v, _ := process.Lookup(r.Environ, variable) // one that is not set is empty
			return v
		}))
	}
	return req, nil
}

// noAnswerResult returns the result of a hook whose server gave no whole answer.
func (t hookTask) noAnswerResult(ctx context.Context, why string) result {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return t.brokenResult(fmt.Sprintf("timed out after %v", t.hook.Timeout), "")
	}
	return t.brokenResult("no answer", why)
}

// transportFailure returns what went wrong without the address, which people know and which may
// hold a password.
func transportFailure(err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// reference matches a variable in a header: $NAME or ${NAME}.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
})

// replaceReferences replaces each reference by what by returns for its name and its text.
func replaceReferences(value string, by func(name, ref string) string) string {
	return reference().ReplaceAllStringFunc(value, func(ref string) string {
		found := reference().FindStringSubmatch(ref)
		return by(found[1]+found[2], ref)
	})
}
