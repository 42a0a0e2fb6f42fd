// Package setup makes a fresh clone of a repository ready for an agent or a check. It finds out from the
// person's checkout what installs the dependencies, and copies the local files that no commit has. It starts no
// process.
package setup

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxPlans is how many installations of one repository are made.
const maxPlans = 50

// A Plan is one installation that makes a clone ready.
type Plan struct {
	Command string   // for a POSIX shell of its own in the clone's root
	Tool    string   // npm, pnpm, yarn, bun, uv, poetry, pip, bundle, composer or mix
	Reads   []string // the files that it depends on, relative to the root; it is made again when one of them changes. The first is the one that it follows: the lock file
	Makes   []string // the folders that it makes, relative to the root, as they are in the checkout
	Why     string   // for people: "package-lock.json, and node_modules is here"
}

// Fits reports whether a clone has the file that the installation follows: a lock file that git ignores, or
// that is not committed yet, is in the checkout alone.
func (p Plan) Fits(clone string) bool {
	if len(p.Reads) == 0 {
		return false
	}
	f, ok := openFolder(clone)
	return ok && f.hasFile(p.Reads[0])
}

// CanCopy reports whether a copy of what the checkout has installed works in a clone. An environment of Python
// does not: its programs, and what is installed as editable, name the checkout's folder.
// Nor does what Yarn installs without node_modules: that is in files of the root too.
func (p Plan) CanCopy() bool {
	switch p.Tool {
	case "uv", "poetry", "pip":
		return false
	case "yarn":
		return slices.ContainsFunc(p.Makes, func(name string) bool { return path.Base(name) == "node_modules" })
	}
	return len(p.Makes) > 0
}

func (p Plan) isNode() bool {
	return slices.ContainsFunc(nodeTools(), func(t nodeTool) bool { return t.name == p.Tool })
}

// Detect returns the installations that the person's checkout shows: those with a lock file, or requirements of
// Python, whose result is there. The root's come first, then those of the folders one or two levels below it.
// Links that lead out of the checkout are not followed.
func Detect(root string) []Plan {
	top, ok := openFolder(root)
	if !ok {
		return nil
	}
	plans := top.plan()
	workspace := top.readNodeWorkspace(plans)
	for _, f := range top.listBelow(workspace.depth()) {
		member := workspace.has(f.name)
		if member {
			workspace.adopt(f)
		}
		if f.depth() > ownDepth {
			continue
		}
		plans = append(plans, slices.DeleteFunc(f.plan(), func(p Plan) bool { return member && p.isNode() })...)
	}
	workspace.finish(plans)
	return plans[:min(len(plans), maxPlans)]
}

// plan returns the installations of one folder, with paths relative to the root.
func (f folder) plan() []Plan {
	var plans []Plan
	for _, look := range []func(folder) (Plan, bool){
		folder.planNode, folder.planPython, folder.planBundle, folder.planComposer, folder.planMix,
	} {
		p, ok := look(f)
		if !ok {
			continue
		}
		if p, ok = f.moveToRoot(p); ok {
			plans = append(plans, p)
		}
	}
	return plans
}

// moveToRoot makes a plan of the folder one for a shell in the root. It returns false if the folder's name
// cannot be quoted for a shell.
func (f folder) moveToRoot(p Plan) (Plan, bool) {
	if f.name == "" {
		return p, true
	}
	quoted, ok := quotePath(f.name)
	if !ok {
		return Plan{}, false
	}
	p.Command = "cd " + quoted + " && " + p.Command
	p.Reads = f.joinAll(p.Reads)
	p.Makes = f.joinAll(p.Makes)
	return p, true
}

// quotePath makes a path one word of a shell that no program takes for an option. It returns false if it cannot
// be quoted.
func quotePath(name string) (string, bool) {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	quoted, err := syntax.Quote(name, syntax.LangPOSIX)
	return quoted, err == nil
}

func (f folder) joinAll(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, path.Join(f.name, name))
	}
	return list
}

// explain returns the reason for a plan: the file that it follows, and what shows that it is in use.
func (f folder) explain(file, installed string) string {
	return path.Join(f.name, file) + ", and " + path.Join(f.name, installed) + " is here"
}

// listPresent returns those of the files that are there.
func (f folder) listPresent(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !f.hasFile(name) })
}

// openFolder returns the root folder of a checkout or a clone.
func openFolder(root string) (folder, bool) {
	given, err := filepath.Abs(root)
	if err != nil {
		return folder{}, false
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return folder{}, false
	}
	info, err := os.Stat(real)
	return folder{given: given, root: real}, err == nil && info.IsDir()
}
