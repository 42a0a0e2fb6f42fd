package claude

import (
	"crypto/rand"
	"encoding/hex"
)

// A conversation is the one that a turn is part of. Its id is always ours: going on with
// whatever was newest might take over somebody's own.
type conversation struct {
	id     string
	goesOn bool
}

// newConversation goes on with the given one or begins another. The program takes an id for
// a new conversation once, so that a turn that is given again needs a new one, too.
func newConversation(id string) conversation {
	if id != "" {
		return conversation{id: id, goesOn: true}
	}
	return conversation{id: newUUID()}
}

// newUUID is a random one, of version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

func (c conversation) flags() []string {
	if c.goesOn {
		return []string{"--resume", c.id}
	}
	return []string{"--session-id", c.id}
}
