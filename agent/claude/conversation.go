package claude

import (
	"cmp"
	"crypto/rand"
	"fmt"
)

// A conversation is the one that a turn is part of. Its id is always mulligan's: to resume whatever
// was newest might take over a person's own.
type conversation struct {
	id      string
	resumes bool
}

// newConversation resumes the conversation of an id, or begins another if that is "". The program
// takes an id for a new conversation only once, so a turn that is repeated needs a new id too.
func newConversation(id string) conversation {
	return conversation{id: cmp.Or(id, newUUID()), resumes: id != ""}
}

// newUUID returns a random UUID of version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// flags returns the flags that resume or begin the conversation.
func (c conversation) flags() []string {
	if c.resumes {
		return []string{"--resume", c.id}
	}
	return []string{"--session-id", c.id}
}
