package door

import (
	"context"

	"mulligan/internal/process"
	"mulligan/task"
)

// Token returns the token of the session's agent, a secret that must not be shown or stored.
func (d *Door) Token() string { return d.tokens[process.RoleAgent] }

// Listen opens a door whose callers are all answered alike.
func Listen(dir string, call func(context.Context, task.Request) (any, error)) (*Door, error) {
	d := New(dir, "")
	err := d.Open(func(ctx context.Context, _ process.Role, r task.Request) (any, error) { return call(ctx, r) })
	return d, err
}
