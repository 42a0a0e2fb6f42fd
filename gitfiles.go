package mulligan

import (
	"fmt"
	"strings"

	"mulligan/internal/text"
)

// A GitChange is something that was changed in the repository's own git folder while an agent, a check or
// a hook ran.
type GitChange struct {
	Kind GitChangeKind `json:"kind"`
	// Name is the key of a setting, the path of a file in the git folder or of a tracked file, or a ref.
	Name string `json:"name"`
	// File is the config file of a setting.
	File string `json:"file,omitempty"`
	// From and To are the commits of a ref before and after, or the ref that a symbolic one names.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Kept is where what was there is kept: a path in the state folder, or a ref; "" if there is nothing
	// to keep.
	Kept string `json:"kept,omitempty"`
	// Left tells why it could not be put back, "" if it was.
	Left string `json:"left,omitempty"`
}

// A GitChangeKind is what was changed, and so what is done about it.
type GitChangeKind string

// What starts programs or hides files is put back, and is no fault.
const (
	GitSetting  GitChangeKind = "setting"  // a setting of a config file
	GitHook     GitChangeKind = "hook"     // a hook of git's
	GitFile     GitChangeKind = "file"     // another file that git reads
	GitOddFile  GitChangeKind = "odd_file" // a fifo, a link or the like where git reads a file
	GitFlag     GitChangeKind = "flag"     // a flag of the index that hides changes of a file
	GitReplaced GitChangeKind = "replaced" // a replacement of an object
	GitForged   GitChangeKind = "forged"   // an object that is not what its name says, or cannot be read
	GitOwnGone  GitChangeKind = "own_gone" // the session's branch was deleted or renamed
)

// What takes commits from a branch is put back, and fails the attempt.
const (
	GitBranchMoved   GitChangeKind = "branch_moved"   // another branch has other commits than before
	GitBranchDeleted GitChangeKind = "branch_deleted" // another branch is gone
	GitBaseRewritten GitChangeKind = "base_rewritten" // the session's branch no longer has what the session builds on
	GitBranchLinked  GitChangeKind = "branch_linked"  // a branch was made a symbolic ref to another
)

// What follows stays as it is, and is only named.
const (
	GitBranchForward GitChangeKind = "branch_forward" // another branch has new commits, and nobody can tell whose
	GitBranchOther   GitChangeKind = "branch_other"   // a branch was moved in another worktree, where it is checked out
	GitBranchUnseen  GitChangeKind = "branch_unseen"  // a branch lost commits after a process was killed, and nobody can tell by whom
	GitBranchMade    GitChangeKind = "branch_made"    // a new branch
)

// Fails reports whether the change fails the attempt of an agent that made it.
func (c GitChange) Fails() bool {
	switch c.Kind {
	case GitBranchMoved, GitBranchDeleted, GitBaseRewritten, GitBranchLinked:
		return true
	default:
		return false
	}
}

// Stays reports whether the change is only named.
func (c GitChange) Stays() bool {
	switch c.Kind {
	case GitBranchForward, GitBranchOther, GitBranchUnseen, GitBranchMade:
		return true
	default:
		return false
	}
}

// Describe returns the change in a line, and what became of it.
func (c GitChange) Describe() string {
	line := c.describe()
	switch {
	case c.Left != "":
		line += "; it could not be put back: " + c.Left
	case c.Kept != "":
		line += "; what was there is kept in " + c.Kept
	}
	return line
}

// brief returns the change in as few words as tell it.
func (c GitChange) brief() string {
	name := text.Clip(text.OneLine(c.Name), 200)
	switch c.Kind {
	case GitSetting:
		return name + " in " + c.File
	case GitHook, GitFile, GitReplaced, GitForged:
		return name
	case GitOddFile:
		return fmt.Sprintf("%s (%s)", name, c.To)
	case GitFlag:
		return fmt.Sprintf("%s of %s", c.To, name)
	default:
		return c.Describe()
	}
}

func (c GitChange) describe() string {
	name := text.Clip(text.OneLine(c.Name), 200)
	branch := strings.TrimPrefix(name, "refs/heads/")
	switch c.Kind {
	case GitSetting:
		return fmt.Sprintf("%s (git's setting in %s): it may start programs or hide files", name, c.File)
	case GitHook:
		return name + " (a hook of git's): it starts a program"
	case GitFile:
		return name + " (in the git folder): it may start programs or hide files"
	case GitOddFile:
		return name + " (in the git folder): it was " + c.To + ", where git reads a file"
	case GitFlag:
		return fmt.Sprintf("the %s flag of %s in git's index: it hides changes of the file", c.To, name)
	case GitReplaced:
		return name + ": it makes git show another object than there is"
	case GitForged:
		return name + " (an object of the repository): its content was not what its name says, or could not be read"
	case GitOwnGone:
		return fmt.Sprintf("the branch %s, which the work is committed to, was gone, and is at %.10s again", branch, c.From)
	case GitBranchMoved:
		return fmt.Sprintf("the branch %s was moved from %.10s to %.10s; it is not the branch of this work", branch, c.From, c.To)
	case GitBranchDeleted:
		return fmt.Sprintf("the branch %s was deleted; it was at %.10s", branch, c.From)
	case GitBaseRewritten:
		return fmt.Sprintf("the branch %s was moved to %.10s, which does not have the commit that the work builds on; it is at %.10s again", branch, c.To, c.From)
	case GitBranchLinked:
		return fmt.Sprintf("the branch %s was made a symbolic ref to %s", branch, text.Clip(text.OneLine(c.To), 200))
	case GitBranchForward:
		return fmt.Sprintf("the branch %s has new commits, up to %.10s; it was at %.10s", branch, c.To, c.From)
	case GitBranchOther:
		return fmt.Sprintf("the branch %s was moved from %.10s to %.10s in another worktree, where it is checked out", branch, c.From, c.To)
	case GitBranchUnseen:
		to := "is gone"
		if c.To != "" {
			to = fmt.Sprintf("is at %.10s now", c.To)
		}
		return fmt.Sprintf("the branch %s, which was at %.10s, %s", branch, c.From, to)
	case GitBranchMade:
		return fmt.Sprintf("the branch %s is new, at %.10s", branch, c.To)
	}
	return name
}

// A GitCheck is what a workspace has to know to compare the repository's own git files.
type GitCheck struct {
	Session string // what is put aside is kept in its name
	// Base is the commit that the session's branch has to contain.
	Base string
	// Made are branches that agents of the session have made: they may do with them what they like.
	Made []string
	// Before is the workspace before the turn: files that are missing because git was told to skip them
	// come back from there. It may be zero.
	Before Tree
}

// GitRestored records what was changed in the repository's own git folder, and what was put back.
type GitRestored struct {
	// By is who ran meanwhile.
	By      GitActor    `json:"by"`
	Changes []GitChange `json:"changes"`
}

// GitRemembered records the digest of what is remembered of the repository's own git files, where it has changed. The state
// folder has what is remembered, and a process that resumes the session after a kill compares it with the digest.
type GitRemembered struct {
	Digest string `json:"digest"`
}

// A GitActor is who may have changed git's own files.
type GitActor string

const (
	GitByAgent  GitActor = "agent"
	GitByCheck  GitActor = "check"
	GitByHook   GitActor = "hook"
	GitByKilled GitActor = "killed" // a process of mulligan's was killed, and nobody can tell
)

func (GitRestored) Kind() string   { return "git.restored" }
func (GitRemembered) Kind() string { return "git.remembered" }
