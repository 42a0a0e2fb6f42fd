package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// TestConfined: the programs work confined, in a home and a workspace that are not in /tmp, and what they run
// cannot write the home. By default they then may do everything else.
func TestConfined(t *testing.T) {
	if !process.DescribeLandlock(process.LandlockABI()).Confines {
		t.Skip("the kernel has no Landlock that can confine")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := built(); err != nil { // in a folder that outlives this test
		t.Fatal(err)
	}
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			root, err := os.MkdirTemp(cache, "mt")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(root)
			t.Setenv("TMPDIR", root) // of t.TempDir: /tmp may be written
			a := cast[name]
			s := onStage(t, setup{by: name, config: oneStep})
			s.play(a.runs(`echo x >"$HOME/planted"; echo right > answer; echo it-is-made`).At("Make the answer"), modeltest.Say("It is made.").At("it-is-made"))
			r := s.run(0)
			s.played()
			home, _ := process.Lookup(s.env, "HOME")
			if _, err := os.Stat(filepath.Join(home, "planted")); err == nil || s.file("answer") != "right" {
				t.Errorf("planted: %v, answer %q\n%s", err, s.file("answer"), r.shown())
			}
		})
	}
}
