package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/journal/jetstream"
	"mulligan/task"
	"mulligan/task/door"
)

// attendance is how long a viewer counts as there after its last word.
const attendance = 6 * time.Second

// A desk answers what others bring to a session that this process runs: agents through their
// door, people through the control channel.
type desk struct {
	*job
	stop  context.CancelCauseFunc
	seen  atomic.Int64 // when a viewer last said that it watches, in nanoseconds
	clock mulligan.Clock
}

// verb answers one word of the control channel. What has arguments is a JSON object.
func (d *desk) verb(ctx context.Context, verb string) (string, error) {
	switch verb {
	case "ping":
		return fmt.Sprint(os.Getpid()), nil
	case "stop":
		d.stop(&mulligan.Interruption{By: "mulligan stop"})
		return "stopping", nil
	case "stop-now":
		time.AfterFunc(50*time.Millisecond, d.abandon) // after the answer is out
		return "stopping at once", nil
	case "watching":
		d.saw()
		return "", nil
	}
	if !strings.HasPrefix(verb, "{") {
		return "", fmt.Errorf("this session does not know %q", verb)
	}
	var r task.Request
	if err := json.Unmarshal([]byte(verb), &r); err != nil {
		return "", err
	}
	reply, err := d.person(ctx, r)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(reply)
	return string(text), err
}

func (d *desk) saw() { d.seen.Store(d.clock.Now().UnixNano()) }

// attended says whether a person watches.
func (d *desk) attended() bool {
	return d.clock.Now().Sub(time.Unix(0, d.seen.Load())) < attendance
}

// person does what a person wants of the session.
func (d *desk) person(ctx context.Context, r task.Request) (reply any, err error) {
	err = d.session.Do(ctx, func(st *mulligan.State) (bodies []mulligan.Body, err error) {
		bodies, reply, err = personal(st, r, d.clock.Now())
		return bodies, err
	})
	return reply, err
}

// agent does what an agent wants of the session. It is told by a refusal what went wrong.
func (d *desk) agent(ctx context.Context, r task.Request) (reply any, err error) {
	switch r.Tool {
	case task.ToolPermit:
		return d.permit(ctx, r)
	case toolHook:
		return d.hook(ctx, r)
	}
	r.Args = d.plain(r.Args)
	if r.Tool == task.ToolAsk {
		return d.ask(ctx, r)
	}
	err = d.session.Do(ctx, func(st *mulligan.State) (bodies []mulligan.Body, err error) {
		bodies, reply, err = task.Apply(st, r)
		return bodies, err
	})
	if errors.Is(err, mulligan.ErrOver) {
		err = &task.Refusal{Message: "the session is over"}
	}
	return reply, err
}

// plain takes secrets out of what an agent says, as the journal does: the same words twice, a
// question or a task, are then known to be the same.
func (d *desk) plain(args json.RawMessage) json.RawMessage {
	if clean := json.RawMessage(d.app.Secrets.String(string(args))); json.Valid(clean) {
		return clean
	}
	return args
}

func (d *desk) ask(ctx context.Context, r task.Request) (any, error) {
	args, err := task.DecodeAsk(r.Args)
	if err != nil {
		return nil, err
	}
	q, err := d.session.Ask(ctx, mulligan.Question{Text: args.Question, Options: args.Options, Default: args.Default, Asker: "agent"})
	if err != nil {
		return nil, err
	}
	answer := task.Answer{Answer: q.Answer, By: q.By}
	if q.Assumed() {
		answer.Hint = "nobody answered: keep the assumption that you make as a note of the type assumption (note_add)"
	}
	return answer, nil
}

// permit asks a person whether the agent may do something.
func (d *desk) permit(ctx context.Context, r task.Request) (any, error) {
	q, err := task.DecodePermit(r.Args)
	if err != nil {
		return nil, err
	}
	q, err = d.session.Ask(ctx, q)
	return task.Answer{Answer: q.Answer, By: q.By}, err
}

// What a person can do besides what agents can.
const (
	toolTell   = "tell"
	toolPause  = "pause"
	toolAnswer = "answer"
)

type (
	tellArgs   struct{ Text string }
	answerArgs struct {
		ID   int
		Text string
	}
)

// personal is what a person's request says in a session.
func personal(st *mulligan.State, r task.Request, now time.Time) ([]mulligan.Body, any, error) {
	switch r.Tool {
	case toolTell:
		var args tellArgs
		err := json.Unmarshal(r.Args, &args)
		return []mulligan.Body{mulligan.Told{Text: args.Text}}, nil, err
	case toolPause:
		if st.Pausing != "" {
			return nil, nil, nil
		}
		return []mulligan.Body{mulligan.PauseAsked{By: "mulligan pause"}}, nil, nil
	case toolAnswer:
		var args answerArgs
		if err := json.Unmarshal(r.Args, &args); err != nil {
			return nil, nil, err
		}
		a, err := st.AnswerTo(args.ID, args.Text, now)
		if err != nil {
			return nil, nil, err
		}
		return []mulligan.Body{a}, a.ID, nil
	}
	return task.Apply(st, r)
}

// openDoor opens the agents' door to a session.
func (j *job) openDoor(d *desk) (*door.Door, error) {
	run, err := jetstream.RuntimeDir()
	if err != nil {
		return nil, err
	}
	tidyDoors(run)
	folder := filepath.Join(run, "door-"+strconv.Itoa(os.Getpid()))
	opened, err := door.Listen(folder, d.agent)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		opened.Close()
		return nil, err
	}
	j.session.ToolEnv = append(opened.Env(), "MULLIGAN="+self)
	return opened, nil
}

// tidyDoors clears away the doors of processes that were killed.
func tidyDoors(run string) {
	folders, _ := filepath.Glob(filepath.Join(run, "door-*"))
	for _, folder := range folders {
		_, number, _ := strings.Cut(filepath.Base(folder), "-")
		if pid, err := strconv.Atoi(number); err == nil && !process.Alive(pid) {
			os.RemoveAll(folder) // what stays is tried again by the next
		}
	}
}
