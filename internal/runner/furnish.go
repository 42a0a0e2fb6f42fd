package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/regular"
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
		return slices.DeleteFunc(setup.Detect(j.Root), func(plan setup.Plan) bool { return !plan.Fits(dir) })
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
	for i, plan := range j.setupCommands(p, dir) {
		mark := filepath.Join(j.slot, "git", fmt.Sprintf("setup-%s-%d", name, i+1))
		digest := hashSetup(plan, dir)
		if had, err := regular.ReadFile(mark, 1<<10); err == nil && string(had) == digest && hasAll(dir, plan.Makes) {
			continue
		}
		if err := j.runSetup(ctx, plan, dir, name); err != nil {
			return 0, err
		}
		if err := os.WriteFile(mark, []byte(digest), 0o600); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
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
	if len(paths) == 0 {
		return nil
	}
	copied, err := setup.Copy(j.Root, dir, paths)
	if left, ok := errors.AsType[*setup.SkipError](err); ok {
		j.warn(fmt.Sprintf("not copied to the %s: %v", name, left))
		err = nil
	}
	if err != nil {
		return usererror.Usage(fmt.Sprintf("workspace.copy: %v", err), "it names what a checkout needs and git does not have; take out what is not there")
	}
	if name == "workspace" && p.Ready.CopyAuto {
		j.copied = copied
		j.say("copied from your checkout: %s", joinPaths(copied))
	}
	return nil
}

// runSetup runs the setup in a clone.
func (j *job) runSetup(ctx context.Context, plan setup.Plan, dir, name string) error {
	began := time.Now()
	if name == "workspace" {
		j.say("setup: %s  (%s)", plan.Command, plan.Why)
	}
	out := process.NewHeadTail(4<<10, 12<<10)
	filtered := j.Env.Filter(out)
	e, err := j.pool.Run(ctx, process.Spec{
		Argv: []string{"sh", "-c", plan.Command}, Dir: dir, Env: process.Set(j.Env.Environ, j.slotEnv()...),
		Stdout: filtered, Stderr: filtered, Timeout: setupLimit, Role: process.RoleHook,
	})
	filtered.Close()
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !e.OK():
		return usererror.New(mulligan.ExitGateBroken, fmt.Sprintf("the setup %q failed in the %s: %s\n%s", plan.Command, name, e, strings.TrimRight(out.String(), "\n")),
			"it runs in a clone of the repository; write what works there as `workspace: {setup: COMMAND}` in mulligan.yaml, or `setup: none`")
	}
	if name == "workspace" {
		j.say("setup took %s", time.Since(began).Round(100*time.Millisecond))
	}
	return nil
}
