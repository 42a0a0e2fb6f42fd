package setup

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A nodeTool is a package manager of Node.
type nodeTool struct {
	name    string
	locks   []string
	markers []string // what the tool leaves where it installed, in the order of how sure they are
	reads   []string
}

// nodeTools are in the order in which one is chosen where several have lock files and nothing else tells.
func nodeTools() []nodeTool {
	return []nodeTool{
		{
			name: "pnpm", locks: []string{"pnpm-lock.yaml"}, markers: []string{"node_modules/.modules.yaml", "node_modules/.pnpm"},
			reads: []string{"package.json", "pnpm-workspace.yaml", ".npmrc", ".pnpmfile.cjs"},
		},
		{
			name: "yarn", locks: []string{"yarn.lock"}, markers: []string{"node_modules/.yarn-state.yml", "node_modules/.yarn-integrity", ".pnp.cjs"},
			reads: []string{"package.json", ".yarnrc.yml", ".yarnrc", ".npmrc"},
		},
		{name: "bun", locks: []string{"bun.lock", "bun.lockb"}, reads: []string{"package.json", "bunfig.toml", ".npmrc"}},
		{
			name: "npm", locks: []string{"npm-shrinkwrap.json", "package-lock.json"}, markers: []string{"node_modules/.package-lock.json"},
			reads: []string{"package.json", ".npmrc"},
		},
	}
}

// A nodePackage is what is read of a package.json.
type nodePackage struct {
	PackageManager string          `json:"packageManager"`
	Workspaces     json.RawMessage `json:"workspaces"` // a list of patterns, or an object with one
}

func (f folder) readPackage() nodePackage {
	var pkg nodePackage
	if json.Unmarshal([]byte(f.readFile("package.json")), &pkg) != nil {
		return nodePackage{} // one that cannot be read declares nothing
	}
	return pkg
}

func (f folder) planNode() (Plan, bool) {
	if !f.hasFile("package.json") {
		return Plan{}, false
	}
	manager := f.readPackage().PackageManager
	tool, ok := f.chooseNodeTool(manager)
	if !ok {
		return Plan{}, false
	}
	installed := f.findNodeInstall(tool)
	if installed == "" {
		return Plan{}, false
	}
	locks := f.listPresent(tool.locks...)
	p := Plan{
		Tool: tool.name, Command: f.nodeCommand(tool.name, manager), Why: f.explain(locks[0], installed),
		Reads: slices.Concat(locks[:1], f.listPresent(tool.reads...)),
	}
	for _, name := range []string{"node_modules", ".yarn/cache", ".yarn/unplugged"} {
		if f.hasFolder(name) && (name == "node_modules" || tool.name == "yarn") {
			p.Makes = append(p.Makes, name)
		}
	}
	return p, true
}

// chooseNodeTool returns the package manager whose lock file is there: of several the one that package.json
// declares, or else the one that installed.
func (f folder) chooseNodeTool(manager string) (nodeTool, bool) {
	tools := slices.DeleteFunc(nodeTools(), func(t nodeTool) bool { return len(f.listPresent(slices.Clone(t.locks)...)) == 0 })
	if len(tools) == 0 {
		return nodeTool{}, false
	}
	declared, _, _ := strings.Cut(manager, "@")
	for _, t := range tools {
		if t.name == declared {
			return t, true
		}
	}
	for _, t := range tools {
		if slices.ContainsFunc(t.markers, f.has) {
			return t, true
		}
	}
	return tools[0], true
}

// findNodeInstall returns what shows that the dependencies are installed, or "" if nothing does.
func (f folder) findNodeInstall(tool nodeTool) string {
	if f.hasFolder("node_modules") {
		return "node_modules"
	}
	if tool.name == "yarn" && f.hasFile(".pnp.cjs") { // Yarn can do without node_modules
		return ".pnp.cjs"
	}
	return ""
}

func (f folder) nodeCommand(tool, manager string) string {
	switch {
	case tool == "npm":
		return "npm ci"
	case tool == "yarn" && f.usesModernYarn(manager):
		return "yarn install --immutable"
	}
	return tool + " install --frozen-lockfile"
}

// usesModernYarn reports whether a package is Yarn 2's or later: as it declares it, or else by what only those
// have.
func (f folder) usesModernYarn(manager string) bool {
	if version, declared := strings.CutPrefix(manager, "yarn@"); declared {
		major, _, _ := strings.Cut(version, ".")
		n, err := strconv.Atoi(major)
		return err != nil || n >= 2 // "yarn@berry"
	}
	return slices.ContainsFunc([]string{".yarnrc.yml", ".pnp.cjs", "node_modules/.yarn-state.yml"}, f.has)
}
