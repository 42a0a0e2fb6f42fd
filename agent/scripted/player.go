package scripted

import (
	"cmp"
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
	"mulligan/internal/turnlog"
)

// A player plays one turn.
type player struct {
	agent        *Agent
	turn         mulligan.Turn
	conversation string
	taking       int              // 1 the first time that the turn is played
	log          *turnlog.Printer // behind the watch for silence
	reply        *agent.Reply
}

// A silenceWatch ends the turn when nothing was written for too long, except while the agent waits
// for a person.
type silenceWatch struct {
	io.Writer
	timer *time.Timer
	limit time.Duration
}

func newSilenceWatch(to io.Writer, limit time.Duration, asking func() bool, end func()) *silenceWatch {
	s := &silenceWatch{Writer: to, limit: limit}
	made := make(chan struct{})
	s.timer = time.AfterFunc(limit, func() {
		<-made
		if asking != nil && asking() {
			s.timer.Reset(limit)
			return
		}
		end()
	})
	close(made)
	return s
}

func (s *silenceWatch) Write(p []byte) (int, error) {
	s.timer.Reset(s.limit)
	return s.Writer.Write(p)
}

// A scriptError means that a script could not be played as it is written: the turn's fault, not
// mulligan's.
type scriptError struct{ reason string }

func (l *scriptError) Error() string { return l.reason }

// play performs the actions of the player's turn until one ends it.
func (p *player) play(ctx context.Context) (mulligan.Result, error) {
	actions, missing := p.agent.findTurn(p.turn)
	if missing != "" {
		return p.newResult(mulligan.Crashed, missing), nil
	}
	p.taking = p.agent.countTaking(p.turn)
	for _, a := range actions {
		if ctx.Err() != nil {
			return p.stoppedResult(ctx), nil
		}
		if end, ends := p.endingOf(a); ends {
			return end, nil
		}
		err := p.performAction(ctx, a)
		wrong, isScript := errors.AsType[*scriptError](err)
		switch {
		case isScript:
			return p.newResult(mulligan.Crashed, fmt.Sprintf("%s:%d: %s", p.agent.opt.Path, a.Line, wrong.reason)), nil
		case err != nil && ctx.Err() != nil:
			return p.stoppedResult(ctx), nil
		case err != nil:
			return mulligan.Result{}, err
		}
	}
	return p.newResult(mulligan.Finished, ""), nil
}

func (p *player) performAction(ctx context.Context, a Action) error {
	switch a.Do {
	case doSay:
		return p.say(ctx, a.Text)
	case doWrite, doAppend, doDelete:
		return p.changeFile(a)
	case doRun:
		return p.run(ctx, a.Text)
	case doTask, doNote, doAsk, doSummary, doComplete:
		return p.callTool(ctx, a)
	case doExpect:
		for _, want := range a.Wants {
			if !strings.Contains(p.turn.Prompt, want) {
				return &scriptError{fmt.Sprintf("the prompt lacks %q", want)}
			}
		}
	case doSleep:
		return sleep(ctx, a.For)
	case doHang:
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// endingOf returns the result of an action that ends the turn, and reports whether it does so in
// this taking.
func (p *player) endingOf(a Action) (mulligan.Result, bool) {
	if a.Times > 0 && p.taking > a.Times {
		return mulligan.Result{}, false
	}
	reason, _, _ := strings.Cut(strings.TrimSpace(a.Text), "\n")
	var r mulligan.Result
	switch a.Do {
	case doFail:
		r = p.newResult(mulligan.Crashed, cmp.Or(reason, "failed by the script"))
	case doCrash:
		r = p.newResult(mulligan.Crashed, cmp.Or(reason, "exit status 1"))
	case doRefuse:
		r = p.newResult(mulligan.Refused, cmp.Or(reason, "the agent refused"))
	case doLimit:
		r = p.newResult(mulligan.AtLimit, cmp.Or(reason, "the agent reached a limit of its own"))
	case doUnavailable:
		r = p.newResult(mulligan.Unavailable, cmp.Or(reason, "the script says: "+a.Cause))
		r.Cause = mulligan.Cause(a.Cause)
	case doRateLimit:
		r = p.newResult(mulligan.RateLimited, cmp.Or(reason, fmt.Sprintf("rate limited for %s", a.For)))
		r.Until = time.Now().Add(a.For)
	default:
		return r, false
	}
	return r, true
}

// say writes a text line by line at the script's pace; it is the turn's message until the next
// text.
func (p *player) say(ctx context.Context, text string) error {
	p.reply = agent.NewReply()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for line := range strings.Lines(text) {
		io.WriteString(p.reply, line)
		p.log.Text(line)
		if err := sleep(ctx, p.agent.opt.Pace); err != nil {
			return err
		}
	}
	return nil
}

// changeFile changes a file of the workspace, and nothing outside of it: neither .. nor a link
// leads out.
func (p *player) changeFile(a Action) error {
	root, err := os.OpenRoot(p.turn.Dir)
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	defer root.Close()
	p.log.Call(string(a.Do), a.Path)
	err = applyChange(root, a)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the message has the operation and the path already
	}
	if err != nil {
		return &scriptError{fmt.Sprintf("%s %s: %v", a.Do, a.Path, err)}
	}
	return nil
}

func applyChange(root *os.Root, a Action) error {
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

// run runs a command as an agent's tool would: in its environment, and whatever its exit code, the
// turn continues.
func (p *player) run(ctx context.Context, command string) error {
	p.log.Call("run", strings.TrimSpace(command))
	// The filter goes before the marks of lines: it does not know a secret that they cut.
	out := p.agent.deps.Stream(outputWriter{p.log})
	defer p.log.EndLine()
	exit, err := p.agent.deps.RunTool(ctx, p.turn, process.Spec{
		Argv:   []string{"/bin/sh", "-c", command},
		Env:    p.agent.deps.Env(p.agent.spec, p.turn, p.conversation, agent.Variables{}),
		Stdout: out,
		Stderr: out,
	})
	out.Close()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &scriptError{fmt.Sprintf("run: %v", err)}
	case !exit.OK():
		p.log.Line("%s", exit)
	}
	return nil
}

// An outputWriter writes what a tool prints to the log.
type outputWriter struct{ log *turnlog.Printer }

func (w outputWriter) Write(p []byte) (int, error) {
	w.log.Output(string(p))
	return len(p), nil
}

// stoppedResult returns the result of a turn that was stopped.
func (p *player) stoppedResult(ctx context.Context) mulligan.Result {
	if limit, ok := errors.AsType[limitError](context.Cause(ctx)); ok {
		return p.newResult(mulligan.TimedOut, string(limit))
	}
	return p.newResult(mulligan.Cancelled, "")
}

// newResult returns a result with what was said so far as its message.
func (p *player) newResult(ending mulligan.Ending, reason string) mulligan.Result {
	r := mulligan.Result{Ending: ending, Reason: reason, Conversation: p.conversation}
	r.Message, r.MessageCut = p.reply.Message()
	return r
}

// sleep waits for a duration, or returns the error of ctx if that ends before.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
