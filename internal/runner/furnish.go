package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/confine"
	"mulligan/internal/process"
	"mulligan/internal/regular"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/workspace/setup"
)

// setupLimit is how long a setup may take.
const setupLimit = 30 * time.Minute

// setupCommands returns how a clone is made ready: by the config's command, or by the lock files of the repository.
func (j *job) setupCommands(p *mulligan.Plan, dir string) []setup.Plan {
	switch p.Ready.Setup {
	case mulligan.SetupNone:
		return nil
	case mulligan.SetupAuto, "":
		return slices.DeleteFunc(slices.Clone(j.detectSetup()), func(plan setup.Plan) bool { return !plan.Fits(dir) })
	}
	return []setup.Plan{{Command: p.Ready.Setup, Reads: p.Ready.When, Why: "workspace.setup"}}
}

// listMade returns the ignored paths of a proof that the setup has made or that were copied.
func (j *job) listMade(p *mulligan.Plan) []string {
	made := slices.Clone(p.Ready.Copy)
	for _, plan := range j.setupCommands(p, j.site.Workspace.Dir()) {
		made = append(made, plan.Makes...)
	}
	return append(made, j.copied...)
}

// furnish makes a clone ready to be worked in: it copies files that git does not have, and runs the setup, unless that was
// run there and what it reads is as it was. name is what people call the clone. It returns how long that took.
func (j *job) furnish(ctx context.Context, p *mulligan.Plan, dir, name string) (took time.Duration, err error) {
	began := time.Now()
	if err := j.copyLocal(ctx, p, dir, name); err != nil {
		return 0, err
	}
	return time.Since(began), j.setUp(ctx, p, dir, name)
}

