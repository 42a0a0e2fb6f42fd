package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// confineDirs returns a folder that may be written, and one beside it that may not.
func confineDirs(t testing.TB) (inside, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, outside = filepath.Join(base, "inside"), filepath.Join(base, "outside")
	for _, dir := range []string{inside, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(outside, "file"), filepath.Join(inside, "own")} {
		if err := os.WriteFile(file, []byte("kept\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return inside, outside
}

// ways returns the confinements that this machine can test, by name.
func ways(t testing.TB) map[string]Confinement {
	t.Helper()
	list := map[string]Confinement{}
	if DescribeLandlock(LandlockABI()).Confines {
		list[Landlock] = Confinement{Kind: Landlock}
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil && exec.Command(bwrap, "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "true").Run() == nil {
		list[Bwrap] = Confinement{Kind: Bwrap, Program: bwrap}
	}
	return list
}

func TestLandlockIsHere(t *testing.T) {
	if DescribeLandlock(LandlockABI()).Confines {
		return
	}
	t.Skip("the kernel has no Landlock that can confine")
}

func TestBubblewrapIsHere(t *testing.T) {
	if _, ok := ways(t)[Bwrap]; !ok {
		t.Skip("bubblewrap is not installed, or may not make namespaces")
	}
}

// V9: a confined child writes what it may and nothing else, by whatever way it tries.
func TestConfinedChild(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for kind, way := range ways(t) {
		for name, script := range map[string]string{
			"write":         "echo x >>$O/file",
			"truncate":      ": >$O/file",
			"create":        "echo x >$O/new",
			"remove":        "rm -f $O/file",
			"mkdir":         "mkdir $O/new",
			"by dots":       "echo x >$I/../outside/new",
			"by symlink":    "ln -s $O $I/link; echo x >$I/link/new; echo x >>$I/link/file",
			"by hard link":  "ln $O/file $I/hard && echo x >>$I/hard",
			"rename out":    "mv -n $I/own $O/new",
			"rename in":     "mv $O/file $I/taken",
			"by fd":         "exec 3<$O/file; echo x >>/proc/self/fd/3",
			"by a child":    "sh -c 'sh -c \"echo x >>$O/file\"'",
			"a daemon":      "setsid sh -c 'echo x >>$O/file' & wait",
			"a fifo":        "mkfifo $O/new",
			"symlink there": "ln -s / $O/new",
			"a mount":       "mount --bind $I $O && echo x >$O/new",
			"unshared":      "unshare -Urm sh -c 'mount -o remount,bind,rw /; mount -o remount,bind,rw $O; echo x >>$O/file' || false",
			"parent's root": "echo x >>/proc/$PPID/root$O/file",
			"parent's cwd":  "echo x >>/proc/$PPID/cwd/../outside/file",
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				inside, outside := confineDirs(t)
				way := way
				way.Write = []string{inside, "/dev/null"}
				script := strings.NewReplacer("$O", outside, "$I", inside).Replace(script)
				exit, err := p.Run(t.Context(), Spec{Argv: shell(script), Dir: inside, Confine: &way})
				if err != nil {
					t.Fatal(err)
				}
				if name != "by symlink" && name != "a daemon" && exit.OK() {
					t.Error("it succeeded")
				}
				names, _ := os.ReadDir(outside)
				if data, _ := os.ReadFile(filepath.Join(outside, "file")); string(data) != "kept\n" || len(names) != 1 {
					t.Errorf("outside has %v, and the file has %q", names, data)
				}
			})
		}
	}
}

// What a program does in its own folder works as without confinement.
func TestConfinedChildWorks(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	const script = `set -e
mkdir -p a/b c; echo 1 >a/b/f; mv a/b/f c/g; ln c/g c/h; ln -s c/g l; echo 2 >>l; : >c/h; rm -r a
mkfifo p; touch t; chmod 600 t; cat $O/file >copy; echo x >/dev/null; ls / >/dev/null
sh -c 'echo $PPID' >pid; sleep 60 & kill $!; echo to the pipe >/dev/stdout`
	for kind, way := range ways(t) {
		t.Run(kind, func(t *testing.T) {
			inside, outside := confineDirs(t)
			way.Write = []string{inside, "/dev/null"}
			var out bytes.Buffer
			exit, err := p.Run(t.Context(), Spec{
				Argv: shell(strings.ReplaceAll(script, "$O", outside)), Dir: inside, Confine: &way, Stdout: &out, Stderr: &out,
			})
			if err != nil || !exit.OK() || out.String() != "to the pipe\n" {
				t.Errorf("%v, %v:\n%s", exit, err, out.String())
			}
		})
	}
}

// A path of the list that has become a symbolic link is left out: an agent that could replace it would
// choose what it may write.
func TestConfinedPathBecomesALink(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for kind, way := range ways(t) {
		t.Run(kind, func(t *testing.T) {
			inside, outside := confineDirs(t)
			link := filepath.Join(inside, "cache")
			if err := os.Symlink(outside, link); err != nil {
				t.Fatal(err)
			}
			way.Write = []string{inside, link, "/dev/null", filepath.Join(inside, "missing")}
			exit, err := p.Run(t.Context(), Spec{Argv: shell("echo x >" + outside + "/new"), Dir: inside, Confine: &way})
			if err != nil || exit.OK() {
				t.Errorf("got %v, %v", exit, err)
			}
		})
	}
}

// A keeper that has confined a child serves the next one freely, and ends a confined child's descendants.
func TestKeeperOfAConfinedChild(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for kind, way := range ways(t) {
		t.Run(kind, func(t *testing.T) {
			inside, outside := confineDirs(t)
			way.Write = []string{inside, "/dev/null"}
			pid := filepath.Join(inside, "pid")
			for range 20 { // more than the layers that Landlock allows: none is left behind
				if exit, err := p.Run(t.Context(), Spec{Argv: shell("true"), Dir: inside, Confine: &way}); err != nil || !exit.OK() {
					t.Fatal(exit, err)
				}
			}
			exit, err := p.Run(t.Context(), Spec{
				Argv: shell("trap '' TERM; setsid sleep 60 & echo >" + pid), Dir: inside, Confine: &way, Role: RoleAgent,
			})
			// A namespace of processes ends with its first one: nothing is left for the keeper.
			if err != nil || !exit.OK() || kind == Landlock && exit.Left != 1 {
				t.Errorf("got %+v, %v", exit, err)
			}
			if exit, err := p.Run(t.Context(), Spec{Argv: shell("echo x >" + outside + "/new")}); err != nil || !exit.OK() {
				t.Errorf("the next child: %v, %v", exit, err)
			}
		})
	}
}

// A confined child cannot end or stop what is outside: its keeper first of all.
func TestConfinedChildSendsNoSignals(t *testing.T) {
	t.Parallel()
	if abi := LandlockABI(); !DescribeLandlock(abi).Signals {
		t.Skipf("the kernel's Landlock (%d) does not cover signals", abi)
	}
	p := newPool(t)
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer bystander.Wait()
	defer bystander.Process.Kill()
	for kind, way := range ways(t) {
		t.Run(kind, func(t *testing.T) {
			inside, _ := confineDirs(t)
			way.Write = []string{inside, "/dev/null"}
			script := fmt.Sprintf("kill -STOP $PPID; kill -9 $PPID; kill -9 %d; kill -9 -1; true", bystander.Process.Pid)
			if kind == Bwrap {
				script = fmt.Sprintf("kill -9 %d; true", bystander.Process.Pid) // -1 is the first process of its own
			}
			exit, err := p.Run(t.Context(), Spec{Argv: shell(script), Dir: inside, Confine: &way})
			if err != nil || !exit.OK() || !alive(bystander.Process.Pid) {
				t.Errorf("got %v, %v", exit, err)
			}
		})
	}
}

// Bubblewrap hides a folder, but for what the child is to read or write in it.
func TestHiddenFolder(t *testing.T) {
	t.Parallel()
	way, ok := ways(t)[Bwrap]
	if !ok {
		t.Skip("bubblewrap is not installed, or may not make namespaces")
	}
	inside, outside := confineDirs(t)
	for _, name := range []string{"shown", "written"} {
		if err := os.MkdirAll(filepath.Join(outside, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	way.Write, way.Hide, way.Show = []string{inside, filepath.Dir(outside), outside + "/written"}, []string{outside}, []string{outside + "/shown"}
	var out bytes.Buffer
	script := "cd " + outside + "; ls; echo x >written/new; echo x >shown/new"
	exit, err := newPool(t).Run(t.Context(), Spec{Argv: shell(script), Dir: inside, Confine: &way, Stdout: &out})
	if err != nil || exit.OK() || out.String() != "shown\nwritten\n" {
		t.Errorf("%v, %v: %q", exit, err, out.String())
	}
	if _, err := os.Stat(outside + "/written/new"); err != nil {
		t.Error(err)
	}
}

func BenchmarkRunConfined(b *testing.B) {
	inside, _ := confineDirs(b)
	for kind, way := range ways(b) {
		way.Write = []string{
			inside, "/dev/null", "/tmp", "/var/tmp", "/dev", "/proc", "/usr", "/etc", "/home", "/root", "/opt", "/srv", "/mnt", "/usr/lib", "/usr/bin",
			"/usr/share", "/usr/local", "/var/lib", "/var/cache", "/var/log", "/run",
		}
		b.Run(kind, func(b *testing.B) {
			p := newPool(b)
			for b.Loop() {
				if exit, err := p.Run(b.Context(), Spec{Argv: []string{"true"}, Dir: inside, Confine: &way}); err != nil || !exit.OK() {
					b.Fatal(exit, err)
				}
			}
		})
	}
}
