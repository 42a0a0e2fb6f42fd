package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// act does one thing that a person may do.
func (p *person) act() {
	commands := []func(){p.run, p.run, p.run, p.run, p.run, p.run, p.resume, p.resume, p.resume, p.take, p.tell, p.answer, p.stop}
	if p.busy != nil {
		commands = []func(){
			p.stop, p.stop, p.stop, p.kill, p.kill, p.kill, func() { p.finish(p.pick("pass", "pass", "fail", "clash", "ask", "crash")) },
			p.tell, p.answer, p.take, p.resume,
		}
	}
	own := []func(){
		p.edit, p.edit, p.edit, p.edit, p.commit, p.commit, p.switchBranch, p.switchBranch, p.stash, p.rebase, p.deleteBranch, p.collect, p.move,
	}
	if p.random.IntN(len(commands)+len(own)) < len(commands) {
		commands[p.random.IntN(len(commands))]()
		return
	}
	p.checkFolder() // what is under way has not touched it
	own[p.random.IntN(len(own))]()
	p.own()
}

// pick draws one of some words.
func (p *person) pick(words ...string) string { return words[p.random.IntN(len(words))] }

// one reports, once in n times, true.
func (p *person) one(n int) bool { return p.random.IntN(n) == 0 }

// run begins a task, or runs it again.
func (p *person) run() {
	argv := []string{"run", p.pick("tasks/t.md", "tasks/u.md")}
	if p.one(6) {
		argv = append(argv, "--restart")
	}
	p.work(argv)
}

func (p *person) resume() { p.work([]string{"resume"}) }

// work runs a command that works on a session, to its end or into a turn that waits.
func (p *person) work(argv []string) {
	if p.one(3) {
		argv = append(argv, "--carry")
	}
	mode := p.pick("wait", "wait", "wait", "wait", "wait", "pass", "pass", "fail", "clash", "ask")
	if p.busy != nil {
		p.wait(p.start(argv...)) // a session works here: it is refused, or a second one runs beside it
		return
	}
	p.must(os.WriteFile(filepath.Join(p.dir, "mode"), []byte(mode+"\n"), 0o644))
	for _, name := range []string{"turn", "go"} {
		os.Remove(filepath.Join(p.dir, name))
	}
	p.note("   the agent will %s, on %s", mode, p.head())
	s := p.start(argv...)
	for end := time.Now().Add(longestWait); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.done:
			p.wait(s)
			return
		default:
		}
		if _, err := os.Stat(filepath.Join(p.dir, "turn")); err == nil && mode == "wait" {
			p.note("   mulligan %s is in a turn", strings.Join(argv, " "))
			p.busy, p.busyName = s, p.name
			return
		}
	}
	p.wait(s)
}

// finish lets the agent's turn come to its end.
func (p *person) finish(how string) {
	p.note("   the agent will %s", how)
	p.must(os.WriteFile(filepath.Join(p.dir, "mode"), []byte(how+"\n"), 0o644))
	p.must(os.WriteFile(filepath.Join(p.dir, "go.new"), []byte(how+"\n"), 0o644))
	p.must(os.Rename(filepath.Join(p.dir, "go.new"), filepath.Join(p.dir, "go")))
	p.join()
}

// join waits until the mulligan that was in a turn has ended.
func (p *person) join() {
	p.t.Helper()
	s := p.busy
	p.busy = nil
	p.wait(s)
}

// stop stops a session, also one that was killed.
func (p *person) stop() {
	switch {
	case p.busy == nil:
		p.wait(p.start("stop"))
		return
	case p.busyName != p.name: // it is the session of another repository
		p.finish("pass")
		return
	}
	// A last turn may deliver what is pending; it does not wait.
	p.must(os.WriteFile(filepath.Join(p.dir, "mode"), []byte("pass\n"), 0o644))
	p.wait(p.start("stop"))
	p.join()
}

// kill ends mulligan in a turn with SIGKILL.
func (p *person) kill() {
	s := p.busy
	p.busy = nil
	p.note("   kill -9")
	s.kill()
	<-s.done
	p.wait(s)
}

// edit writes a line that nobody else has, to a file of theirs, which git tracks, or to a new one.
func (p *person) edit() {
	text := fmt.Sprintf("written-%d-%d-", p.seed, len(p.written)+1)
	file := p.pick("README", "README", "src/a.txt", "mulligan.yaml", "check.sh", "notes.txt", "notes.txt", "new/deep/b.txt", "tasks/t.md")
	if p.one(3) {
		file = fmt.Sprintf("mine-%d", len(p.written)+1)
	}
	path := filepath.Join(p.root(), file)
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		p.must(err)
	}
	row := "# " + text + "\n"
	now := string(old) + row
	if len(old) > 0 && p.one(3) && file != "mulligan.yaml" && file != "tasks/t.md" {
		now = row + string(old)
	}
	p.must(os.WriteFile(path, []byte(now), 0o644))
	p.written = append(p.written, line{text: text, file: file})
	p.note("   %s gets %s, on %s", file, text, p.head())
}

// commit commits all that is there, or one file.
func (p *person) commit() {
	if p.one(3) {
		p.git("add", "-u")
	} else {
		p.git("add", "-A")
	}
	_, err := p.tryGit("commit", "-q", "-m", "by hand")
	p.note("   commit on %s: %v", p.head(), err)
}

// stash puts the person's work into their stash.
func (p *person) stash() {
	_, err := p.tryGit("stash", "-q", "-u")
	p.note("   stash: %v", err)
}

// switchBranch switches to another branch, if git lets them.
func (p *person) switchBranch() {
	all := strings.Fields(p.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"))
	to := p.pick(append(all, "main", "main")...)
	_, err := p.tryGit("switch", "-q", to)
	p.note("   switch to %s: %v", to, err)
}

// rebase puts the branch that the person is on on top of another one, if git lets them.
func (p *person) rebase() {
	onto := p.pick("main", "other")
	_, err := p.tryGit("rebase", "-q", onto)
	p.note("   rebase %s on %s: %v", p.head(), onto, err)
	if err != nil {
		_, _ = p.tryGit("rebase", "--abort")
	}
}

// deleteBranch deletes a branch of a session.
func (p *person) deleteBranch() {
	all := slices.Sorted(maps.Keys(p.listTips()))
	if len(all) == 0 {
		return
	}
	name := strings.TrimPrefix(p.pick(all...), "refs/heads/")
	_, err := p.tryGit("branch", "-D", name)
	p.note("   delete %s: %v", name, err)
}

// collect throws away every object that git does not need.
func (p *person) collect() {
	p.note("   gc")
	p.git("reflog", "expire", "--expire=now", "--all")
	p.git("gc", "-q", "--prune=now")
}

// move gives the repository's folder another name, or its first one again.
func (p *person) move() {
	if !p.one(3) { // what was begun is in the other place
		p.edit()
		return
	}
	to := "moved"
	if p.name == to {
		to = "proj"
	}
	p.note("   the repository is now in %s", to)
	p.must(os.Rename(p.root(), filepath.Join(p.dir, to)))
	p.name = to
}

// take makes a branch of what a session left, or of an attempt.
func (p *person) take() { p.wait(p.start("take", p.pick("left", "1-after", "1"))) }

// tell says something to the agent.
func (p *person) tell() { p.wait(p.start("tell", "-", "Mind", "the", "gap.")) }

// answer answers a question, if there is one.
func (p *person) answer() { p.wait(p.start("answer", "8080")) }
