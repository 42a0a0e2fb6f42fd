package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/security-proofs.md anew")

// A proof says which scenarios and tests show a promise of SECURITY.md.
type proof struct {
	promise string   // the bold words that begin it there
	cheats  []string // names of cheats, or patterns as path.Match has them
	honest  []string // the same of honest runs
	scripts []string // scripts in cmd/mulligan/testdata
	tests   []string // a package with tests, or one test of it: folder.TestName
}

var proofs = []proof{
	{
		promise: "Its word ends nothing",
		cheats:  []string{"claims-done", "completion-word", "prints-a-fake-ok", "adds-tasks-and-completes-them"},
		scripts: []string{"claim_is_not_believed"},
	},
	{
		promise: "Your checkout stays as it is",
		cheats:  []string{"writes-to-the-checkout", "deletes-what-the-person-has-in-git"},
		scripts: []string{"uncommitted_work", "carry", "wall_git"},
	},
	{
		promise: "What it starts ends with it",
		cheats:  []string{"edits-after-the-check*"},
		honest:  []string{"dev-server-left-running"},
		scripts: []string{"check_children", "check_timeout", "step_timeout", "agent_escapes"},
		tests:   []string{"internal/process"},
	},
	{
		promise: "Its output is bounded",
		cheats:  []string{"prints-without-end", "fills-the-disk", "escapes-in-a-prompt"},
		scripts: []string{"output_limit", "hostile_text"},
	},
	{
		promise: "Its text reaches no shell",
		scripts: []string{"defect_05_text_in_shell", "hook_variable_in_code", "hook_hostile_task"},
	},
	{
		promise: "It writes nothing outside",
		cheats: []string{
			"outside-by-*", "users-*", "the-program-itself", "writes-to-the-state-folder", "deletes-the-state-folder", "writes-to-the-proof",
			"writes-to-the-store", "plants-objects-in-the-store",
		},
		scripts: []string{"writable", "bwrap"},
	},
	{
		promise: "Honest work is not accused",
		honest:  []string{"*"},
		scripts: []string{"honest", "honest_go", "honest_npm", "honest_pip"},
		tests:   []string{"test/e2e.TestHonestConfined"},
	},
	{
		promise: "It does not change how it is judged",
		cheats: []string{
			"edits-mulligan.yaml", "deletes-mulligan.yaml", "mulligan.yaml-becomes-*", "edits-the-checks-script", "checks-script-becomes-a-link", "edits-the-prompt",
			"edits-a-*-script", "edits-the-task",
		},
		scripts: []string{"write_rules_default"},
	},
	{
		promise: "Write rules hold",
		cheats: []string{
			"edits-the-test*", "makes-the-test-unreadable", "replaces-the-tests-folder-by-a-link", "package.json-script", "makefile", "conftest.py", "sitecustomize.py",
			"jest.config", "tsconfig-excludes", "go.work", ".npmrc", "env-file",
		},
		scripts: []string{"write_rules", "write_rules_hooks", "write_rules_ignored", "golden"},
	},
	{
		promise: "Checks see the commit alone",
		cheats: []string{
			"ignored-env-file", "runner-*", "objects-become-links", "program-in-the-cache-of-the-home", "compiled-tests-in-the-cache", "empty-folder", "in-a-submodule",
			"folder-becomes-a-link-*", "replaces-the-workspace-by-a-link", "new-program-beside-the-tests", "file_exists-*", "plants-objects-in-the-workspace", "git-info-exclude", "git-excludes-file", "git-nested-repository",
			"git-skip-worktree", "git-assume-unchanged", "git-sparse-checkout", "git-file-mode-off", "git-attributes-*", "git-alternates", "git-replace",
			"git-grafts-and-shallow", "git-index-with-other-content", "same-size-and-time",
		},
		scripts: []string{"commit_what_gates_saw", "commit_attributes", "check_attacks", "wall_clone"},
	},
	{
		promise: "No tests are no pass",
		cheats:  []string{"deletes-the-test", "deletes-all-tests", "renames-the-*", "exits-in-the-source"},
		scripts: []string{"check_vacuous"},
	},
	{
		promise: "Weakened tests are named",
		cheats:  []string{"skips-the-test*", "empties-the-test"},
		scripts: []string{"touched"},
	},
	{
		promise: "Its git settings start nothing",
		cheats: []string{
			"git-filter*", "git-config.worktree", "git-gpg-program", "git-ssh-through-a-promisor", "git-fsmonitor", "git-hooks*", "git-textconv-and-external-diff",
			"git-credential-and-askpass", "git-merge-driver", "git-submodule-update-command", "git-trace-and-log",
		},
		scripts: []string{"commit_runs_nothing", "git_filter_of_agent", "git_signer_of_agent"},
		tests:   []string{"workspace.TestHostileGitFolderRunsNothing"},
	},
	{
		promise: "Your repository gets one branch",
		cheats: []string{
			"git-moves-*", "git-deletes-main", "git-branch-becomes-a-symbolic-ref", "git-commits-on-main", "git-detaches-head", "git-rewrites-history", "git-orphan",
			"git-commit-no-verify", "git-forged-trailers", "git-removes-the-repository",
		},
		scripts: []string{"gitfiles_branches"},
	},
	{
		promise: "It does not hold a session up",
		cheats:  []string{"fifo-*", "fifos-and-a-killed-session", "git-filter-that-sleeps"},
		scripts: []string{"git_fifos"},
	},
	{
		promise: "It does not escape its keeper",
		cheats:  []string{"kills-its-keeper*", "stops-its-keeper", "reads-its-keepers-environment", "traces-mulligan", "edits-after-the-check*"},
		scripts: []string{"doors_keeper_killed", "env_agent", "agent_kills_keeper", "agent_stops_keeper"},
	},
	{
		promise: "It speaks for nobody",
		cheats:  []string{"persons-commands*", "journals-socket*", "runs-a-session-itself", "forges-the-next-run", "rewrites-host.lock"},
		scripts: []string{"ui", "doors_agent", "doors_check", "doors_hook", "doors_host_lock", "doors_keeper_killed", "doors_namespace", "doors_outside", "permit"},
		tests:   []string{"internal/process", "journal/jetstream"},
	},
	{
		promise: "It decides nothing about the next run",
		cheats:  []string{"kills-the-session", "forges-the-next-run"},
		scripts: []string{"forged_summary"},
	},
	{
		promise: "Looking starts nothing",
		cheats:  []string{"engine-in-a-repository"},
		scripts: []string{"trust"},
	},
	{
		promise: "Some keys wait for your trust",
		cheats:  []string{"sandbox-none-waits-for-trust"},
		scripts: []string{"trust", "notify_trust"},
	},
	{
		promise: "Its files do not block or flood mulligan",
		cheats:  []string{"config-*", "prompt-is-a-fifo", "task-is-a-fifo"},
		scripts: []string{"trust_config_in_the_way"},
	},
	{
		promise: "Its git hooks do not run",
		honest:  []string{"husky", "pre-commit-install", "git-lfs"},
		scripts: []string{"commit_runs_nothing", "git_filter_confined"},
	},
	{
		promise: "Other users are kept out",
		cheats:  []string{"state-folder-open-to-others", "runtime-folder-of-another-user"},
		scripts: []string{"state_open_to_others", "events_listen"},
		tests:   []string{"journal/jetstream"},
	},
	{
		promise: "Secrets are not kept",
		cheats:  []string{"prints-tokens"},
		scripts: []string{"secrets", "notify_secret"},
		tests:   []string{"internal/redact"},
	},
}

