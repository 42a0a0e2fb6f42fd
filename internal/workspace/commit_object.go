package workspace

import (
	"context"
	"fmt"
	"strings"

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
