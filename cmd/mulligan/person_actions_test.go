package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// act does one thing that a person may do.
func (p *person) act() {
	idle := []func(){
		p.run, p.run, p.run, p.resume, p.resume, p.resume, p.edit, p.edit, p.edit, p.edit, p.commit, p.commit,
		p.switchBranch, p.switchBranch, p.take, p.take, p.tell, p.answer, p.stop, p.stash,
	}
	busy := []func(){
		p.stop, p.stop, p.stop, p.kill, p.kill, p.kill, func() { p.finish(p.pick("pass", "pass", "fail", "clash", "ask", "crash")) },
		p.edit, p.tell, p.answer, p.commit, p.take, p.resume,
	}
	actions := idle
	if p.busy != nil {
		actions = busy
	}
	actions[p.random.IntN(len(actions))]()
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
		p.refused(argv) // a session works here
		return
	}
	p.must(os.WriteFile(filepath.Join(p.dir, "mode"), []byte(mode+"\n"), 0o644))
	for _, name := range []string{"turn", "go"} {
		os.Remove(filepath.Join(p.dir, name))
	}
	p.note("   the agent will %s, on %s", mode, p.head())
	was, head := p.takePicture(), p.head()
	s := p.start(argv...)
	for end := time.Now().Add(longestWait); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.done:
			p.ended(s, was, head)
			return
		default:
		}
		if _, err := os.Stat(filepath.Join(p.dir, "turn")); err == nil && mode == "wait" {
			p.note("   mulligan %s is in a turn", strings.Join(argv, " "))
			p.busy, p.busyHead = s, head
			return
		}
	}
	p.ended(s, was, head)
}

// ended checks how a command that worked on a session left the checkout. head is where HEAD was before.
func (p *person) ended(s *started, was picture, head string) {
	p.t.Helper()
	code := p.wait(s)
	if code == 2 || code == 8 {
		p.checkUntouched(was, s.argv)
		return
	}
	p.checkHead(s, code, head)
}

// checkHead checks that HEAD is where W1 wants it after an orderly end.
func (p *person) checkHead(s *started, code int, head string) {
	p.t.Helper()
	branch, at := p.meet(s, head)
	if at == nil {
		return // no session ran, or it had no branch of its own
	}
	if code == 5 || code < 0 || at.carried {
		return // it stays
	}
	if now := p.head(); now != at.origin {
		p.t.Errorf("mulligan %s ended with %d and HEAD is on %s, not on %s, where the session on %s began", strings.Join(s.argv, " "), code, now, at.origin, branch)
	}
}

// meet notes where a session that a mulligan runs began, or was resumed from another branch: there the checkout is given
// back. It returns the session's branch, and nil if none runs on a branch of its own.
func (p *person) meet(s *started, head string) (string, *place) {
	found := branchLine.FindStringSubmatch(s.said())
	if found == nil {
		return "", nil
	}
	at := p.sessions[found[1]]
	if at == nil {
		at = &place{origin: head}
		p.sessions[found[1]] = at
	} else if head != found[1] {
		at.origin = head
	}
	at.carried = at.carried || strings.Contains(s.said(), "taken along")
	return found[1], at
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
	p.ended(s, p.takePicture(), p.busyHead)
}

// stop stops a session, or gives the checkout of a killed one back.
func (p *person) stop() {
	if p.busy == nil {
		p.refused([]string{"stop"})
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
	p.meet(s, p.busyHead)
	p.note("   kill -9")
	s.kill()
	<-s.done
	p.wait(s)
}

// refused gives a command that may be refused, and then changes nothing.
func (p *person) refused(argv []string) {
	p.t.Helper()
	was := p.takePicture()
	if code := p.wait(p.start(argv...)); code != 0 && p.busy == nil {
		p.checkUntouched(was, argv)
	}
}

// edit writes a line that nobody else has, to a file of theirs, which git tracks, or to a new one.
func (p *person) edit() {
	text := fmt.Sprintf("written-%d-%d-", p.seed, len(p.written)+1)
	file := p.pick("README", "README", "src/a.txt", "mulligan.yaml", "check.sh", "notes.txt", "notes.txt", "new/deep/b.txt", "tasks/t.md")
	if p.one(3) {
		file = fmt.Sprintf("mine-%d", len(p.written)+1)
	}
	path := filepath.Join(p.dir, "proj", file)
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
	if p.busy != nil && !p.one(2) {
		return
	}
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
	var all []string
	for name := range p.tips {
		all = append(all, name)
	}
	slices.Sort(all)
	to := p.pick(append(all, "main", "main")...)
	_, err := p.tryGit("switch", "-q", to)
	p.note("   switch to %s: %v", to, err)
}

// take makes a branch of what a session left, or of an attempt.
func (p *person) take() { p.refused([]string{"take", p.pick("left", "1-after", "1")}) }

// tell says something to the agent.
func (p *person) tell() { p.refused([]string{"tell", "-", "Mind", "the", "gap."}) }

// answer answers a question, if there is one.
func (p *person) answer() { p.refused([]string{"answer", "8080"}) }
