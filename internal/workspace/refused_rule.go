package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/regular"
)

// convertingAttributes are the attributes by which git converts what it adds, and so may refuse it, and what it checks out.
var convertingAttributes = []string{"working-tree-encoding", "filter", "eol", "text", "crlf", "ident"}

// findAttributeLine returns the line of a .gitattributes file that gives a path one of the attributes, in words, or "" if
// there is none.
func (w *Workspace) findAttributeLine(ctx context.Context, g git, name string, attributes []string) (string, error) {
	for _, attribute := range attributes {
		value, err := readAttribute(ctx, g, attribute, name)
		if err != nil {
			return "", err
		}
		if value == "unspecified" {
			continue
		}
		dirs := append([]string{"."}, parentFolders(name)...)
		for _, dir := range slices.Backward(dirs) {
			line, err := w.findLineIn(ctx, g, dir, name, attribute, value)
			if err != nil {
				return "", err
			}
			if line > 0 {
				return fmt.Sprintf("%s:%d gives it %s=%s", path.Join(dir, attributesFile), line, attribute, value), nil
			}
		}
	}
	return "", nil
}

// readAttribute returns the value of an attribute of a path.
func readAttribute(ctx context.Context, g git, attribute, name string) (string, error) {
	out, err := g.run(ctx, "check-attr", "-z", attribute, "--", name)
	if err != nil {
		return "", err
	}
	fields := strings.Split(string(out), "\x00")
	if len(fields) < 3 {
		return "unspecified", nil
	}
	return fields[2], nil
}

// findLineIn returns the number of the last line in a folder's .gitattributes that alone gives a path the value, or 0.
func (w *Workspace) findLineIn(ctx context.Context, g git, dir, name, attribute, value string) (int, error) {
	text, err := regular.ReadFile(w.fullPath(path.Join(dir, attributesFile)), maxRuleFile)
	if err != nil {
		return 0, nil // there need not be one
	}
	scratch, err := os.MkdirTemp(filepath.Dir(g.dir), "rule-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	alone := g.withEnv("GIT_WORK_TREE="+scratch, "GIT_INDEX_FILE="+filepath.Join(scratch, "no-index"))
	alone.dir = scratch
	if dir != "." {
		name = strings.TrimPrefix(name, dir+"/")
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range slices.Backward(lines) {
		if !strings.Contains(line, attribute) {
			continue
		}
		if err := os.WriteFile(filepath.Join(scratch, attributesFile), []byte(line+"\n"), 0o600); err != nil {
			return 0, err
		}
		if has, err := readAttribute(ctx, alone, attribute, name); err != nil || has == value {
			return i + 1, err
		}
	}
	return 0, nil
}
