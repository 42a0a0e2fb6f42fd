package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/turnlog"
	"mulligan/internal/usererror"
	"mulligan/view"
	"mulligan/view/plain"
)

func newShow(a *App) *cobra.Command {
	var opt showOptions
	cmd := &cobra.Command{
		Use:   "show [SESSION] [TURN]",
		Short: "Show what the agent said and did: its words, its tool calls and their commands",
		Long: `Show prints the turns of a session: the first lines of the prompt, the agent's words, its tool
calls with the command or the path, the first lines of what each tool printed, how the turn ended
and what it used. With a number it is that turn alone; turns are counted over the session.

Of a long turn it prints the first and the last lines, and names the file that has all of them;
--all prints all of them. What aider or an agent of type ` + "`program`" + ` prints counts as its words.
docs/json.md describes the shape of --json.

` + sessionWords,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, turn, err := splitTurn(args)
			if err != nil {
				return err
			}
			opt.Turn = turn
			return a.show(cmd.Context(), session, opt)
		},
	}
	cmd.Flags().BoolVar(&opt.All, "all", false, "print every line of a turn, however many there are")
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print JSON lines")
	return cmd
}

// showOptions are the flags and arguments of `show`.
type showOptions struct {
	Turn int // 0: all
	All  bool
	JSON bool
}

// splitTurn tells a session from the number of a turn if only one is given. number is 0 if none is.
func splitTurn(args []string) (session string, number int, err error) {
	given := ""
	switch {
	case len(args) == 2:
		session, given = args[0], args[1]
	case len(args) == 1 && attemptNumber().MatchString(args[0]):
		given = args[0]
	default:
		return firstArg(args), 0, nil
	}
	if number, err = strconv.Atoi(given); err != nil || number < 1 {
		return "", 0, usererror.Usage(fmt.Sprintf("%q is not the number of a turn", given), "turns are 1, 2 …, counted over the session")
	}
	return session, number, nil
}

// show prints the turns of a session, one by one as the journal has them.
func (a *App) show(ctx context.Context, given string, opt showOptions) error {
	store, s, err := a.client().OpenRecord(ctx, given)
	if err != nil {
		return err
	}
	defer store.Close()
	shower := &turnShower{app: a, opt: opt, model: view.NewModel()}
	if err := showEach(store.Read(ctx, s.ID, 1), shower.take); err != nil {
		return err
	}
	shower.finish(nil) // a turn that has not ended
	switch {
	case shower.err != nil:
		return shower.err
	case shower.shown > 0:
	case opt.Turn > 0:
		return usererror.Usage(fmt.Sprintf("session %s has no turn %d: it has had %d", s.ID, opt.Turn, shower.turns), "")
	default:
		a.printNotice(fmt.Sprintf("session %s has had no turn", s.ID))
	}
	return nil
}

// A turnShower prints turns while it takes the events of a session.
type turnShower struct {
	app   *App
	opt   showOptions
	model *view.Model
	open  *openTurn // the turn that has begun
	turns int
	shown int
	err   error
}

// An openTurn is a turn that has begun.
type openTurn struct {
	plain.ShownTurn
	log string
	raw bool // the log has no marks
}

// take takes the next event.
func (t *turnShower) take(e mulligan.Event) {
	t.model.Apply(e)
	switch b := e.Body.(type) {
	case mulligan.TurnStarted:
		if t.open != nil && t.open.Number != b.Turn {
			t.finish(nil)
		}
		t.turns = max(t.turns, b.Turn)
		t.open = t.openTurn(b)
	case mulligan.TurnEnded:
		t.finish(&b)
	}
}

// openTurn returns a turn with what the session's state tells of it.
func (t *turnShower) openTurn(b mulligan.TurnStarted) *openTurn {
	o := &openTurn{log: b.Log, ShownTurn: plain.ShownTurn{Number: b.Turn, Agent: b.Agent, Purpose: b.Purpose, Prompt: b.Prompt}}
	state := t.model.State()
	o.raw = view.WritesRawLog(state, b.Agent)
	o.Step, o.Attempt = view.Place(state)
	return o
}

