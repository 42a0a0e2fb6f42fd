package layout

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// machineWords returns what no file may contain: paths and hosts of a machine that the project
// was worked on. They are put together here so that this file does not contain them either.
func machineWords() []string {
	return []string{
		"/wo" + "rk/", "/ro" + "ot/",
		"proxy.go" + "lang.org", "sum.go" + "lang.org", "registry.npm" + "js.org", "py" + "pi.org",
		"DESIGN" + ".md", "STYLE" + ".md", "shared/" + "design",
	}
}

func TestNoFileNamesAMachine(t *testing.T) {
	root := repositoryRoot(t)
	for _, path := range listFiles(t, root) {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range machineWords() {
			if at := bytes.Index(text, []byte(word)); at >= 0 {
				t.Errorf("%s:%d: mentions %s", path, 1+bytes.Count(text[:at], []byte("\n")), word)
			}
		}
	}
}

// go-runewidth 0.0.26 and 0.0.27 build their tables before main, which takes 40 ms.
func TestRunewidthStartsQuickly(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(repositoryRoot(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`github\.com/mattn/go-runewidth v(\d+\.\d+\.\d+)`).FindStringSubmatch(string(mod))
	if found == nil {
		return // nothing depends on it: nothing to pay for
	}
	if !atLeast(found[1], "0.0.28") {
		t.Errorf("go.mod has go-runewidth %s; 0.0.28 is the first that starts quickly", found[1])
	}
}

func atLeast(have, want string) bool {
	h, w := strings.Split(have, "."), strings.Split(want, ".")
	for i := range w {
		a, _ := strconv.Atoi(h[i])
		b, _ := strconv.Atoi(w[i])
		if a != b {
			return a > b
		}
	}
	return true
}

func TestAtLeast(t *testing.T) {
	for have, want := range map[string]bool{"0.0.27": false, "0.0.28": true, "0.1.0": true, "1.0.0": true, "0.0.100": true} {
		if got := atLeast(have, "0.0.28"); got != want {
			t.Errorf("atLeast(%s): %v", have, got)
		}
	}
}
