package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"

	"mulligan"
	"mulligan/internal/detect"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
	"mulligan/internal/text"
)

// checkStarts reports of each check that is a command whether it starts, or what init would choose if there is no
// config. Programs that are known are asked for their version in an empty folder: doctor runs nothing of the
// repository. What cannot be found is reported as a problem of the config.
func (d *doctor) checkStarts(ctx context.Context) {
	if d.root != "" && !d.HasConfig(d.root) && d.opt.Config == "" {
		d.reportInit()
	}
	seen := map[string]bool{}
	for _, p := range d.plans {
		for _, step := range p.Steps {
			for _, check := range step.Checks {
				if command := shellCommand(check); command != "" && !seen[command] {
					seen[command] = true
					d.reportStart(ctx, command)
				}
			}
		}
	}
}

// shellCommand returns the command of a check that is one, or "".
func shellCommand(check mulligan.CheckSpec) string {
	var options struct {
		Command string `json:"command"`
	}
	if check.Type != "shell" || json.Unmarshal(check.Options, &options) != nil {
		return ""
	}
	return options.Command
}

// reportStart reports whether the command of a check starts.
func (d *doctor) reportStart(ctx context.Context, command string) {
	about := "check " + text.Clip(text.OneLine(command), 40)
	word, err := shellword.Find(command, d.root, d.Environ, nil)
	if err != nil {
		return // reportMissingPrograms has it, or the session may make the program
	}
	argv := detect.Probe(command)
	if argv == nil {
		if word == "" {
			d.addFinding(OK, about, "", "only a shell can tell whether it starts; mulligan check runs it")
		} else {
			d.addFinding(OK, about, "", "%s is there; mulligan check runs it", word)
		}
		return
	}
	path, err := process.Find(argv[0], d.root, d.Environ)
	if err != nil || d.root != "" && environ.RelativeTo(d.root, path) != path {
		d.addFinding(OK, about, "", "%s is a program of the repository, and not started here; mulligan check runs it", argv[0])
		return
	}
	if err := d.runProbe(ctx, argv); err != nil {
		d.addFinding(Warning, about, "see what mulligan check says of it", "does not start: %s: %v", strings.Join(argv, " "), err)
		return
	}
	d.addFinding(OK, about, "", "starts: %s does", strings.Join(argv, " "))
}

// runProbe runs a program in an empty folder, and returns why it failed.
func (d *doctor) runProbe(ctx context.Context, argv []string) error {
	dir, err := os.MkdirTemp("", "mulligan-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out := process.NewHeadTail(1<<10, 1<<10)
	exit, err := d.pool.Run(ctx, process.Spec{
		Argv: argv, Dir: dir, Env: process.Set(d.Environ, "COREPACK_ENABLE_NETWORK=0"), Stdout: out, Stderr: out, Timeout: versionTime, Role: process.RoleCheck,
	})
	switch {
	case err != nil:
		return err
	case exit.OK():
		return nil
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := text.Clip(text.OneLine(lines[len(lines)-1]), 160); last != "" {
		return errors.New(last)
	}
	return errors.New(exit.String())
}

// reportInit reports what init would choose, where there is no config. Nothing is tried.
func (d *doctor) reportInit() {
	agents, found := detect.Agents(d.root, d.Environ), detect.Look(d.root, d.Environ)
	if len(agents) == 0 {
		d.addFinding(OK, "init", "", "would name no agent: none of %s is installed", strings.Join(detect.AgentNames(), ", "))
	} else {
		d.addFinding(OK, "init", "", "would choose the agent %s; installed: %s", agents[0], strings.Join(agents, ", "))
	}
	if len(found.Checks) == 0 {
		d.addFinding(OK, "init", "", "would find no command that tests this repository")
		return
	}
	d.addFinding(OK, "init", "", "would try `%s`: this looks like %s", strings.Join(found.Lines(), "`, `"), found.Kind)
}
