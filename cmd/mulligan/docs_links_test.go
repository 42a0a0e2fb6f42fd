package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksResolve follows the links between the pages, those to a heading included.
func TestLinksResolve(t *testing.T) {
	const root = "../.."
	pages, err := filepath.Glob(root + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"docs", "docs/*"} {
		below, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, below...)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			found++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s is not there", page, m[1])
			} else if anchor != "" && !headings(t, path)[anchor] {
				t.Errorf("%s: %s has no such heading", page, m[1])
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d links: the pattern does not find them", found)
	}
}

// headings returns the anchors of a page's headings, as GitHub makes them.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	other := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.+)$`).FindAllStringSubmatch(string(text), -1) {
		anchors[strings.ReplaceAll(other.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return anchors
}
