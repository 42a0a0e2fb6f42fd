package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"mulligan/internal/usererror"
	"mulligan/task"
	"mulligan/task/mcp"
)

func newMCP(a *App) *cobra.Command {
	var (
		address, session string
		permit           bool
	)
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the tools of a session over the Model Context Protocol",
		Long: `Mcp serves the tools for tasks, notes and questions on standard input and output, as the
child of an agent that speaks the Model Context Protocol. With --http it listens on this
machine alone, and prints one line of JSON with the URL and the token that clients send as
"Authorization: Bearer TOKEN".`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			call := func(ctx context.Context, r task.Request) (json.RawMessage, error) {
				return a.callTool(ctx, session, r)
			}
			return a.serveTools(cmd.Context(), call, address, permit)
		},
	}
	cmd.Flags().StringVar(&address, "http", "", "listen here instead, such as 127.0.0.1:0")
	cmd.Flags().StringVar(&session, "session", "", "the session, for a person; an agent's is its own (default the newest that is not over)")
	cmd.Flags().BoolVar(&permit, "permit", false, "for Claude Code: the tool that it asks for permissions by, too")
	cmd.Flags().MarkHidden("permit")
	return cmd
}

// serveTools serves the tools on standard input and output, or at an address. It writes past the filter
// for secrets: a protocol cannot have its lines held back, and the token is for the reader of this
// output.
func (a *App) serveTools(ctx context.Context, call mcp.Call, address string, permit bool) error {
	server := mcp.Server(call, Version)
	if permit {
		mcp.Permit(server, call)
	}
	if address == "" {
		return mcp.Stdio(ctx, server, a.Stdin, a.Screen)
	}
	ln, err := mcp.Listen(address)
	if err != nil {
		return usererror.Usage(err.Error(), "")
	}
	if err := json.NewEncoder(a.Screen).Encode(ln.Endpoint); err != nil {
		return errors.Join(err, ln.Close())
	}
	return ln.Serve(ctx, server)
}
