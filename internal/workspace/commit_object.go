package workspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mulligan"
)

// A commitObject holds the parts of a commit that we read.
type commitObject struct {
	tree    string
	parents []string
	message string
}

func (w *Workspace) readCommit(ctx context.Context, id string) (commitObject, error) {
	data, err := w.objects.readObject(ctx, id)
	if err != nil {
		return commitObject{}, err
	}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c := commitObject{message: message}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		}
	}
	if c.tree == "" {
		return commitObject{}, fmt.Errorf("%s is not a commit", id)
	}
	return c, nil
}

// findMadeBefore returns HEAD's commit if it is the one that c describes, else "".
func (w *Workspace) findMadeBefore(ctx context.Context, c mulligan.Commit, tree string) (string, error) {
	_, head, err := w.currentHead(ctx)
	if err != nil || head == "" {
		return "", err
	}
	had, err := w.readCommit(ctx, head)
	if err != nil {
		return "", err
	}
	sameParent := strings.Join(had.parents, " ") == c.Parent
	if had.tree == tree && sameParent && strings.TrimRight(had.message, "\n") == strings.TrimRight(c.Message, "\n") {
		return head, nil
	}
	return "", nil
}

// writePlainCommit is commitTree without git, and reports whether it has written the commit. It needs an identity and a
// message that git takes as they are; whatever fails is left to git.
func (w *Workspace) writePlainCommit(c mulligan.Commit, tree string) (id string, ok bool) {
	by, ok1 := w.findIdentity(author)
	committedBy, ok2 := w.findIdentity(committer)
	if !ok1 || !ok2 || c.Sign || !isPlainText(c.Message) || c.Time.Unix() < earliestTime || !w.writesPlainFiles() {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	if c.Parent != "" {
		fmt.Fprintf(&b, "parent %s\n", c.Parent)
	}
	when := formatGitTime(c.Time)
	fmt.Fprintf(&b, "author %s %s\ncommitter %s %s\n\n%s", by, when, committedBy, when, c.Message)
	id, err := w.putUserObject("commit", []byte(b.String()))
	return id, err == nil
}

// earliestTime is the first second that git surely takes for seconds since 1970.
const earliestTime = 1_000_000_000

// formatGitTime returns a time as git has it in a commit.
func formatGitTime(t time.Time) string { return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700")) }
