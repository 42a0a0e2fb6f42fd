package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/state"
	"mulligan/task"
)

const hangGuard = 10 * time.Minute

// shortDir returns a folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "door")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "d")
}

func open(t *testing.T, call func(context.Context, task.Request) (any, error)) *Door {
	t.Helper()
	d, err := Listen(shortDir(t), call)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func lookup(env []string) func(string) string {
	return func(name string) string {
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// session answers as a session does: one request at a time.
func session(t *testing.T) (call func(context.Context, task.Request) (any, error), st *state.State) {
	st = &state.State{ID: "s", Last: 1, Iteration: 1, Plan: &mulligan.Plan{Loop: &mulligan.Loop{}}}
	var mu sync.Mutex
	return func(_ context.Context, r task.Request) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		bodies, reply, err := task.Apply(st, r)
		for _, b := range bodies {
			if err := st.Apply(mulligan.Event{Session: "s", Number: st.Last + 1, Body: b}); err != nil {
				t.Error(err)
			}
		}
		return reply, err
	}, st
}

// L5: ids are unique and without a gap however many add at once.
func TestManyAtOnce(t *testing.T) {
	call, st := session(t)
	d := open(t, call)
	ids := make([]int, 50)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			reply, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{Tool: task.ToolAdd, Args: json.RawMessage(fmt.Sprintf(`{"content":"task %d"}`, i))})
			var added task.Added
			if err == nil {
				err = json.Unmarshal(reply, &added)
			}
			if err != nil {
				t.Error(err)
			}
			ids[i] = added.Task.ID
			if content := fmt.Sprintf("task %d", i); added.Task.Content != content {
				t.Errorf("%q was answered with %q", content, added.Task.Content)
			}
		})
	}
	all.Wait()
	slices.Sort(ids)
	for i, id := range ids {
		if id != i+1 {
			t.Fatalf("ids %v", ids)
		}
	}
	if len(st.Board.Tasks) != 50 {
		t.Errorf("%d tasks", len(st.Board.Tasks))
	}
}

func TestRefusalAndFault(t *testing.T) {
	call, _ := session(t)
	d := open(t, func(ctx context.Context, r task.Request) (any, error) {
		if r.Tool == "broken" {
			return nil, errors.New("the disk is full")
		}
		return call(ctx, r)
	})
	_, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{Tool: task.ToolAdd, Args: json.RawMessage(`{"content":""}`)})
	var no *task.Refusal
	if !errors.As(err, &no) || !strings.Contains(no.Message, "content is empty") {
		t.Errorf("refusal: %v", err)
	}
	_, err = Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{Tool: "broken"})
	if err == nil || errors.As(err, &no) && no.Message == err.Error() || err.Error() != "the disk is full" {
		t.Errorf("fault: %v", err)
	}
}

// J7: the token of another session opens nothing.
func TestToken(t *testing.T) {
	called := false
	d := open(t, func(context.Context, task.Request) (any, error) { called = true; return nil, nil })
	other := open(t, func(context.Context, task.Request) (any, error) { return nil, nil })
	if d.Token() == other.Token() || len(d.Token()) < 32 {
		t.Errorf("tokens %s and %s", d.Token(), other.Token())
	}
	for _, token := range []string{"", "x", other.Token(), d.Token() + "x", d.Token()[1:], strings.ToUpper(d.Token())} {
		env := []string{EnvDoor + "=" + d.path, EnvToken + "=" + token}
		if _, err := Call(t.Context(), lookup(env), task.Request{Tool: task.ToolList}); err == nil || !strings.Contains(err.Error(), "token") {
			t.Errorf("token %q: %v", token, err)
		}
	}
	if called {
		t.Error("somebody with the wrong token was let in")
	}
}

func TestNoDoor(t *testing.T) {
	if _, err := Call(t.Context(), lookup(nil), task.Request{}); !errors.Is(err, ErrNoDoor) {
		t.Errorf("no door: %v", err)
	}
	d := open(t, func(context.Context, task.Request) (any, error) { return nil, nil })
	env := d.Env(process.RoleAgent)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Call(t.Context(), lookup(env), task.Request{}); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a door that is closed: %v", err)
	}
	if _, err := os.Lstat(filepath.Dir(lookup(env)(EnvDoor))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left behind: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	d := open(t, func(context.Context, task.Request) (any, error) { return nil, nil })
	for path, want := range map[string]os.FileMode{d.path: 0o600, filepath.Dir(d.path): 0o700} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	loose := shortDir(t)
	os.Mkdir(loose, 0o700)
	os.Chmod(loose, 0o755)
	if _, err := Listen(loose, nil); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("a folder that others can enter: %v", err)
	}
	if _, err := Listen("/tmp/"+strings.Repeat("x", 100), nil); err == nil || !strings.Contains(err.Error(), "at most 100") {
		t.Errorf("a long path: %v", err)
	}
}

