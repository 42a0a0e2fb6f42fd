package scripted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// A player plays one turn.
type player struct {
	agent        *Agent
	turn         mulligan.Turn
	conversation string
	taking       int // 1 the first time that the turn is played
	log          *agent.Log
	out          io.Writer // the log, and whoever listens for silence
	reply        *agent.Reply
}

// A silence ends the turn when it has lasted for too long, but for the time that the agent
// waits for a person.
type silence struct {
	timer *time.Timer
	most  time.Duration
}

func newSilence(most time.Duration, asking func() bool, end func()) *silence {
	s := &silence{most: most}
	made := make(chan struct{})
	s.timer = time.AfterFunc(most, func() {
		<-made
		if asking != nil && asking() {
			s.broken()
			return
		}
		end()
	})
	close(made)
	return s
}

func (s *silence) broken() { s.timer.Reset(s.most) }

// heard tells of every write, so that silence can be told.
type heard struct {
	io.Writer
	tell func()
}

func (h heard) Write(p []byte) (int, error) {
	h.tell()
	return h.Writer.Write(p)
}

// errStopped says that ctx ended while the turn was played.
var errStopped = errors.New("the turn was stopped")

// A lapse is a script that could not be played as it is written: the turn's fault, not
// mulligan's.
type lapse struct{ reason string }

func (l *lapse) Error() string { return l.reason }

func (p *player) play(ctx context.Context, actions Turn) (mulligan.Result, error) {
	for _, a := range actions {
		if ctx.Err() != nil {
			return mulligan.Result{}, errStopped
		}
		if end, ends := p.ending(a); ends {
			return end, nil
		}
		err := p.act(ctx, a)
		var wrong *lapse
		if errors.As(err, &wrong) {
			return p.result(mulligan.Crashed, fmt.Sprintf("%s:%d: %s", p.agent.opt.Path, a.Line, wrong.reason)), nil
		}
		if err != nil {
			return mulligan.Result{}, err
		}
	}
	return p.result(mulligan.Finished, ""), nil
}

func (p *player) act(ctx context.Context, a Action) error {
	switch a.Do {
	case doSay:
		return p.say(ctx, a.Text)
	case doWrite, doAppend, doDelete:
		return p.touch(a)
	case doRun:
		return p.run(ctx, a.Text)
	case doTask, doNote, doAsk, doSummary, doComplete:
		return p.tool(ctx, a)
	case doExpect:
		return p.expect(a.Wants)
	case doSleep:
		return wait(ctx, a.For)
	case doHang:
		<-ctx.Done()
		return errStopped
	}
	return nil
}

// ending is the result of an action that ends the turn, where it applies to this taking.
func (p *player) ending(a Action) (mulligan.Result, bool) {
	if a.Times > 0 && p.taking > a.Times {
		return mulligan.Result{}, false
	}
	var r mulligan.Result
	switch a.Do {
	case doFail:
		r = p.result(mulligan.Crashed, or(a.Text, "failed by the script"))
	case doCrash:
		r = p.result(mulligan.Crashed, or(a.Text, "exit status 1"))
	case doRefuse:
		r = p.result(mulligan.Refused, or(a.Text, "the agent refused"))
	case doLimit:
		r = p.result(mulligan.AtLimit, or(a.Text, "the agent reached a limit of its own"))
	case doUnavailable:
		r = p.result(mulligan.Unavailable, or(a.Text, "the script says: "+a.Cause))
		r.Cause = mulligan.Cause(a.Cause)
	case doRateLimit:
		r = p.result(mulligan.RateLimited, or(a.Text, fmt.Sprintf("rate limited for %s", a.For)))
		r.Until = time.Now().Add(a.For)
	default:
		return r, false
	}
	return r, true
}

func or(text, otherwise string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return otherwise
	}
	return line
}

// say streams a text line by line at the script's pace; it is the turn's message until
// something else is said.
func (p *player) say(ctx context.Context, text string) error {
	p.reply = agent.NewReply()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for line := range strings.Lines(text) {
		io.WriteString(p.reply, line)
		io.WriteString(p.out, line)
		if err := wait(ctx, p.agent.opt.Pace); err != nil {
			return err
		}
	}
	return nil
}

// touch changes a file of the workspace, and of nowhere else: neither .. nor a link
// leads out of it.
func (p *player) touch(a Action) error {
	root, err := os.OpenRoot(p.turn.Dir)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	defer root.Close()
	fmt.Fprintf(p.out, "[%s %s]\n", a.Do, a.Path)
	if err := change(root, a); err != nil {
		return &lapse{fmt.Sprintf("%s %s: %s", a.Do, a.Path, reason(err))}
	}
	return nil
}

func change(root *os.Root, a Action) error {
	path := filepath.Clean(a.Path)
	if a.Do == doDelete {
		if _, err := root.Lstat(path); err != nil {
			return err
		}
		return root.RemoveAll(path)
	}
	if err := root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if a.Do == doAppend {
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	f, err := root.OpenFile(path, flag, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(a.Content)
	if a.Mode != 0 {
		err = errors.Join(err, f.Chmod(fs.FileMode(a.Mode)))
	}
	return errors.Join(err, f.Close())
}

// reason is what went wrong without the operation and path, which the message has already.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// run runs a command as an agent's tool would: in its environment, and what it comes to
// is the command's own affair.
func (p *player) run(ctx context.Context, command string) error {
	fmt.Fprintf(p.out, "[run %s]\n", command)
	exit, err := p.agent.deps.Pool.Run(ctx, process.Spec{
		Argv:   []string{"/bin/sh", "-c", command},
		Dir:    p.turn.Dir,
		Env:    p.agent.deps.Env(p.agent.spec, p.turn, p.conversation, agent.Variables{}),
		Stdout: p.out,
		Stderr: p.out,
		Agent:  true,
	})
	switch {
	case ctx.Err() != nil:
		return errStopped
	case err != nil:
		return &lapse{fmt.Sprintf("run: %v", err)}
	case !exit.OK():
		fmt.Fprintf(p.out, "[%s]\n", exit)
	}
	return nil
}

func (p *player) expect(wants []string) error {
	for _, want := range wants {
		if !strings.Contains(p.turn.Prompt, want) {
			return &lapse{fmt.Sprintf("the prompt lacks %q", want)}
		}
	}
	return nil
}

// stopped is the result of a turn that did not come to its end.
func (p *player) stopped(cause error) mulligan.Result {
	switch {
	case errors.Is(cause, errTimedOut):
		return p.result(mulligan.TimedOut, fmt.Sprintf("timed out after %s", p.agent.spec.Timeout))
	case errors.Is(cause, errSilent):
		return p.result(mulligan.TimedOut, fmt.Sprintf("silent for %s", p.agent.spec.IdleTimeout))
	}
	return p.result(mulligan.Cancelled, "")
}

func (p *player) result(ending mulligan.Ending, reason string) mulligan.Result {
	r := mulligan.Result{Ending: ending, Reason: reason, Conversation: p.conversation}
	r.Message, r.MessageCut = p.reply.Message()
	return r
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errStopped
	}
}
