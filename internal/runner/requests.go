package runner

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
	"mulligan/internal/protocol"
	"mulligan/journal/jetstream"
	"mulligan/loop"
	"mulligan/state"
	"mulligan/task"
	"mulligan/task/door"
)

// viewerPresence is how long a viewer counts as present after it last said that it watches.
const viewerPresence = 6 * time.Second

// A requestHandler answers what others ask of a session that this process runs: agents through their
// door, people through the control channel.
type requestHandler struct {
	*job
	stop context.CancelCauseFunc
	seen atomic.Int64 // when a viewer last said that it watches, in nanoseconds

	stopping atomic.Bool // a person has stopped the session

	claims claimDesk
}

// answer answers one text of the control channel: a protocol.Verb, or a task.Request as a JSON object.
func (h *requestHandler) answer(ctx context.Context, text string) (string, error) {
	switch protocol.Verb(text) {
	case protocol.Ping:
		if h.stopping.Load() {
			return protocol.Stopping, nil
		}
		return fmt.Sprint(os.Getpid()), nil
	case protocol.Stop:
		h.stopping.Store(true)
		h.stop(&loop.Interruption{By: "mulligan stop"})
		return protocol.Stopping, nil
	case protocol.StopNow:
		time.AfterFunc(50*time.Millisecond, h.abandon) // after the answer is out
		return "stopping at once", nil
	case protocol.Watching:
		h.noteViewer()
		return "", nil
	case protocol.AskLastTurn:
		return h.describeLastTurn(ctx)
	}
	if !strings.HasPrefix(text, "{") {
		return "", fmt.Errorf("this session does not know %q", text)
	}
	var request task.Request
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return "", err
	}
	reply, err := h.answerPerson(ctx, request)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(reply)
	return string(data), err
}

// describeLastTurn returns the turn that would follow if a person stopped the session now. A session
// that is busy with something of its own is not waited for longer than a person would notice.
func (h *requestHandler) describeLastTurn(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var last protocol.LastTurn
	err := h.session.Do(ctx, func(st *state.State) ([]mulligan.Body, error) {
		last.Texts, last.Within = st.LastTurnIfStopped()
		return nil, nil
	})
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(last)
	return string(data), err
}

// noteViewer notes that a person watches now.
func (h *requestHandler) noteViewer() { h.seen.Store(h.Env.SessionClock().Now().UnixNano()) }

// isAttended reports whether a person watches.
func (h *requestHandler) isAttended() bool {
	return h.Env.SessionClock().Now().Sub(time.Unix(0, h.seen.Load())) < viewerPresence
}

// answerPerson does what a person wants of the session.
func (h *requestHandler) answerPerson(ctx context.Context, request task.Request) (reply any, err error) {
	err = h.session.Do(ctx, func(st *state.State) (bodies []mulligan.Body, err error) {
		bodies, reply, err = protocol.Apply(st, request, h.Env.SessionClock().Now())
		return bodies, err
	})
	return reply, err
}

// answerCaller does what a caller of the door wants, as far as its role may. A *task.Refusal tells the caller
// what went wrong.
func (h *requestHandler) answerCaller(ctx context.Context, role process.Role, request task.Request) (any, error) {
	request.ID = "" // only a person's command outlives this process, and asks another one
	if role != process.RoleAgent {
		return h.answerCommand(ctx, role, request)
	}
	if isClaim(request) {
		if err := h.requireTurn(ctx); err != nil {
			return nil, err
		}
	}
	return h.answerAgent(ctx, request)
}

// answerAgent does what an agent wants of the session. A *task.Refusal tells the agent what went wrong.
func (h *requestHandler) answerAgent(ctx context.Context, request task.Request) (reply any, err error) {
	switch request.Tool {
	case task.ToolPermit:
		return h.askPermission(ctx, request)
	case protocol.ToolHook:
		return h.runAgentHooks(ctx, request)
	}
	request.Args = h.redactArgs(request.Args)
	if request.Tool == task.ToolAsk {
		return h.askPerson(ctx, request)
	}
	reply, err = h.applyTool(ctx, request)
	if errors.Is(err, mulligan.ErrOver) {
		err = &task.Refusal{Message: "the session is over"}
	}
	return reply, err
}

// redactArgs takes secrets out of what an agent says, as the journal does: the same words twice, in a
// question or a task, are then recognised as the same.
func (h *requestHandler) redactArgs(args json.RawMessage) json.RawMessage {
	if clean := json.RawMessage(h.Env.Secrets.String(string(args))); json.Valid(clean) {
		return clean
	}
	return args
}

// askPerson puts an agent's question to a person, and waits for the answer.
func (h *requestHandler) askPerson(ctx context.Context, request task.Request) (any, error) {
	args, err := task.DecodeAsk(request.Args)
	if err != nil {
		return nil, err
	}
	q, err := h.session.Ask(ctx, mulligan.Question{Text: args.Question, Options: args.Options, Default: args.Default, Asker: "agent"})
	if err != nil {
		return nil, err
	}
	answer := task.Answer{Answer: q.Answer, By: q.By}
	if q.Assumed() {
		answer.Hint = "nobody answered: keep the assumption that you make as a note of the type assumption (note_add)"
	}
	return answer, nil
}

// askPermission asks a person whether the agent may do something.
func (h *requestHandler) askPermission(ctx context.Context, request task.Request) (any, error) {
	q, err := task.DecodePermit(request.Args)
	if err != nil {
		return nil, err
	}
	q, err = h.session.Ask(ctx, q)
	return task.Answer{Answer: q.Answer, By: q.By}, err
}

// makeDoor makes the door of the job's session, not open yet.
func (j *job) makeDoor() (err error) {
	if j.sockets, err = jetstream.RuntimeDir(j.folders.State); err != nil {
		return err
	}
	removeDeadDoors(j.sockets)
	j.door = door.New(filepath.Join(j.sockets, "door-"+strconv.Itoa(os.Getpid())), j.folders.State)
	return nil
}

// openDoor opens the door to the session, and gives agents the variables that lead to it.
func (h *requestHandler) openDoor() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := h.door.Open(h.answerCaller); err != nil {
		return err
	}
	h.session.ToolEnv = append(h.door.Env(process.RoleAgent), "MULLIGAN="+self)
	return nil
}

// removeDeadDoors removes the doors of processes that were killed.
func removeDeadDoors(run string) {
	folders, _ := filepath.Glob(filepath.Join(run, "door-*"))
	for _, folder := range folders {
		_, number, _ := strings.Cut(filepath.Base(folder), "-")
		if pid, err := strconv.Atoi(number); err == nil && !process.Alive(pid) {
			os.RemoveAll(folder) // what stays is tried again by the next
		}
	}
}
