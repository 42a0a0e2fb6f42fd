package doctor

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
	"mulligan/internal/usererror"
)

// versionTime is how long a program may take to print its version.
const versionTime = 10 * time.Second

// listAgents returns the agents of the config, sorted by name, each once.
func (d *doctor) listAgents() []mulligan.AgentSpec {
	all := map[string]mulligan.AgentSpec{}
	for _, p := range d.plans {
		maps.Copy(all, p.Agents)
	}
	var list []mulligan.AgentSpec
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[name])
	}
	return list
}

// checkAgents checks the programs of the config's agents, and then those that other agents would run.
func (d *doctor) checkAgents(ctx context.Context) {
	used := map[string]bool{}
	for _, spec := range d.listAgents() {
		argv := builtin.Exec(spec)
		if len(argv) == 0 {
			d.addFinding(OK, "agent "+spec.Name, "", "%s: it runs no program", spec.Type)
			continue
		}
		if known, ok := builtin.FindProgram(argv[0]); ok {
			used[known.Name] = true
		}
		if d.checkAgentProgram(ctx, "agent "+spec.Name, spec, argv[0]) && d.opt.Answers {
			d.checkAnswers(ctx, spec)
		}
	}
	var missing []string
	for _, p := range builtin.Programs() {
		switch _, err := process.Find(p.Name, d.Dir, d.Environ); {
		case used[p.Name]:
		case err != nil:
			missing = append(missing, p.Name)
		default:
			d.checkAgentProgram(ctx, p.Name, mulligan.AgentSpec{Name: p.Name, Type: p.Name}, p.Name)
		}
	}
	if len(missing) > 0 {
		d.addFinding(OK, "agents", "", "not installed, and not needed here: %s", strings.Join(missing, ", "))
	}
}

// checkAgentProgram checks that an agent's program is there, and that mulligan is tested with its version.
// It reports whether the program can be run.
func (d *doctor) checkAgentProgram(ctx context.Context, about string, spec mulligan.AgentSpec, name string) bool {
	env, _ := builtin.Env(spec, d.Environ)
	known, isKnown := builtin.FindProgram(name)
	path, err := process.Find(name, d.root, env)
	switch {
	case err != nil && isKnown:
		d.addFinding(Problem, about, known.Install, "%s is not installed: %v", known.Doc, err)
		return false
	case err != nil && len(strings.Fields(name)) > 1:
		d.addFinding(Problem, about, "write exec: as a list of words: "+shellword.ListWords(name), "there is no program whose name is %q", name)
		return false
	case err != nil:
		d.addFinding(Problem, about, "put it on PATH, or change exec: of the agent", "its program cannot be run: %v", err)
		return false
	case !isKnown:
		d.addFinding(OK, about, "", "%s", path)
		return true
	case d.root != "" && environ.RelativeTo(d.root, path) != path:
		d.addFinding(OK, about, "", "%s is %s, a program of the repository: it is not asked for its version", known.Doc, path)
		return true
	}
	said, err := d.readVersion(ctx, path, env)
	if err != nil {
		d.addFinding(Warning, about, "see what `"+usererror.QuotePath(path)+" --version` does", "%s is %s, and does not tell its version: %v", known.Doc, path, err)
		return true
	}
	level, text, do := compareVersion(said, known)
	d.addFinding(level, about, do, "%s %s (%s), %s", known.Doc, said, path, text)
	return true
}

var versionShape = regexp.MustCompile(`\d+(\.\d+)+`)

// readVersion returns the version that a program prints. The program is run with --version and nothing
// else, in the environment that it would have as an agent.
func (d *doctor) readVersion(ctx context.Context, path string, env []string) (string, error) {
	out := agent.NewReply()
	exit, err := d.pool.Run(ctx, process.Spec{
		Argv: []string{path, "--version"}, Dir: os.TempDir(), Env: env, Stdout: out, Timeout: versionTime, Role: process.RoleAgent,
	})
	switch {
	case err != nil:
		return "", err
	case !exit.OK():
		return "", errors.New(exit.String())
	}
	text, _ := out.Message()
	found := versionShape.FindString(text)
	if found == "" {
		return "", errors.New("it has printed no number")
	}
	return found, nil
}

// compareVersion compares a version with the one that mulligan is tested with.
func compareVersion(have string, p builtin.Program) (level, text, do string) {
	if p.Tested == "" {
		return OK, "a stand-in for which mulligan is tested with", ""
	}
	h, t := splitVersion(have), splitVersion(p.Tested)
	switch {
	case slices.Equal(h[:min(len(h), len(t))], t[:min(len(h), len(t))]):
		return OK, "which mulligan is tested with", ""
	case slices.Compare(h, t) < 0:
		return Warning, "older than " + p.Tested + ", which mulligan is tested with", "bring it up to date: " + p.Install
	case h[0] != t[0]:
		return Warning, "a good deal newer than " + p.Tested + ", which mulligan is tested with", "try it with mulligan doctor --answers"
	}
	return OK, "newer than " + p.Tested + ", which mulligan is tested with", ""
}

// splitVersion returns the numbers of a version.
func splitVersion(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}
