package guardhook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/hook/claudecode"
	"mulligan/internal/durable"
	"mulligan/internal/environ"
	"mulligan/internal/lockfile"
	"mulligan/journal"
)

// maxName is how long an agent's id of a conversation may be to be a part of ours.
const maxName = 64

// cleanName returns a name for an agent's id that can be a part of a session's id and of a path: the
// id itself, or its hash where it has other characters.
func cleanName(id string) string {
	const plain = "0123456789abcdefghijklmnopqrstuvwxyz-"
	if id != "" && len(id) <= maxName && strings.Trim(id, plain) == "" {
		return id
	}
	return hashName(id)
}

func hashName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// conversationName returns the agent's id of its conversation. An agent that tells none has one for
// each repository.
func (w *work) conversationName() string {
	return cmp.Or(w.event.Conversation, "of-"+hashName(w.root))
}

// nameAgent returns whose event this is.
func nameAgent(e claudecode.ClaimEvent) string {
	switch {
	case e.Event == claudecode.EventBeforeTool:
		return "gemini"
	case e.Call.Tool == "update_plan" || strings.HasSuffix(e.Call.Tool, "_goal"):
		return "codex"
	}
	return "claude"
}

// sessionID returns the id of the guard-session of a conversation that was first seen in a month.
func sessionID(at time.Time, name string) string {
	return at.UTC().Format("200601") + "-guard-" + name
}

// findConversation returns the id of the guard-session of the conversation: a small file has it, so
// that it is found in later months too. Of processes that are first side by side one makes that file.
func (w *work) findConversation(ctx context.Context, store mulligan.Journal) (string, error) {
	name := cleanName(w.conversationName())
	folders, err := w.env.Folders()
	if err != nil {
		return "", err
	}
	path := folders.GuardConversation(name)
	if id, err := readIndex(path, name); id != "" || err != nil {
		return id, err
	}
	now := w.env.SessionClock().Now()
	id := sessionID(now, name)
	// The file may be lost, or pruned.
	if before := sessionID(now.UTC().AddDate(0, 0, -now.UTC().Day()), name); !exists(ctx, store, id) && exists(ctx, store, before) {
		id = before
	}
	return writeIndex(path, name, id)
}

// exists reports whether the journal has a session.
func exists(ctx context.Context, store mulligan.Journal, id string) bool {
	for _, err := range store.Read(ctx, id, 1) {
		return !errors.Is(err, mulligan.ErrNoSession)
	}
	return false
}

// readIndex returns the id of the guard-session of a conversation, or "" if the file is missing or
// damaged.
func readIndex(path, name string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	id := strings.TrimSpace(string(text))
	if _, ok := journal.Month(id); !ok || !strings.HasSuffix(id, "-guard-"+name) {
		return "", err
	}
	return id, err
}

// writeIndex keeps the id of the guard-session of a conversation, and returns the one that counts: the
// first that was kept.
func writeIndex(path, name, id string) (string, error) {
	dir := filepath.Dir(path)
	if err := durable.MakeDirs(dir); err != nil {
		return "", err
	}
	temporary, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.WriteString(id + "\n")
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return "", err
	}
	err = os.Link(temporary.Name(), path) // unlike a rename it takes no other's place
	switch {
	case errors.Is(err, fs.ErrExist):
		if known, err := readIndex(path, name); known != "" || err != nil {
			return known, err
		}
		return id, durable.WriteFile(path, []byte(id+"\n")) // it was damaged
	case err != nil: // a file system without links
		return id, durable.WriteFile(path, []byte(id+"\n"))
	}
	return id, durable.SyncDir(dir)
}

// ConversationFile returns the file by which the guard-session of an id is found.
func ConversationFile(folders environ.Folders, session string) string {
	_, name, _ := strings.Cut(session, "-guard-")
	return folders.GuardConversation(name)
}

// ForgetConversation removes the file by which a guard-session is found: an agent that continues the
// conversation begins anew.
func ForgetConversation(folders environ.Folders, session string) error {
	err := os.Remove(ConversationFile(folders, session))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// lockCall keeps other handlers of the same call out, until unlock: two hooks may be installed, and
// one may be told again. The later one finds what the first has decided. A handler that was killed
// holds no lock, so that its claim is taken over at once.
func (w *work) lockCall(ctx context.Context) (unlock func(), err error) {
	if w.rules.Validate == nil || w.event.Call.ID == "" || !claimsAny(w.event.Call) {
		return func() {}, nil // one append decides
	}
	folders, err := w.env.Folders()
	if err != nil {
		return nil, err
	}
	path := folders.GuardCall(hashName(w.conversationName() + " " + w.event.Call.ID))
	lock, err := lockfile.LockWait(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() {
		// A handler that waits for the file, or comes later, finds a claim that is settled.
		_ = errors.Join(os.Remove(path), lock.Unlock())
	}, nil
}
