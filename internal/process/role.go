package process

import "strings"

// A Role tells whose code a child runs. A keeper that serves a child with a role takes the role's name, so
// that the system itself marks all processes below it.
type Role string

const (
	// RoleNone is a program that mulligan itself uses.
	RoleNone Role = ""
	// RoleAgent is an agent's program. What descends from it is refused what only a person may do.
	RoleAgent Role = "agent"
	// RoleCheck is a check: the user's command, which runs code that an agent may have written. What
	// descends from it can only read, and only its own session.
	RoleCheck Role = "check"
	// RoleHook is a hook, a command of a strategy or a setup command. It may add tasks and notes too.
	RoleHook Role = "hook"
)

// Names of processes in the system's list. A process cannot change those of its ancestors, so that the
// ancestors of each process of a session include its keeper and the session's process.
const (
	keeperComm  = "mulligan-keeper"
	sessionComm = "mulligan-run"
	rolePrefix  = "mulligan-"
)

// comm returns the name of a keeper that serves a child of the role.
func (r Role) comm() string {
	if r == RoleNone {
		return keeperComm
	}
	return rolePrefix + string(r)
}

// roleOfComm returns the role of the children of a keeper with that name, or RoleNone if it is no name of
// a keeper that serves a role.
func roleOfComm(comm string) Role {
	name, _ := strings.CutPrefix(comm, rolePrefix)
	if r := Role(name); r.comm() == comm && r.IsKnown() {
		return r
	}
	return RoleNone
}

// IsKnown reports whether the role is one of those above, RoleNone excluded.
func (r Role) IsKnown() bool { return r == RoleAgent || r == RoleCheck || r == RoleHook }

// String returns the role with its article, for messages.
func (r Role) String() string {
	if r == RoleAgent {
		return "an agent"
	}
	return "a " + string(r)
}
