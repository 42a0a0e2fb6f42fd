package setup

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A nodeWorkspace is a monorepo whose root installs for the packages below it.
type nodeWorkspace struct {
	patterns []string // of the packages' folders; nil: there is no such monorepo
	plan     int      // the root's plan for Node
	reads    []string
	makes    []string
}

// readNodeWorkspace returns the packages that the root's plan for Node, if there is one, installs for.
func (f folder) readNodeWorkspace(plans []Plan) *nodeWorkspace {
	at := slices.IndexFunc(plans, Plan.isNode)
	if at < 0 {
		return &nodeWorkspace{}
	}
	w := &nodeWorkspace{plan: at}
	if plans[at].Tool != "pnpm" {
		w.patterns = parseWorkspaces(f.readPackage().Workspaces)
		return w
	}
	var file struct {
		Packages []string `yaml:"packages"`
	}
	if f.readYAML("pnpm-workspace.yaml", &file) == nil {
		w.patterns = file.Packages
	}
	return w
}

// parseWorkspaces returns the patterns of a package.json's workspaces: a list, or an object with one.
func parseWorkspaces(raw json.RawMessage) []string {
	var patterns []string
	if json.Unmarshal(raw, &patterns) == nil {
		return patterns
	}
	var object struct {
		Packages []string `json:"packages"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	return object.Packages
}

// depth returns how deep packages are looked for.
func (w *nodeWorkspace) depth() int {
	if len(w.patterns) > 0 {
		return memberDepth
	}
	return ownDepth
}

// has reports whether a folder is a package of the workspace. The last pattern that matches it decides.
func (w *nodeWorkspace) has(name string) bool {
	member := false
	for _, pattern := range w.patterns {
		pattern, excluded := strings.CutPrefix(pattern, "!")
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
		if ok, _ := doublestar.Match(pattern, name); ok {
			member = !excluded
		}
	}
	return member
}

// adopt adds what the root's installation reads and makes in one of the packages.
func (w *nodeWorkspace) adopt(f folder) {
	if !f.hasFile("package.json") {
		return
	}
	w.reads = append(w.reads, f.joinAll([]string{"package.json"})...)
	if f.hasFolder("node_modules") {
		w.makes = append(w.makes, f.joinAll([]string{"node_modules"})...)
	}
}

// finish completes the root's plan by what its packages have.
func (w *nodeWorkspace) finish(plans []Plan) {
	if len(w.patterns) == 0 {
		return
	}
	p := &plans[w.plan]
	p.Reads = append(p.Reads, w.reads...)
	p.Makes = append(p.Makes, w.makes...)
}