// What a killed session left is no obstacle; what is no socket is not removed.
func TestStaleSocket(t *testing.T) {
	dir := shortDir(t)
	os.Mkdir(dir, 0o700)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "door"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	stale.Close()
	d, err := Listen(dir, func(context.Context, task.Request) (any, error) { return "fine", nil })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if reply, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{}); err != nil || string(reply) != `"fine"` {
		t.Errorf("%s, %v", reply, err)
	}
	other := shortDir(t)
	os.Mkdir(other, 0o700)
	os.WriteFile(filepath.Join(other, "door"), []byte("mine"), 0o600)
	if _, err := Listen(other, nil); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a file in its place: %v", err)
	}
}

func dial(t *testing.T, d *Door) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", d.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(hangGuard))
	return conn
}

// A hostile caller is answered or dropped, and others are answered all the while.
func TestHostileCallers(t *testing.T) {
	d := open(t, func(context.Context, task.Request) (any, error) { return "fine", nil })
	silent := dial(t, d)
	for name, send := range map[string]string{
		"no JSON":     "hello\n",
		"half a line": `{"token":"` + d.Token(),
		"a huge line": strings.Repeat("x", maxRequest+10) + "\n",
		"binary":      "\x00\xff\n",
	} {
		conn := dial(t, d)
		go io.WriteString(conn, send) // it may be cut off
		if name == "half a line" {
			continue
		}
		line, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.Contains(line, `"error"`) && name != "a huge line" {
			t.Errorf("%s: %q", name, line)
		}
		if rest, _ := io.ReadAll(conn); len(rest) > 0 {
			t.Errorf("%s: the connection stays open: %q", name, rest)
		}
	}
	if reply, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{}); err != nil || string(reply) != `"fine"` {
		t.Errorf("%s, %v", reply, err)
	}
	silent.Close()
}

func TestTooLargeIsRefusedBeforeItIsSent(t *testing.T) {
	d := open(t, func(context.Context, task.Request) (any, error) { return nil, nil })
	args, _ := json.Marshal(map[string]string{"content": strings.Repeat("x", maxRequest)})
	_, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{Tool: task.ToolAdd, Args: args})
	var no *task.Refusal
	if !errors.As(err, &no) || !strings.Contains(no.Message, "8 MiB") {
		t.Errorf("%v", err)
	}
}

// One connection may ask several times.
func TestSeveralRequests(t *testing.T) {
	d := open(t, func(_ context.Context, r task.Request) (any, error) { return r.Tool, nil })
	conn := dial(t, d)
	lines := bufio.NewReader(conn)
	for _, tool := range []string{"a", "b", "c"} {
		fmt.Fprintf(conn, `{"token":%q,"tool":%q}`+"\n", d.Token(), tool)
		if line, err := lines.ReadString('\n'); err != nil || line != fmt.Sprintf(`{"reply":%q}`+"\n", tool) {
			t.Errorf("%q, %v", line, err)
		}
	}
}

// A question may wait for long; who asked and goes away ends the wait.
func TestDisconnectEndsTheCall(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	d := open(t, func(ctx context.Context, _ task.Request) (any, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := Call(ctx, lookup(d.Env(process.RoleAgent)), task.Request{Tool: task.ToolAsk})
		result <- err
	}()
	<-began
	cancel()
	if err := within(t, result); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller got %v", err)
	}
	if err := within(t, ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
}

// Closing the door ends what is under way: the caller gets an error and does not wait.
func TestCloseEndsCalls(t *testing.T) {
	began := make(chan struct{})
	d := open(t, func(ctx context.Context, _ task.Request) (any, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	result := make(chan error, 1)
	go func() {
		_, err := Call(t.Context(), lookup(d.Env(process.RoleAgent)), task.Request{Tool: task.ToolAsk})
		result <- err
	}()
	<-began
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	if err := within(t, closed); err != nil {
		t.Error(err)
	}
	if err := within(t, result); err == nil {
		t.Error("the caller was told nothing")
	}
}

func within(t *testing.T, result chan error) error {
	t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(hangGuard):
		t.Fatal("it hangs")
		return nil
	}
}

// J7: a check, a hook and the agent have a token each, and are told apart by it.
func TestRoles(t *testing.T) {
	d := New(shortDir(t), "")
	t.Cleanup(func() { d.Close() })
	if err := d.Open(func(_ context.Context, role process.Role, _ task.Request) (any, error) { return role, nil }); err != nil {
		t.Fatal(err)
	}
	for _, role := range []process.Role{process.RoleAgent, process.RoleCheck, process.RoleHook} {
		reply, err := Call(t.Context(), lookup(d.Env(role)), task.Request{})
		if want := fmt.Sprintf("%q", string(role)); err != nil || string(reply) != want {
			t.Errorf("%s, %v; want %s", reply, err, want)
		}
	}
}