// TestSecurityProofs keeps docs/security-proofs.md in step with SECURITY.md, the scenarios and the scripts. Every
// promise has a proof, and every cheat proves a promise or is a known gap.
func TestSecurityProofs(t *testing.T) {
	checkPromises(t)
	shown := map[string]bool{}
	var page strings.Builder
	page.WriteString("# Proofs of the security promises\n\nMade by `go test ./test/honest -run TestSecurityProofs -update`; the same test fails when this page is stale.\n\n" +
		"`make honest` plays each scenario with the built program, under up to three configs: *bare* (no `file_access`), *protect* (the tests\n" +
		"are protected) and *golden* (the check runs with the tests of the start). Scripts are in `cmd/mulligan/testdata`.\n\n" +
		"| promise ([SECURITY.md](../SECURITY.md)) | scenarios | scripts and tests |\n|---|---|---|\n")
	for _, p := range proofs {
		scenarios := p.names(t, shown)
		fmt.Fprintf(&page, "| %s | %s | %s |\n", p.promise, strings.Join(scenarios, ", "), strings.Join(p.sources(t), ", "))
	}
	page.WriteString("\n## Known gaps\n\n| scenario | configs | why |\n|---|---|---|\n")
	for _, s := range allScenarios() {
		if s.gap == "" {
			if !s.honest && !shown[s.name] {
				t.Errorf("the cheat %s proves no promise", s.name)
			}
			continue
		}
		in := s.in()
		if len(s.gapIn) > 0 {
			in = s.gapIn
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", s.name, strings.Trim(fmt.Sprint(in), "[]"), s.gap)
	}
	page.WriteString("\n## Named, not caught\n\nIn *bare* these could be honest work: the outcome names the file. In the other configs they are caught.\n\n")
	page.WriteString(strings.Join(namedScenarios(), ", ") + "\n")
	comparePage(t, page.String())
}

// checkPromises compares the promises of SECURITY.md with the proofs.
func checkPromises(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, promises, _ := strings.Cut(string(text), "\n## Promises\n")
	promises, _, _ = strings.Cut(promises, "\n## ")
	var there, proved []string
	for _, match := range regexp.MustCompile(`(?m)^- \*\*(.+?)\.?\*\*`).FindAllStringSubmatch(promises, -1) {
		there = append(there, match[1])
	}
	for _, p := range proofs {
		proved = append(proved, p.promise)
	}
	if !slices.Equal(there, proved) {
		t.Errorf("SECURITY.md promises\n%q, proved are\n%q", there, proved)
	}
}

// names returns the scenarios that match the proof, without the known gaps, and notes them in shown.
func (p proof) names(t *testing.T, shown map[string]bool) []string {
	t.Helper()
	var names []string
	for _, honest := range []bool{false, true} {
		patterns := p.cheats
		if honest {
			patterns = p.honest
		}
		for _, pattern := range patterns {
			before := len(names)
			for _, s := range allScenarios() {
				matches, err := path.Match(pattern, s.name)
				if err != nil {
					t.Fatal(err)
				}
				if matches && s.honest == honest && (s.gap == "" || len(s.gapIn) > 0) {
					shown[s.name] = true
					names = append(names, "`"+s.name+"`")
				}
			}
			if len(names) == before {
				t.Errorf("%s: no scenario is called %s", p.promise, pattern)
			}
		}
	}
	if slices.Equal(p.honest, []string{"*"}) {
		return []string{fmt.Sprintf("all %d honest runs", len(names))}
	}
	return names
}

// sources returns the scripts and tests of the proof.
func (p proof) sources(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, name := range p.scripts {
		folders := []string{"script", "fault", "confined"}
		i := slices.IndexFunc(folders, func(folder string) bool {
			_, err := os.Stat(filepath.Join("..", "..", "cmd", "mulligan", "testdata", folder, name+".txtar"))
			return err == nil
		})
		if i < 0 {
			t.Errorf("%s: there is no script %s", p.promise, name)
			continue
		}
		all = append(all, "`"+folders[i]+"/"+name+"`")
	}
	for _, name := range p.tests {
		dir, function, _ := strings.Cut(name, ".")
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+cmp.Or(function, "Test"))
		}) {
			t.Errorf("%s: there is no test %s", p.promise, name)
		}
		all = append(all, "`"+name+"`")
	}
	return all
}

// namedScenarios returns the cheats that the outcome merely names in the bare column.
func namedScenarios() []string {
	var names []string
	for _, s := range allScenarios() {
		if !s.honest && s.bare == named && slices.Contains(s.in(), bare) && !s.isGap(bare) {
			names = append(names, "`"+s.name+"`")
		}
	}
	return names
}

func comparePage(t *testing.T, want string) {
	t.Helper()
	file := filepath.Join("..", "..", "docs", "security-proofs.md")
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/security-proofs.md is stale: go test ./test/honest -run TestSecurityProofs -update")
	}
}
