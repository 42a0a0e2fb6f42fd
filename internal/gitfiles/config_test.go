package gitfiles

import (
	"slices"
	"testing"
)

func TestHarmlessKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"user.name": true, "user.email": true, "author.name": true, "branch.main.merge": true, "branch.a.b.rebase": true, "branch.autosetuprebase": true,
		"remote.origin.url": true, "remote.a.b.fetch": true, "remote.origin.pushurl": true, "submodule.a/b.url": true, "submodule.active": true,
		"remote.origin.uploadpack": false, "remote.origin.receivepack": false, "remote.origin.vcs": false, "remote.origin.proxy": false,
		"remote.origin.promisor": false, "remote.origin.partialclonefilter": false, "remote.url": false, "remote..url": false,
		"submodule.x.update": false, "submodule.x.ignore": false, "submodule.recurse": false,
		"core.hookspath": false, "core.fsmonitor": false, "core.sshcommand": false, "core.excludesfile": false, "core.attributesfile": false,
		"core.worktree": false, "core.bare": false, "core.sparsecheckout": false, "core.autocrlf": false, "core.filemode": false,
		"filter.lfs.clean": false, "diff.x.textconv": false, "merge.x.driver": false, "gpg.program": false, "alias.x": false,
		"credential.helper": false, "url.x.insteadof": false, "include.path": false, "includeif.x.path": false, "extensions.worktreeconfig": false,
		"users.name": false, "lfs.customtransfer.x.path": false, "lfs.https://example.com.access": true,
		// They have a later git of the person's start a program: gpg, ssh-keygen, git-merge-NAME, a hook.
		"commit.gpgsign": false, "tag.gpgsign": false, "tag.forcesignannotated": false, "push.gpgsign": false, "user.signingkey": false, "gpg.format": false,
		"gpg.ssh.defaultkeycommand": false, "branch.main.mergeoptions": false, "branch.a.b.mergeoptions": false, "pull.twohead": false, "pull.octopus": false,
		"gc.recentobjectshook": false, "guitool.x.cmd": false, "sequence.editor": false, "interactive.difffilter": false,
		// They hide files from the person, or change what a merge gives.
		"gui.displayuntracked": false, "rerere.enabled": false, "rerere.autoupdate": false, "status.showuntrackedfiles": false, "diff.ignoresubmodules": false,
		// They have a later git delete what the person has, here or at the remote.
		"gc.pruneexpire": false, "gc.reflogexpire": false, "remote.origin.mirror": false, "remote.origin.push": false, "fetch.prunetags": false, "remote.origin.prunetags": false,
		"gui.geometry": true, "gui.wmstate": true, "gc.auto": true, "pull.rebase": true, "pull.ff": true, "branch.main.vscode-merge-base": true,
		"user.useconfigonly": true, "author.email": true, "committer.name": true, "commit.verbose": true, "submodule.a.active": true,
	} {
		if isHarmless(key) != want {
			t.Errorf("isHarmless(%q) is %v", key, !want)
		}
	}
}

func TestCompareConfig(t *testing.T) {
	settings := func(kv ...string) (all []Setting) {
		for i := 0; i < len(kv); i += 2 {
			all = append(all, Setting{kv[i], kv[i+1]})
		}
		return all
	}
	for name, c := range map[string]struct {
		was, now   []Setting
		back, stay []string
	}{
		"same":            {settings("a.b", "1", "core.x", "2"), settings("core.x", "2", "a.b", "1"), nil, nil},
		"added":           {nil, settings("core.x", "1", "user.name", "a"), []string{"core.x"}, []string{"user.name"}},
		"removed":         {settings("core.x", "1", "user.name", "a"), nil, []string{"core.x"}, []string{"user.name"}},
		"one more value":  {settings("core.x", "1"), settings("core.x", "1", "core.x", "1"), []string{"core.x"}, nil},
		"another order":   {settings("core.x", "1", "core.x", "2"), settings("core.x", "2", "core.x", "1"), []string{"core.x"}, nil},
		"refs migrated":   {settings("core.repositoryformatversion", "0"), settings("core.repositoryformatversion", "1", "extensions.refstorage", "reftable"), nil, []string{"core.repositoryformatversion", "extensions.refstorage"}},
		"a helper":        {nil, settings("remote.a.url", "hg::https://example.com/x", "remote.b.url", "https://example.com/y"), []string{"remote.a.url"}, []string{"remote.b.url"}},
		"one of two":      {nil, settings("remote.a.pushurl", "https://example.com/x", "remote.a.pushurl", "ext::sh -c evil"), []string{"remote.a.pushurl"}, nil},
		"a helper before": {settings("remote.a.url", "hg::https://example.com/x"), nil, nil, []string{"remote.a.url"}},
		"a branch's":      {nil, settings("branch.a.remote", "ext::evil", "branch.b.remote", "origin"), []string{"branch.a.remote"}, []string{"branch.b.remote"}},
		"two colons":      {nil, settings("remote.a.url", "user@[::1]:x", "branch.a.description", "a::b"), nil, []string{"branch.a.description", "remote.a.url"}},
		"another version": {settings("core.repositoryformatversion", "0"), settings("core.repositoryformatversion", "9"), []string{"core.repositoryformatversion"}, nil},
	} {
		back, stay := compareConfig(c.was, c.now, isHarmless)
		if !slices.Equal(back, c.back) || !slices.Equal(stay, c.stay) {
			t.Errorf("%s: back %q, stay %q", name, back, stay)
		}
	}
}

func TestIsHead(t *testing.T) {
	for text, want := range map[string]bool{
		"ref: refs/heads/main\n": true, "ref:refs/heads/a/b\n": true, "0123456789012345678901234567890123456789\n": true,
		"": false, "nonsense\n": false, "ref: main\n": false, "ref: refs/heads/../../x\n": false, "ref: refs/heads/a b\n": false,
	} {
		if isHead(text) != want {
			t.Errorf("isHead(%q) is %v", text, !want)
		}
	}
}