// setUp runs the setup in a clone, unless that was run there and what it reads is as it was.
func (j *job) setUp(ctx context.Context, p *mulligan.Plan, dir, name string) error {
	for i, plan := range j.setupCommands(p, dir) {
		mark := j.setupMark(name, strconv.Itoa(i+1))
		digest := hashSetup(plan, dir)
		if had, err := regular.ReadFile(mark, 1<<10); err == nil && string(had) == digest && hasAll(dir, plan.Makes) {
			continue
		}
		if name == inWorkspace {
			j.site.Workspace.Forget()
		}
		if name != inWorkspace || !j.copyInstalled(plan, dir, digest) {
			if err := j.runSetup(ctx, p, plan, dir, name); err != nil {
				return err
			}
		}
		if err := os.WriteFile(mark, []byte(digest), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// copyInstalled copies what the person's checkout has installed to the workspace, where its lock file is the workspace's. It
// reports whether it has. The proof never gets a copy: what a person has changed there by hand, no clone has.
func (j *job) copyInstalled(plan setup.Plan, dir, digest string) bool {
	if !plan.CanCopy() || hashSetup(plan, j.Root) != digest || slices.ContainsFunc(plan.Makes, func(path string) bool { return hasAll(dir, []string{path}) }) {
		return false
	}
	began := time.Now()
	if _, err := setup.Copy(j.Root, dir, plan.Makes); err != nil {
		for _, path := range plan.Makes {
			_ = os.RemoveAll(filepath.Join(dir, filepath.FromSlash(path))) // the setup makes it
		}
		return false
	}
	j.say("copied from your checkout: %s, in %s  (%s)", joinPaths(plan.Makes), time.Since(began).Round(100*time.Millisecond), plan.Why)
	return true
}

// inWorkspace is what people call the clone in which the agent works.
const inWorkspace = "workspace"

// setupMark returns the file that says that a setup was run in a clone, and what it read then.
func (j *job) setupMark(name, number string) string {
	return filepath.Join(j.slot, "git", "setup-"+name+"-"+number)
}

// forgetSetup has the setup be run in a clone again, since what it made there is gone.
func (j *job) forgetSetup(name string) error {
	marks, err := filepath.Glob(j.setupMark(name, "*"))
	for _, mark := range marks {
		err = errors.Join(err, os.Remove(mark))
	}
	return err
}

// forgetLostSetup is forgetSetup for a clone that is not there.
func (j *job) forgetLostSetup(dir, name string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return j.forgetSetup(name)
}

// maxRead is the size of the largest file that a setup is taken to read.
const maxRead = 64 << 20

// hashSetup returns a digest of a setup's command and of what it reads in a clone.
func hashSetup(plan setup.Plan, dir string) string {
	h := sha256.New()
	fmt.Fprintln(h, plan.Command)
	for _, name := range plan.Reads {
		data, _ := regular.ReadFile(filepath.Join(dir, filepath.FromSlash(name)), maxRead) // one that is missing is empty
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hasAll reports whether all paths are in a folder.
func hasAll(dir string, paths []string) bool {
	for _, path := range paths {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			return false
		}
	}
	return true
}

const copyHint = "it names what a checkout needs and git does not have; take out what is not there"

// copyLocal copies what git does not have from the person's checkout to a clone.
func (j *job) copyLocal(ctx context.Context, p *mulligan.Plan, dir, name string) error {
	paths := p.Ready.Copy
	if p.Ready.CopyAuto {
		ignored, err := j.site.Ignored(ctx)
		if err != nil {
			return err
		}
		paths = setup.ListLocal(j.Root, ignored)
	}
	paths = append(slices.Clone(paths), j.listIgnoredFiles(p, dir)...)
	for _, path := range p.Ready.Copy {
		if _, err := os.Lstat(filepath.Join(j.Root, filepath.FromSlash(path))); errors.Is(err, fs.ErrNotExist) {
			return usererror.Usage("workspace.copy: "+text.QuotePath(path)+" is not there", copyHint)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	if name == inWorkspace {
		j.site.Workspace.Forget()
	}
	copied, err := setup.Copy(j.Root, dir, paths)
	if left, ok := errors.AsType[*setup.SkipError](err); ok {
		j.warn(fmt.Sprintf("in the %s, %v", name, left))
		err = nil
	}
	if err != nil {
		return usererror.Usage(fmt.Sprintf("workspace.copy: %v", err), copyHint)
	}
	if name == inWorkspace && len(copied) > len(p.Ready.Copy) {
		j.copied = copied
		j.say("copied from your checkout: %s", joinPaths(copied))
	}
	return nil
}

// listIgnoredFiles lists the files of the plan that git ignores, without those that the setup makes.
func (j *job) listIgnoredFiles(p *mulligan.Plan, dir string) []string {
	var made []string
	for _, plan := range j.setupCommands(p, dir) {
		made = append(made, plan.Makes...)
	}
	return slices.DeleteFunc(slices.Clone(j.ignored), func(path string) bool {
		info, err := os.Lstat(filepath.Join(j.Root, filepath.FromSlash(path)))
		return err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnored || slices.ContainsFunc(made, func(dir string) bool { return confine.Covers(dir, path) })
	})
}

// maxIgnored is the size of the largest file of the plan that is copied.
const maxIgnored = 1 << 20

// runSetup runs the setup in a clone.
//
// In the workspace it is confined as an agent is, with the agents' caches: an agent may have left there what it would run.
func (j *job) runSetup(ctx context.Context, p *mulligan.Plan, plan setup.Plan, dir, name string) error {
	began := time.Now()
	if name == inWorkspace {
		j.say("setup: %s  (%s)", plan.Command, plan.Why)
	}
	out := process.NewHeadTail(4<<10, 12<<10)
	filtered := j.Env.Filter(out)
	spec := process.Spec{
		Argv: []string{"sh", "-c", plan.Command}, Dir: dir, Env: process.Set(j.Env.Environ, j.slotEnv()...),
		Stdout: filtered, Stderr: filtered, Timeout: setupLimit, Role: process.RoleHook,
	}
	if name == inWorkspace {
		spec.Env = process.Set(spec.Env, j.outfit.Vars...)
		spec.Confine = j.confineSetup(p, dir)
	}
	e, err := j.pool.Run(ctx, spec)
	filtered.Close()
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !e.OK() && name != inWorkspace && j.setupChanged(plan, dir):
		return &mulligan.SetupError{Command: plan.Command, Summary: e.String(), Output: out.String()}
	case !e.OK():
		return usererror.New(mulligan.ExitGateBroken, fmt.Sprintf("the setup %q failed in the %s: %s\n%s", plan.Command, name, e, strings.TrimRight(out.String(), "\n")),
			"it runs in a clone of the repository; write what works there as `workspace: {setup: COMMAND}` in mulligan.yaml, or `setup: none`")
	}
	if name == inWorkspace {
		j.say("setup took %s", time.Since(began).Round(100*time.Millisecond))
	}
	return nil
}

// confineSetup returns what the setup may write in the workspace: what the first agent that is confined may.
func (j *job) confineSetup(p *mulligan.Plan, dir string) *process.Confinement {
	for _, spec := range p.Agents {
		if spec.Confined == process.Landlock {
			return builtin.Writes(spec, dir, j.Env.Environ, j.outfit).Confinement(spec.Confined)
		}
	}
	return nil
}

// setupChanged reports whether a setup reads something else in the proof than where the session began: the work's own.
func (j *job) setupChanged(plan setup.Plan, dir string) bool {
	first, known := j.setups[plan.Command]
	return known && first != hashSetup(plan, dir)
}

// noteSetups remembers what the session's setups read where it began.
func (j *job) noteSetups(p *mulligan.Plan, dir string) {
	j.setups = map[string]string{}
	for _, plan := range j.setupCommands(p, dir) {
		j.setups[plan.Command] = hashSetup(plan, dir)
	}
}
