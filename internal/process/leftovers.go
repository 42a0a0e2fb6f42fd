package process

import "errors"

// sessionMark is the variable that every child of a session has, and so its descendants.
const sessionMark = "MULLIGAN_SESSION"

// ErrLeftovers is a process of an old run that could not be ended.
var ErrLeftovers = errors.New("processes of an earlier run of the session cannot be ended")
