// Package client finds, follows and speaks to sessions that other processes run, and starts such
// processes.
package client

import "mulligan/internal/environ"

// A Client acts on the sessions that the journal of an environment has.
type Client struct {
	env  *environ.Env
	slow patience
}

// New returns a client for the journal of env.
func New(env *environ.Env) Client { return Client{env: env} }
