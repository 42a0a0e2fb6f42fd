package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/history"
	"mulligan/history/past"
	"mulligan/internal/client"
	"mulligan/internal/environ"
	"mulligan/journal/jetstream"
	"mulligan/telemetry/prometheus"
)

func newMetrics(a *App) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Print figures of all sessions for Prometheus, or serve them",
		Long: `Metrics prints what the sessions of all repositories have come to, in Prometheus' text format:
sessions by outcome, attempts, turns, tokens, cost, and how long checks and hooks took. It is what a
file for node_exporter's textfile collector needs. With --listen it serves /metrics on an address of
this machine until it is interrupted. docs/telemetry.md lists the metrics.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" {
				return a.serveMetrics(cmd.Context(), listen)
			}
			text, err := a.metricsSource().Write(cmd.Context())
			if err == nil {
				_, err = a.Stdout.Write(text)
			}
			return err
		},
	}
	cmd.Flags().Var((*listenAddress)(&listen), "listen", "serve /metrics there: 127.0.0.1:PORT, 0 for any that is free")
	return cmd
}

// metricsSource returns the figures of the state folder's sessions.
func (a *App) metricsSource() prometheus.Source {
	return prometheus.Source{Version: environ.Version, Records: a.eachRecord, Running: a.listRunning}
}

// eachRecord calls f with the record of every session that has ended. It does not open the engine.
func (a *App) eachRecord(ctx context.Context, f func(history.Session)) error {
	folders, err := a.Folders()
	if err != nil {
		return err
	}
	records, err := past.New(folders.History(), a.warn).AllRecords(ctx)
	for _, record := range records {
		if record.Ended != "" {
			f(record)
		}
	}
	return err
}

// listRunning returns the sessions that a process runs now.
func (a *App) listRunning(ctx context.Context) (running []mulligan.Summary, err error) {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return nil, err
	}
	live := client.NewLiveness(a.Env, store)
	for _, s := range all {
		if s.Ended == "" && live.IsRunning(ctx, s) {
			running = append(running, s)
		}
	}
	return running, nil
}

// serveMetrics serves the figures until the person interrupts it.
func (a *App) serveMetrics(ctx context.Context, address string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	host, port, err := jetstream.Loopback(address)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, fmt.Sprint(port)))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "http://%s/metrics\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.metricsSource().Handler())
	server := &http.Server{Handler: refuseForeignHosts(mux), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // nothing is under way that matters
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// refuseForeignHosts refuses requests that a page of another site has sent here by a name of its own.
func refuseForeignHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this is not the address of mulligan", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
