package gitfiles

import (
	"slices"
	"strings"
)

// harmless are the keys that have no git start a program, hide a file, or delete what a person has. A star stands for
// what is between the first dot and the last; a key that ends with a dot stands for all that begin so.
//
// Not among them, although they sound as if they could be: what signs (commit.gpgsign and user.signingkey start gpg or
// ssh-keygen), names a merge strategy, which is a program (pull.twohead, branch.*.mergeoptions), replays resolutions from
// a folder that an agent can fill (rerere), starts a hook or deletes old commits (gc), or has a push or fetch delete
// branches and tags (remote.*.mirror, prunetags).
var harmless = []string{
	"user.name", "user.email", "user.useconfigonly", "author.name", "author.email", "committer.name", "committer.email",
	"branch.", "advice.", "color.", "gui.geometry", "gui.wmstate", "gc.auto", "gc.autodetach", "pull.ff", "pull.rebase",
	"push.default", "push.autosetupremote", "push.followtags", "rebase.autostash", "rebase.autosquash", "rebase.updaterefs",
	"merge.conflictstyle", "merge.ff", "commit.verbose", "fetch.prune", "init.defaultbranch", "log.date", "blame.date", "maintenance.auto", "maintenance.strategy",
	"remote.*.url", "remote.*.pushurl", "remote.*.fetch", "remote.*.tagopt", "remote.*.prune", "remote.pushdefault",
	"submodule.*.url", "submodule.*.active", "submodule.*.branch", "submodule.active",
	"lfs.repositoryformatversion", "lfs.*.access", "lfs.*.locksverify", "worktree.guessremote",
}

// harmful are the keys of harmless sections that are not. All else in these sections is read by other programs alone.
var harmful = []string{"branch.*.mergeoptions"}

// isHarmless reports whether a key may stay as an agent has set it.
func isHarmless(key string) bool { return matchesKey(harmless, key) && !matchesKey(harmful, key) }

// matchesKey reports whether a list of patterns, as harmless has them, has a key.
func matchesKey(list []string, key string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		if strings.HasSuffix(pattern, ".") {
			return strings.HasPrefix(key, pattern)
		}
		first, last, star := strings.Cut(pattern, "*")
		if !star {
			return key == pattern
		}
		return len(key) > len(first)+len(last) && strings.HasPrefix(key, first) && strings.HasSuffix(key, last)
	})
}

// addressKeys are the keys whose values may be the addresses of repositories.
var addressKeys = []string{"remote.*.url", "remote.*.pushurl", "remote.pushdefault", "branch.*.remote", "branch.*.pushremote", "submodule.*.url"}

// ownSchemes are the schemes of addresses that git itself serves. For another one it starts git-remote-SCHEME.
var ownSchemes = []string{"https", "http", "ssh", "git", "file", "git+ssh", "ssh+git", "ftp", "ftps"}

// startsHelper reports whether one of a key's values is an address for which git starts a program that is not its
// own: "HELPER::ADDRESS", or a scheme that git does not know.
func startsHelper(key string, values []string) bool {
	return matchesKey(addressKeys, key) && slices.ContainsFunc(values, func(value string) bool {
		rest := strings.TrimLeft(value, schemeLetters)
		scheme := value[:len(value)-len(rest)]
		return strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "://") && !slices.Contains(ownSchemes, strings.ToLower(scheme))
	})
}

// schemeLetters are the letters that a scheme may have.
const schemeLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."
