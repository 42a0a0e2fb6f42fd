// Package writerules decides which changes of a workspace the write rules forbid: file_access of a step, and
// the files that a plan is made of, which are protected without being asked for.
package writerules

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mulligan"
)

// Find returns the changes that the rules forbid, in their order.
func Find(rules mulligan.WriteCase, changes []mulligan.Change) []mulligan.Violation {
	files := make(map[string]mulligan.FileRole, len(rules.Files))
	for _, f := range rules.Files {
		if f.Role == mulligan.RoleConfig || files[f.Path] != mulligan.RoleConfig {
			files[f.Path] = f.Role
		}
	}
	var found []mulligan.Violation
	for _, c := range changes {
		if v, wrong := examine(rules, files, c); wrong {
			found = append(found, v)
		}
	}
	return found
}

// examine returns why the rules forbid a change, and whether they do.
func examine(rules mulligan.WriteCase, files map[string]mulligan.FileRole, c mulligan.Change) (mulligan.Violation, bool) {
	v := mulligan.Violation{Change: c}
	if glob := Match(rules.Rules.Protect, c.Path); glob != "" {
		v.Glob = glob
		return v, true
	}
	if role := roleOf(files, c); role != "" && !lifts(rules.Rules, c.Path, role) {
		v.Role = role
		return v, true
	}
	return v, rules.Rules.Limited && !rules.ProtectedOnly && !allows(rules.Rules.AllowWrite, c)
}

// allows reports whether one of the globs of allow_write lets a path be written. What lies in a folder may be
// written by src/**, but nothing may take the place of the folder itself.
func allows(globs []string, c mulligan.Change) bool {
	for _, glob := range globs {
		glob = clean(glob)
		if strings.HasSuffix(glob, "/**") && c.Kind != mulligan.Edited { // a submodule is edited
			glob += "/*"
		}
		if matches(glob, c.Path) {
			return true
		}
	}
	return false
}

// roleOf returns what the plan has the changed path for, "" if for nothing. A link or file that takes the
// place of a folder above such a file counts as the file. To create a file that was not there takes nothing
// away, but for the config, which a later run would read.
func roleOf(files map[string]mulligan.FileRole, c mulligan.Change) mulligan.FileRole {
	role := files[c.Path]
	if c.Kind == mulligan.Created && role != mulligan.RoleConfig {
		return ""
	}
	return role
}

// lifts reports whether allow_write names a file itself, without a wildcard: then the agent may change it,
// unless it is the config.
func lifts(a mulligan.WriteRules, file string, role mulligan.FileRole) bool {
	if role == mulligan.RoleConfig {
		return false
	}
	for _, glob := range a.AllowWrite {
		if !hasMeta(glob) && clean(glob) == file {
			return true
		}
	}
	return false
}

// Match returns the first of the globs that matches a path, or "" if none does. A glob whose last part
// has no wildcard also matches what lies below: src is src/**.
func Match(globs []string, file string) string {
	for _, glob := range globs {
		if matches(clean(glob), file) {
			return glob
		}
	}
	return ""
}

func matches(glob, file string) bool {
	if ok, err := doublestar.Match(glob, file); ok && err == nil {
		return true
	}
	if hasMeta(path.Base(glob)) {
		return false
	}
	ok, err := doublestar.Match(glob+"/**", file)
	return ok && err == nil
}

// clean returns a glob as paths are written: without a slash at its end, and without ./ before it.
func clean(glob string) string {
	glob = strings.TrimPrefix(glob, "./")
	return strings.TrimRight(glob, "/")
}

func hasMeta(glob string) bool { return strings.ContainsAny(glob, `*?[{\`) }

// Prefix returns the part of a glob before its first wildcard, as a path: for src/*/test it is src.
func Prefix(glob string) string {
	base, _ := doublestar.SplitPattern(clean(glob))
	if !hasMeta(clean(glob)) {
		return clean(glob)
	}
	if base == "." {
		return ""
	}
	return base
}

// Check returns what is wrong with a glob, or "" if it can be matched with paths of the workspace.
func Check(glob string) string {
	switch {
	case strings.TrimSpace(glob) == "":
		return "is empty"
	case strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "~"):
		return "is not a path inside the workspace: write it relative to the repository's root"
	case leaves(glob):
		return "leaves the workspace: a glob has no .. in it"
	case strings.HasPrefix(glob, "!"):
		return "begins with !, and there is no negation: list what it lets through under the other key"
	case clean(glob) == "" || clean(glob) == ".":
		return "is no glob: ** is everything"
	case !doublestar.ValidatePattern(glob):
		return "is not a glob: a bracket or brace is not closed"
	}
	return ""
}

// leaves reports whether a part of a glob is two dots, also inside braces.
func leaves(glob string) bool {
	for part := range strings.FieldsFuncSeq(glob, func(r rune) bool { return strings.ContainsRune("/{},\\", r) }) {
		if part == ".." {
			return true
		}
	}
	return false
}
