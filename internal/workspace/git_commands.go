package workspace

import (
	"fmt"
	"slices"
)

// needs tells what a git command looks at, and what it could start.
type needs uint8

const (
	needsHead  needs = 1 << iota // it looks at HEAD
	needsRefs                    // it reads every ref
	readsTree                    // it reads .gitignore, .gitattributes or .gitmodules in the checkout
	runsFilter                   // it starts the filters of the session's start
	writesRefs                   // it changes refs, and their logs
	runsSigner                   // it starts the program of the session's start that signs
)

// gitCommands has every git command that mulligan runs. docs/git-commands.md tells what each could execute,
// and why it does not.
var gitCommands = map[string]needs{
	"cat-file":         0,
	"check-attr":       readsTree,
	"check-ignore":     0,
	"check-ref-format": 0,
	"checkout-index":   readsTree | runsFilter,
	"commit-tree":      runsSigner,
	"config":           0,
	"diff":             readsTree | runsFilter,
	"diff-tree":        0,
	"for-each-ref":     needsHead | needsRefs,
	"hash-object":      readsTree | runsFilter,
	"ls-files":         readsTree,
	"ls-tree":          0,
	"merge-base":       0,
	"merge-file":       0,
	"pack-objects":     0,
	"prune":            needsHead | needsRefs,
	"read-tree":        readsTree | runsFilter,
	"rev-list":         needsHead | needsRefs,
	"rev-parse":        needsHead,
	"status":           needsHead | readsTree | runsFilter,
	"symbolic-ref":     needsHead | writesRefs,
	"update-index":     readsTree | runsFilter,
	"update-ref":       needsHead | writesRefs,
	"var":              0,
	"version":          0,
	"worktree":         needsHead | needsRefs,
	"write-tree":       runsFilter,
}

// needsOf returns what a command needs with these arguments. Whatever writes an index may start clean filters: git
// compares the content of files that were changed in the moment in which the index was last written.
func needsOf(args []string) (needs, error) {
	name := commandName(args)
	n, ok := gitCommands[name]
	if !ok {
		return 0, fmt.Errorf("%q is no git command that mulligan runs", name)
	}
	has := func(arg string) bool { return slices.Contains(args, arg) }
	switch {
	case name == "ls-files" && !has("--others"), name == "read-tree" && !has("-u"), name == "update-index" && has("--index-info"):
		n &^= readsTree
	case name == "commit-tree" && !has("-S"):
		n &^= runsSigner
	}
	return n, nil
}
