package doctor

import (
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/confine"
	"mulligan/internal/process"
	"mulligan/workspace"
)

// checkConfinement reports what each agent may write, what its confinement does not cover, and the agents
// that nothing confines.
func (d *doctor) checkConfinement() {
	kinds := map[string]bool{}
	for _, spec := range d.listAgents() {
		if spec.Confined == "" {
			d.warnOfUnconfined(spec)
			continue
		}
		kinds[spec.Confined] = true
		d.reportWritable(spec)
	}
	if len(d.plans) == 0 {
		d.reportOffer()
	}
	if kinds[process.Landlock] {
		d.addFinding(OK, "sandbox", "", "Landlock does not cover: %s", strings.Join(listGaps(process.LandlockABI()), "; "))
	}
	if kinds[process.Bwrap] {
		d.addFinding(OK, "sandbox", "", "bubblewrap does not cover: %s", strings.Join(commonGaps, "; "))
	}
}

// commonGaps are what neither Landlock nor bubblewrap keeps an agent from.
var commonGaps = []string{
	"programs outside that do what they are asked for over a socket (docker, a session bus, ssh-agent)",
}

// listGaps returns what a version of Landlock does not cover.
func listGaps(abi int) []string {
	covers := process.DescribeLandlock(abi)
	gaps := append([]string{"mode, owner and times of files outside (chmod, chown, touch)"}, commonGaps...)
	if !covers.Truncates {
		gaps = append(gaps, "emptying files outside (Linux 6.2 covers it)")
	}
	if !covers.Signals {
		gaps = append(gaps, "signals to processes outside (Linux 6.12 covers it)")
	}
	return gaps
}

// reportOffer reports what the system has to confine agents with, where there is no config to tell of them.
func (d *doctor) reportOffer() {
	if abi := process.LandlockABI(); process.DescribeLandlock(abi).Confines {
		d.addFinding(OK, "sandbox", "", "agents are confined by Landlock (the kernel has version %d)", abi)
		return
	}
	d.addFinding(Warning, "sandbox", unconfinedHint, "agents are not confined: the kernel has no Landlock that will do")
}

// unconfinedHint is what to do about an agent that nothing confines.
const unconfinedHint = "what it changes outside the workspace is not seen: run it where that is no harm"

// warnOfUnconfined warns of an agent that nothing confines.
func (d *doctor) warnOfUnconfined(spec mulligan.AgentSpec) {
	if spec.Unconfined != "" {
		d.addFinding(Warning, "agent "+spec.Name, unconfinedHint, "it is not confined: %s", spec.Unconfined)
	}
}

// reportWritable reports what a confined agent may write, and warns where that has mulligan's own files in
// it.
func (d *doctor) reportWritable(spec mulligan.AgentSpec) {
	where, err := d.Folders()
	if err != nil {
		return // the journal's finding says why
	}
	dir := workspace.WorkspaceIn(where.Slot(d.root, 1))
	outfit := builtin.Outfit{
		Vars: []string{"TMPDIR=" + where.Temp(where.Slot(d.root, 1))}, Caches: where.Caches(d.root),
		Keep: d.ListKept(d.root), Checkout: d.root,
	}
	list := builtin.Writes(spec, dir, d.Environ, outfit).List()
	d.addFinding(OK, "agent "+spec.Name, "", "confined by %s, it may write its workspace, as %s", spec.Confined, d.shortenHome(dir))
	first, names := len(d.findings)-1, []string{dir}
	line, why := "", ""
	for _, p := range append(list, confine.Path{}) {
		short := d.shortenHome(p.Path)
		if line != "" && (p.Why != why || len(line)+len(short) > pathsShown) {
			d.addFinding(OK, "agent "+spec.Name, "", "and %s (%s)", line, why)
			line = ""
		}
		if _, err := os.Lstat(p.Path); err == nil && p.Path != dir {
			names = append(names, p.Path)
			line, why = strings.TrimPrefix(line+", "+short, ", "), p.Why
		}
	}
	d.findings[first].Names = names
	d.warnOfExposed(spec, list)
}

// pathsShown is the length of a line of paths.
const pathsShown = 140

// warnOfExposed warns of files that decide about the agent and that it may write.
func (d *doctor) warnOfExposed(spec mulligan.AgentSpec, list []confine.Path) {
	state, err := d.StateDir()
	if err != nil {
		return
	}
	for _, own := range []struct{ path, what string }{{state, "mulligan's state folder"}, {d.Getenv("HOME"), "your home"}} {
		for _, p := range list {
			if own.path != "" && confine.Covers(p.Path, own.path) {
				d.addFinding(Warning, "agent "+spec.Name, "keep it elsewhere, or name less under writable:", "it may write %s: %s is in %s (%s)", own.what, own.path, p.Path, p.Why)
			}
		}
	}
}

// shortenHome returns a path with ~ for the home.
func (d *doctor) shortenHome(path string) string {
	home := d.Getenv("HOME")
	if rel, err := filepath.Rel(home, path); home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}
