package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrNoIdentity means that git has no identity to commit with, and that the user has told git to make none
// up (user.useConfigOnly).
var ErrNoIdentity = errors.New("git has no user.name and user.email to commit with, and user.useConfigOnly forbids another")

// CheckIdentity returns a note for a person if commits will be made by the fallback identity, because the
// user's config has none. The error is ErrNoIdentity if the user's config forbids that.
func (w *Workspace) CheckIdentity(ctx context.Context) (note string, err error) {
	w.lock()
	defer w.mu.Unlock()
	if err := w.scan.rules.refresh(ctx); err != nil {
		return "", err
	}
	if w.scan.rules.hasIdentity {
		return "", nil
	}
	missing, err := w.fillIdentity(ctx)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return fmt.Sprintf("git has no identity here, so commits are made by %s; to commit as yourself: git config user.name 'Your Name' && git config user.email you@example.com", fallbackIdentity), nil
}

// fillIdentity returns variables for the author and the committer if the user's config has no name for
// them, or ErrNoIdentity if it forbids others.
func (w *Workspace) fillIdentity(ctx context.Context) ([]string, error) {
	var env []string
	for _, who := range []string{author, committer} {
		if _, ok := w.findIdentity(who); ok {
			continue
		}
		if _, err := w.git.run(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_"+who+"_IDENT"); err != nil {
			env = append(env, "GIT_"+who+"_NAME="+fallbackName, "GIT_"+who+"_EMAIL="+fallbackEmail)
		}
	}
	if len(env) == 0 || ctx.Err() != nil {
		return nil, nil
	}
	if w.git.folder.Frozen().Config.Bool("user.useconfigonly", false) {
		return nil, ErrNoIdentity
	}
	return env, nil
}

// Who makes a commit, as git's variables call them.
const (
	author    = "AUTHOR"
	committer = "COMMITTER"
)

// findIdentity returns the identity of the author or the committer ("NAME <EMAIL>") as git has it, and whether that is
// known: the environment or the config has it, in letters that git takes as they are. Otherwise git has to be asked.
func (w *Workspace) findIdentity(who string) (string, bool) {
	name, ok1 := w.findIdentityPart(who, "NAME")
	email, ok2 := w.findIdentityPart(who, "EMAIL")
	return name + " <" + email + ">", ok1 && ok2
}

// findIdentityPart returns the name or the address, and whether it is known. The variable counts before the setting of
// the author or the committer, and that before the user's.
func (w *Workspace) findIdentityPart(who, part string) (string, bool) {
	variable := "GIT_" + who + "_" + part + "="
	for _, kv := range slices.Backward(w.git.env) {
		if value, ok := strings.CutPrefix(kv, variable); ok {
			return value, isPlainIdentity(value)
		}
	}
	config := w.git.folder.Frozen().Config
	for _, section := range []string{who, "user"} {
		if e, ok := config.Last(strings.ToLower(section + "." + part)); ok {
			return e.Value, isPlainIdentity(e.Value)
		}
	}
	return "", false
}

// isPlainIdentity reports whether git takes a name or an address as it is: it drops some characters, at the ends more
// than inside, and converts what is no UTF-8.
func isPlainIdentity(text string) bool {
	const crud = ".,:;<>\"\\'"
	if text == "" || !isPlainText(text) || strings.ContainsAny(text, "<>") {
		return false
	}
	first, last := text[:1], text[len(text)-1:]
	return !strings.ContainsAny(first+last, crud+" ") && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// isPlainText reports whether git takes a text for UTF-8 as it is, and whether it has no NUL.
func isPlainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == 0 || r&0xfffe == 0xfffe || 0xfdd0 <= r && r <= 0xfdef
	})
}
