// Package detect looks at a repository for the commands that check it, tries them, and looks at the machine
// for agents.
package detect

import (
	"slices"
	"strings"

	"mulligan/internal/text"
)

// A Project is what a repository looks like.
type Project struct {
	Kind   string      // "a Go module", "a Go module and a Node package in web"; "" if it was not recognised
	Own    *Command    // the project's own choice: the test target of its Makefile; nil if it has none
	Wanted [][]Command // what should pass: of each list the first command that starts, and best the first that passes
	Maybe  []Command   // what may fit
	Notes  []string    // what a person should know
}

// A Command is a command line that may check a repository, with what tells whether it starts.
type Command struct {
	Line   string   // for a shell in the repository's root
	Dir    string   // the folder that it works in, relative to the root; "": the root
	Needs  []string // the programs that it starts: names on PATH, or paths relative to Dir
	Script string   // the script of the project that it runs, for a shell with node_modules/.bin on its PATH; "": none
	Probe  []string // a program with arguments that exits with 0 if the command can start; nil: its programs tell
	Try    []string // its harmless form; nil: it is not tried
	Env    []string // variables of the harmless form
	// TempVar is a variable that names a temporary folder for the harmless form, if the user has not set it.
	TempVar string
	// Quiet are the exit codes besides 0 that the harmless form passes with, and NoTests those by which it
	// tells that there is no test.
	Quiet, NoTests []int
	// Last is true of a command that is chosen only if none before it starts.
	Last bool
}

// newCommand returns a command in the root of a repository that starts the program that it begins with.
func newCommand(line string) Command {
	program, _, _ := strings.Cut(line, " ")
	return Command{Line: line, Needs: []string{program}, Probe: versionProbe(program)}
}

// A part is one language or build tool of a repository.
type part struct {
	language string // "go"; of several in a repository, those below its root are left to the root's
	kind     string // "a Go module"
	wanted   [][]Command
	maybe    []Command
	notes    []string
}

// want adds a command that should pass, in the forms that it may have.
func (p *part) want(forms ...Command) { p.wanted = append(p.wanted, forms) }

// Inspect looks at the files of a repository. It starts nothing.
func Inspect(dir string) Project {
	root := folder{root: dir}
	parts := root.findParts()
	own := root.findOwnTarget()
	if own == nil {
		parts = append(parts, findNested(root, parts)...)
	} else if len(parts) == 0 {
		parts = []part{{kind: "a project with a Makefile"}}
	}
	found := Project{Own: own}
	var kinds []string
	for _, p := range parts {
		kinds = append(kinds, p.kind)
		found.Wanted = append(found.Wanted, p.wanted...)
		found.Maybe = append(found.Maybe, p.maybe...)
		found.Notes = append(found.Notes, p.notes...)
	}
	found.Kind = joinKinds(kinds)
	return found
}

// findParts returns the languages and build tools of one folder.
func (f folder) findParts() []part {
	var parts []part
	for _, look := range []func(folder) *part{
		folder.findGo, folder.findRust, folder.findNode, folder.findDeno, folder.findPython, folder.findMaven, folder.findGradle,
		folder.findRuby, folder.findPHP, folder.findDotnet, folder.findCMake,
	} {
		if p := look(f); p != nil {
			parts = append(parts, *p)
		}
	}
	return parts
}

// findOwnTarget returns the command for the test target of a Makefile, or nil if there is none.
func (f folder) findOwnTarget() *Command {
	for _, target := range []string{"test", "check"} {
		if f.hasTarget(target) {
			c := newCommand("make " + target)
			c.Try = []string{"make", "-n", target}
			return &c
		}
	}
	return nil
}

// joinKinds returns the kinds for a sentence, each once.
func joinKinds(kinds []string) string {
	var list []string
	for _, k := range kinds {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	if len(list) > 4 {
		list = append(list[:3], text.Count(len(list)-3, "other part"))
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
