package detect

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// A nodePackage is what is read of a package.json.
type nodePackage struct {
	Scripts         map[string]string `json:"scripts"`
	DevDependencies map[string]string `json:"devDependencies"`
	Dependencies    map[string]string `json:"dependencies"`
	PackageManager  string            `json:"packageManager"`
}

func (f folder) findNode() *part {
	if !f.has("package.json") {
		return nil
	}
	p := &part{language: "node", kind: "a Node package"}
	var pkg nodePackage
	if err := json.Unmarshal([]byte(f.readFile("package.json")), &pkg); err != nil {
		p.notes = append(p.notes, "package.json cannot be read: "+err.Error())
		return p
	}
	tool := f.chooseNodeTool(pkg)
	if f.has("tsconfig.json") && (pkg.Dependencies["typescript"] != "" || pkg.DevDependencies["typescript"] != "") {
		p.want(tscCommand(tool))
	}
	// npm init writes a test script that always fails.
	if test := pkg.Scripts["test"]; test != "" && !strings.Contains(test, "no test specified") {
		p.want(f.runScript(tool, "test", test)...)
	} else if tool == "bun" && f.hasBunTests() {
		p.want(newCommand("bun test"))
	} else {
		p.notes = append(p.notes, "package.json has no test script")
	}
	if lint := pkg.Scripts["lint"]; lint != "" {
		p.maybe = append(p.maybe, f.runScript(tool, "lint", lint)[0])
	}
	return p
}

// hasBunTests reports whether the package has files that Bun's own test runner would find.
func (f folder) hasBunTests() bool {
	for _, below := range []string{"", "src", "test", "tests", "__tests__"} {
		at := folder{root: f.root, name: filepath.Join(f.name, below)}
		if at.hasMatch("*.test.[jt]s*", "*_test.[jt]s*", "*.spec.[jt]s*", "*_spec.[jt]s*") {
			return true
		}
	}
	return false
}

// chooseNodeTool returns the package manager that a package declares, or that of its lock file or of the
// repository's. Bun's own types tell of it where nothing is installed yet.
func (f folder) chooseNodeTool(pkg nodePackage) string {
	name, _, _ := strings.Cut(pkg.PackageManager, "@")
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return name
	}
	for _, at := range []folder{f, f.top()} {
		switch {
		case at.has("pnpm-lock.yaml", "pnpm-workspace.yaml"):
			return "pnpm"
		case at.has("yarn.lock"):
			return "yarn"
		case at.has("bun.lockb", "bun.lock"):
			return "bun"
		case at.has("package-lock.json"):
			return "npm"
		}
	}
	if pkg.DevDependencies["@types/bun"] != "" {
		return "bun"
	}
	return "npm"
}

// runScript returns the commands that run a script of package.json: with the package manager, and with npm,
// which runs the same, where that is not installed.
func (f folder) runScript(tool, name, script string) []Command {
	line := tool + " run " + name // bun test is its own runner, not the script
	if name == "test" && tool != "bun" {
		line = tool + " test"
	}
	forms := []Command{newCommand(line)}
	if tool != "npm" && !f.usesPlugAndPlay() {
		other := newCommand(f.runScript("npm", name, script)[0].Line)
		other.Last = true
		forms = append(forms, other)
	}
	if !f.usesPlugAndPlay() { // there Yarn knows where programs are, and nobody else
		for i := range forms {
			forms[i].Script = script
		}
	}
	return forms
}

func (f folder) usesPlugAndPlay() bool { return f.has(".pnp.cjs") || f.top().has(".pnp.cjs") }

// tscCommand returns the command that checks types with the package's own compiler. It never downloads one:
// another package of that name is what npx would get.
func tscCommand(tool string) Command {
	runner := map[string]string{"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn run", "bun": "bunx --no-install"}[tool]
	c := newCommand(runner + " tsc --noEmit")
	c.Script = "tsc"
	c.Probe = append(strings.Fields(runner), "tsc", "--version")
	return c
}

func (f folder) findDeno() *part {
	if !f.has("deno.json", "deno.jsonc") {
		return nil
	}
	p := &part{language: "deno", kind: "a Deno project"}
	line := "deno test"
	if hasDenoTask(f.readFile("deno.json")+f.readFile("deno.jsonc"), "test") {
		line = "deno task test"
	}
	p.want(newCommand(line))
	return p
}

// hasDenoTask reports whether a config of Deno has a task. It may have comments, and is only searched.
func hasDenoTask(config, name string) bool {
	_, tasks, found := strings.Cut(config, `"tasks"`)
	tasks, _, _ = strings.Cut(tasks, "}")
	return found && strings.Contains(tasks, `"`+name+`"`)
}
