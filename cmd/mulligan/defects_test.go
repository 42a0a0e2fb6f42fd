package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDefectsAreNamed keeps the page of old defects true: each test that it refers to is there, and
// scripts name the defect.
func TestDefectsAreNamed(t *testing.T) {
	page, err := os.ReadFile("../../docs/developers/defects.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|$`)
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 17 {
		t.Errorf("the page has %d defects, not 17", len(rows))
	}
	for _, r := range rows {
		scripts := regexp.MustCompile("`((?:script|fault)/\\w+)`").FindAllStringSubmatch(r[2], -1)
		if len(scripts) == 0 && !strings.HasPrefix(r[2], "not built yet") {
			t.Errorf("defect %s has no script", r[1])
		}
		for _, name := range regexp.MustCompile("`([\\w/]+)\\.(Test\\w+)`").FindAllStringSubmatch(r[2], -1) {
			if !hasTest(t, filepath.Join("../..", name[1]), name[2]) {
				t.Errorf("defect %s: there is no %s in %s", r[1], name[2], name[1])
			}
		}
		for _, s := range scripts {
			text, err := os.ReadFile(filepath.Join("testdata", s[1]+".txtar"))
			if err != nil {
				t.Errorf("defect %s: %v", r[1], err)
				continue
			}
			head, _, _ := strings.Cut(string(text), "\nrepo ")
			if !regexp.MustCompile(fmt.Sprintf(`(?i)old defect %s\b`, r[1])).MatchString(head) {
				t.Errorf("%s does not name defect %s", s[1], r[1])
			}
		}
	}
}

func hasTest(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
