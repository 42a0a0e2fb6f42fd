package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mulligan/internal/clock"
	"mulligan/internal/regular"
)

const (
	maxTries  = 3
	firstWait = 500 * time.Millisecond
	maxAnswer = 64 << 10
	maxFile   = 1 << 20
)

// errNoMore is in an error that another try would not mend.
var errNoMore = errors.New("refused")

// post sends a request to the collector, at most three times.
func (e *endpoint) post(ctx context.Context, body []byte) error {
	client, err := e.newClient()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	if e.gzip {
		if body, err = compress(body); err != nil {
			return err
		}
	}
	wait := firstWait
	for try := 1; ; try++ {
		err := e.postOnce(ctx, client, body)
		if err == nil || errors.Is(err, errNoMore) || try == maxTries || ctx.Err() != nil {
			return err
		}
		clock.Sleep(ctx, wait)
		wait *= 2
	}
}

// newClient returns a client that follows no redirects: headers are for the collector that the person named.
func (e *endpoint) newClient() (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	if e.certificate != "" {
		data, err := regular.ReadFile(e.certificate, maxFile)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(data) {
			return nil, errors.New("OTEL_EXPORTER_OTLP_CERTIFICATE has no certificate")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &http.Client{
		Transport: transport, Timeout: e.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func (e *endpoint) postOnce(ctx context.Context, client *http.Client, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url.String(), bytes.NewReader(body))
	if err != nil {
		return errNoMore
	}
	for name, value := range e.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if e.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	answer, err := client.Do(r)
	if err != nil {
		if failure := (*url.Error)(nil); errors.As(err, &failure) {
			err = failure.Err // without the address, which may have a key in it
		}
		return fmt.Errorf("%s: %w", e.url.Host, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // what it says is not used
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fmt.Errorf("%s answered %d", e.url.Host, answer.StatusCode)
	}
	return fmt.Errorf("%w: %s answered %d", errNoMore, e.url.Host, answer.StatusCode)
}

func compress(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}
