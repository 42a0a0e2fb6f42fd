package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListLocal(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root,
		".env", ".env.local", ".envrc", "apps/web/.env.test", "build/.env", "secret.key", "CLAUDE.local.md", "docs/AGENTS.local.md",
		".claude/settings.local.json", ".claude/settings.json", ".claude/worktrees/x/.git", ".claude/worktrees/x/.env",
		".codex/config.local.toml", ".mcp.local.json", ".mcp.json",
		"node_modules/a/.env", "vendor/b/.env", "dist/.env", "private/.env", "private/deep/.env", "private/a/b/c/d/.env",
		".env.d/.venv/.env", "python/pyvenv.cfg", "python/.env",
	)
	outside := t.TempDir()
	writeTree(t, outside, ".env")
	link(t, outside, filepath.Join(root, "away"))
	link(t, ".env", filepath.Join(root, ".env.link"))
	ignored := []string{
		".env", ".env.local", ".envrc", "apps/web/.env.test", "build/.env", "secret.key", "CLAUDE.local.md", "docs/AGENTS.local.md", ".env", ".env.link",
		".claude/", ".codex/config.local.toml", ".mcp.local.json", ".mcp.json", "node_modules/", "node_modules/a/.env", "vendor/", "dist/", "private/",
		".env.d/", "python/", "away/", "away/.env", "../.env", "../", "/", outside + "/.env", "none/.env", "none/", "",
	}
	want := []string{
		".env", ".env.local", ".envrc", ".mcp.local.json", "CLAUDE.local.md",
		".claude/settings.local.json", ".codex/config.local.toml", "build/.env", "docs/AGENTS.local.md", "private/.env",
		"apps/web/.env.test", "private/deep/.env",
	}
	if got := ListLocal(root, ignored); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := ListLocal(filepath.Join(root, "none"), ignored); got != nil {
		t.Errorf("no checkout: %q", got)
	}
}

func TestListLocalBounds(t *testing.T) {
	root := t.TempDir()
	var ignored []string
	add := func(name string, size int64) {
		writeTree(t, root, name)
		if err := os.Truncate(filepath.Join(root, name), size); err != nil {
			t.Fatal(err)
		}
		ignored = append(ignored, name)
	}
	add(".env.large", 1<<20+1)
	for i := range 9 {
		add(fmt.Sprintf(".env.%d", i), 1<<20)
	}
	add(".env.z", 0)
	if got, want := strings.Join(ListLocal(root, ignored), " "), ".env.0 .env.1 .env.2 .env.3 .env.4 .env.5 .env.6 .env.7 .env.z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	root, ignored = t.TempDir(), nil
	for i := range 201 {
		add(fmt.Sprintf(".env.%03d", i), 1)
	}
	if got := ListLocal(root, ignored); len(got) != 200 || got[199] != ".env.199" {
		t.Errorf("got %d files", len(got))
	}
}
