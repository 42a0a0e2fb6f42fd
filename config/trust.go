package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// A TrustRule reports whether a value in a repository's own file holds only after a person has trusted it.
// root is the repository's top folder, absolute, links resolved.
type TrustRule func(v Value, root string) bool

// A Claim is a value in a repository's own file that holds only after a person has trusted it.
type Claim struct {
	Key   string // the value's path without indexes: "agents.local.writable"
	Value Value
}

// ID returns what tells the claim from others: it changes with the value, and does not tell it.
func (c Claim) ID() string {
	sum := sha256.Sum256([]byte(c.Key + "\x00" + c.Value.String()))
	return hex.EncodeToString(sum[:])
}

// Shown returns the value for a person, without a password and on one line.
func (c Claim) Shown() string { return maskUserinfo(replaceControls(c.Value.String())) }

// Claims returns the values of a file that need trust in the repository in root, in the table's order.
// Values that other layers have set are not among them.
func (c *Config) Claims(file, root string) []Claim {
	return appendClaims(nil, c.n, nil, file, root)
}

// appendClaims adds the claims of a node and of what is below it. rule is that of the field that the node is
// the value of, or nil.
func appendClaims(list []Claim, n *node, rule TrustRule, file, root string) []Claim {
	if n == nil || n.bad {
		return list
	}
	for _, item := range n.items {
		list = appendClaims(list, item, rule, file, root)
	}
	for _, key := range n.orderedKeys() {
		below := rule // names of the user's choice have their mapping's
		if f := n.typ.findField(key); f != nil {
			below = f.Trust
		}
		list = appendClaims(list, n.fields[key], below, file, root)
	}
	isScalar := n.items == nil && n.fields == nil
	v := Value{n: n, path: n.path, at: n.at}
	if isScalar && rule != nil && n.at.inFile() && n.at.src.path == file && rule(v, root) {
		list = append(list, Claim{Key: dropIndexes(n.path), Value: v})
	}
	return list
}

// dropIndexes returns the path of a value without the indexes of lists.
func dropIndexes(path string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(path, "[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, path, _ = strings.Cut(rest, "]")
	}
}

// needsTrustUnless returns the rule of values that need trust except for one.
func needsTrustUnless(harmless string) TrustRule {
	return func(v Value, _ string) bool { return v.String() != harmless }
}

// needsTrustIf returns the rule of values of which one needs trust.
func needsTrustIf(value string) TrustRule {
	return func(v Value, _ string) bool { return v.String() == value }
}

// TrustOutside is the rule of paths that are relative to the file that they stand in: those that leave the
// repository need trust.
func TrustOutside(v Value, root string) bool { return leavesFolder(v.String(), v.Dir(), root) }

// trustOutsideRoot is TrustOutside for paths that are relative to the repository's top folder.
func trustOutsideRoot(v Value, root string) bool { return leavesFolder(v.String(), root, root) }

// trustOutsideWorkspace is trustOutsideRoot for what an agent may write: that is in the workspace, and a path that leads to the
// checkout leads out of it too.
func trustOutsideWorkspace(v Value, root string) bool {
	return !filepath.IsLocal(filepath.FromSlash(v.String())) || trustOutsideRoot(v, root)
}

// leavesFolder reports whether a path, relative to base, leads out of root, by a link too. What a shell would
// replace (~, $HOME) counts as outside.
func leavesFolder(path, base, root string) bool {
	if strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
		return true
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	rel, err := filepath.Rel(root, resolveLinks(filepath.Clean(path)))
	return err != nil || !filepath.IsLocal(rel)
}

// resolveLinks returns a path with the links in its existing part followed.
func resolveLinks(path string) string {
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		// A link that leads nowhere, or in a circle, still leads somewhere.
		if target, err := os.Readlink(path); err == nil && filepath.IsAbs(target) {
			return filepath.Join(target, rest)
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}
