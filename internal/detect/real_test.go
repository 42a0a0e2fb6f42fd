package detect

import (
	"os"
	"reflect"
	"testing"

	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
)

// TestFindRealProjects tries projects of tools whose caches are in the home of the user: with another they would
// compile their standard library anew.
func TestFindRealProjects(t *testing.T) {
	pool := processtest.Pool(t)
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "CARGO_NET_OFFLINE=true"}
	run := func(dir string, argv ...string) bool {
		exit, err := pool.Run(t.Context(), process.Spec{Argv: argv, Dir: dir, Env: environ})
		return err == nil && exit.OK()
	}
	for _, tt := range []struct {
		name  string
		make  []string
		files map[string]string
		want  []string
		state State
		leave []string // what may be in the folder afterwards
	}{
		{
			"go",
			[]string{"go", "mod", "init", "example.com/sum"},
			map[string]string{"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { t.Fatal() }\n"},
			[]string{"go vet ./...", "go test ./..."},
			Passes,
			[]string{"go.mod", "sum_test.go"},
		},
		{
			"go that does not compile",
			[]string{"go", "mod", "init", "example.com/sum"},
			map[string]string{"sum.go": "package sum\n\nvar x int = \"\"\n"},
			[]string{"go vet ./...", "go test ./..."},
			Fails,
			[]string{"go.mod", "sum.go"},
		},
		{"cargo without a lock file", []string{"cargo", "init", "--vcs", "none", "--name", "sum"}, nil, []string{"cargo test"}, Passes, []string{"Cargo.toml", "src"}},
		{
			"cargo",
			[]string{"cargo", "init", "--vcs", "none", "--name", "sum"},
			map[string]string{"Cargo.lock": "version = 3\n\n[[package]]\nname = \"sum\"\nversion = \"0.1.0\"\n"},
			[]string{"cargo test"},
			Passes,
			[]string{"Cargo.lock", "Cargo.toml", "src"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if probe := versionProbe(tt.make[0]); !run("", probe...) {
				t.Skipf("%s is not installed", tt.make[0])
			}
			dir := layOut(t, tt.files)
			if !run(dir, tt.make...) {
				t.Fatalf("%q failed", tt.make)
			}
			found, err := FindWith(t.Context(), pool, dir, environ)
			if err != nil || !reflect.DeepEqual(found.Lines(), tt.want) {
				t.Fatalf("the checks are %+v, %v", found, err)
			}
			for _, c := range found.Checks {
				if c.State != tt.state && c.State != Slow {
					t.Errorf("%s %s: %s", c.Line, c.State, c.Why)
				}
			}
			var left []string
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if !reflect.DeepEqual(left, tt.leave) {
				t.Errorf("the folder has %q, want %q", left, tt.leave)
			}
		})
	}
}
