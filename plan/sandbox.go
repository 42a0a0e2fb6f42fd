package plan

import (
	"cmp"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/process"
)

// Confines is what this system can confine agents with.
type Confines struct {
	Landlock int    // the version of the kernel's Landlock; 0: it has none
	Bwrap    string // the path of bubblewrap; "": it is not installed
}

// checkSandbox refuses a sandbox that this system does not have, and paths that cannot be meant.
func (b *builder) checkSandbox() {
	v := b.Config.Get("sandbox")
	switch {
	case b.Confines == nil || !v.OK():
	case v.String() == process.Bwrap && b.Confines.Bwrap == "":
		b.addMistake(v.Wrong("bubblewrap is not installed: there is no program bwrap in PATH").
			WithHint("install the package bubblewrap, or write sandbox: auto"))
	case v.String() == process.Landlock && !process.DescribeLandlock(b.Confines.Landlock).Confines:
		b.addMistake(v.Wrong("%s", b.describeNoLandlock()).WithHint("write sandbox: auto, which confines agents where it can be done"))
	}
}

// checkWritable refuses paths of an agent's writable: that cannot be meant.
func (b *builder) checkWritable(v config.Value) {
	for _, one := range v.List() {
		path := one.String()
		if one.OK() && strings.HasPrefix(path, "~") && path != "~" && !strings.HasPrefix(path, "~/") {
			b.addMistake(one.Wrong("%q names another user's home, which is not looked up", path).WithHint("write the absolute path"))
		}
	}
}

// checkNesting refuses Landlock around an agent that has a sandbox of its own: none of its commands would run.
func (b *builder) checkNesting(spec *mulligan.AgentSpec, kind config.Variant, permissions config.Value) {
	if b.Config.Get("sandbox").String() == process.Landlock && kind.Nests != nil && kind.Nests(spec.Permissions, spec.Options) {
		b.addMistake(permissions.Wrong("with permissions: %s this agent has a sandbox of its own, which does not work inside of Landlock", spec.Permissions).
			WithHint("write permissions: full; or sandbox: auto, which leaves the agent to its own sandbox"))
	}
}

// describeNoLandlock returns why the kernel's Landlock cannot confine.
func (b *builder) describeNoLandlock() string {
	if b.Confines.Landlock > 0 {
		return "the kernel's Landlock is too old (Linux 5.19 has the first that will do)"
	}
	return "the system has no Landlock"
}

// resolveConfinement sets how an agent is confined, and with that what it may do unasked if the user has
// set nothing: everything where it is confined, else only edits.
func (b *builder) resolveConfinement(spec *mulligan.AgentSpec, kind config.Variant) {
	spec.Confined, spec.Unconfined = b.chooseConfinement(spec, kind)
	if !kind.Permits {
		return
	}
	usual := "edits"
	if spec.Confined != "" {
		usual = "full"
	}
	spec.Permissions = cmp.Or(spec.Permissions, usual)
}

// chooseConfinement returns what confines an agent, or why nothing does. Both are "" if it is not known
// what the system has.
func (b *builder) chooseConfinement(spec *mulligan.AgentSpec, kind config.Variant) (confined, why string) {
	sandbox := b.Config.Get("sandbox").String()
	switch {
	case b.Confines == nil:
		return "", ""
	case sandbox == "none":
		return "", "sandbox: none"
	case sandbox == process.Bwrap || sandbox == process.Landlock:
		return sandbox, "" // checkSandbox has seen that it is there
	case !process.DescribeLandlock(b.Confines.Landlock).Confines:
		return "", b.describeNoLandlock()
	case kind.Nests != nil && kind.Nests(spec.Permissions, spec.Options):
		return "", "the program has a sandbox of its own, which does not work in another; permissions: full is without it"
	}
	return process.Landlock, ""
}
