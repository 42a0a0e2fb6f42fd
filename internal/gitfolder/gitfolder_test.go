//go:build unix

package gitfolder

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestParseConfigKeepsWhatStartsNothing(t *testing.T) {
	out := strings.Join([]string{
		"user.name\nAda", "core.filemode\ntrue", "core.hookspath\n/evil", "core.fsmonitor\nevil", "core.sshcommand\nevil",
		"core.worktree\n/evil", "core.alternaterefscommand\nevil", "include.path\n/evil", "includeif.gitdir:/.path\n/evil",
		"extensions.partialclone\nfar", "extensions.objectformat\nsha256", "remote.far.promisor\ntrue", "remote.far.url\nhttps://x",
		"remote.far.uploadpack\nevil", "remote.far.vcs\nevil", "diff.external\nevil", "diff.x.textconv\nevil", "diff.algorithm\npatience",
		"credential.helper\nevil", "filter.lfs.process\ngit-lfs filter-process", "filter.lfs.required", "gpg.program\ngpg", "alias.x\n!evil",
		"merge.x.driver\nevil", "submodule.x.update\n!evil", "submodule.x.url\n/x", "core.editor\nevil", "core.pager\nevil", "sequence.editor\nevil", "protocol.allow\nalways",
	}, "\x00") + "\x00"
	want := Config{
		{Key: "user.name", Value: "Ada"},
		{Key: "core.filemode", Value: "true"},
		{Key: "extensions.objectformat", Value: "sha256"},
		{Key: "remote.far.promisor", Value: "true"},
		{Key: "remote.far.url", Value: "https://x"},
		{Key: "diff.algorithm", Value: "patience"},
		{Key: "filter.lfs.process", Value: "git-lfs filter-process"},
		{Key: "filter.lfs.required", Bare: true},
		{Key: "gpg.program", Value: "gpg"},
		{Key: "submodule.x.url", Value: "/x"},
	}
	got := ParseConfig([]byte(out))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v\nwant %v", got, want)
	}
	filters := got.Filters()
	if len(filters) != 1 || filters[0].Name != "lfs" || !got.Bool("filter.lfs.required", false) {
		t.Errorf("the filters are %v", filters)
	}
}

func TestSettingsFetchNothing(t *testing.T) {
	f := &Frozen{Config: Config{{Key: "remote.far.promisor", Value: "true"}, {Key: "user.name", Value: "Ada"}, {Key: "filter.x.clean", Value: "wash"}}}
	settings, err := f.WriteSettings(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, filter := range map[string]string{settings.Filtered: "clean = \"wash\"", settings.Unfiltered: "", settings.Refusing: "clean = \"exit 1\""} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(text); strings.Contains(got, "promisor") || !strings.Contains(got, "Ada") || !strings.Contains(got, filter) || filter == "" && strings.Contains(got, "clean") {
			t.Errorf("%s has\n%s", path, got)
		}
	}
}

func TestEncodeQuotes(t *testing.T) {
	got := string(Config{{Key: `filter.a"b\c.clean`, Value: "x \"y\" \\z\n#;"}, {Key: "core.bare", Bare: true}}.encode())
	want := "[filter \"a\\\"b\\\\c\"]\n\tclean = \"x \\\"y\\\" \\\\z\\n#;\"\n[core]\n\tbare\n"
	if got != want {
		t.Errorf("encoded as %q, want %q", got, want)
	}
}