// finish prints the open turn, if there is one and it is wanted. end is nil if it has not ended.
func (t *turnShower) finish(end *mulligan.TurnEnded) {
	o := t.open
	t.open = nil
	if o == nil || t.err != nil || t.opt.Turn > 0 && t.opt.Turn != o.Number {
		return
	}
	t.shown++
	if t.opt.JSON {
		t.printJSON(o, end)
		return
	}
	if t.shown > 1 {
		fmt.Fprintln(t.app.Stdout)
	}
	plain.Turn(t.app.Stdout, o.ShownTurn, t.app.lineOptions())
	w := plain.NewWorkWriter(t.app.Stdout, o.Agent, t.app.lineOptions())
	note, err := t.readWork(o, w.Line, w.Gap)
	t.err = err
	if note != "" {
		t.app.printNotice(note)
	}
	if end != nil {
		w.End(*end)
	} else if err == nil {
		fmt.Fprintln(t.app.Stdout, "the turn has not ended")
	}
}

// readWork passes the lines of a turn's log on, and tells where lines are left out. note tells of a log
// that is not there.
func (t *turnShower) readWork(o *openTurn, line func(turnlog.Line), gap func(int64, string)) (note string, err error) {
	limit := int64(windowLines)
	if t.opt.All {
		limit = 0
	}
	err = readLog(o.log, o.raw, limit, line, gap)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("what the agent printed in turn %d is not there: %s", o.Number, o.log), nil
	}
	return "", err
}

// printJSON prints a turn as JSON lines.
func (t *turnShower) printJSON(o *openTurn, end *mulligan.TurnEnded) {
	out := json.NewEncoder(t.app.Stdout)
	out.SetEscapeHTML(false)
	put := func(kind string, more map[string]any) {
		more["turn"], more["kind"] = o.Number, kind
		if err := out.Encode(more); err != nil && t.err == nil {
			t.err = err
		}
	}
	put("turn", map[string]any{
		"step": o.Step, "attempt": o.Attempt, "agent": o.Agent, "purpose": string(o.Purpose), "prompt": o.Prompt, "log": o.log,
	})
	joined := callJoiner{put: func(l turnlog.Line) {
		fields := map[string]any{"text": strings.ToValidUTF8(l.Text, "\uFFFD")}
		if l.Cut {
			fields["cut"] = true
		}
		put(string(l.Kind), fields)
	}}
	note, err := t.readWork(o, joined.add, func(missing int64, path string) {
		joined.flush()
		put("left_out", map[string]any{"lines": missing, "log": path})
	})
	joined.flush()
	if t.err == nil {
		t.err = err
	}
	if note != "" {
		t.app.printNotice(note)
	}
	if end != nil {
		fields := map[string]any{
			"ending": end.Result.Ending, "reason": end.Result.Reason, "duration": end.Duration, "usage": end.Result.Usage,
		}
		if len(end.Result.Denied) > 0 {
			fields["denied"] = end.Result.Denied
		}
		if len(end.Result.Refused) > 0 {
			fields["refused"] = end.Result.Refused
		}
		put("end", fields)
	}
}

// A callJoiner makes one line of a call whose command has several.
type callJoiner struct {
	put  func(turnlog.Line)
	call *turnlog.Line
}

// maxJoined is how many bytes of a call are joined at most.
const maxJoined = 64 << 10

func (j *callJoiner) add(l turnlog.Line) {
	if l.More && j.call != nil && len(j.call.Text) < maxJoined {
		j.call.Text += "\n" + l.Text
		return
	}
	j.flush()
	if l.Kind == turnlog.Call {
		j.call = &l
		return
	}
	j.put(l)
}

func (j *callJoiner) flush() {
	if j.call != nil {
		j.put(*j.call)
		j.call = nil
	}
}
