package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

func TestReplyIsSafeText(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{"", ""},
		{"  hello\n\tworld\n\n", "hello\n\tworld"},
		{"\x1b[1;31mred\x1b[0m", "red"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\a", "link"},
		{"a\x1bMb\x1b(", "ab"},
		{"cut short \x1b[31", "cut short"},
		{"cut short \x1b]0;title", "cut short"},
		{"cut short \x1b", "cut short"},
		{"a\r\nb\x00\x07c\u0085", "a\nbc"},
		{"a\xffb", "a\ufffdb"},
		{"grüße 日本", "grüße 日本"},
	} {
		r := NewReply()
		fmt.Fprint(r, tt.said)
		if got, cut := r.Message(); got != tt.want || cut {
			t.Errorf("message of %q = %q, cut %v; want %q", tt.said, got, cut, tt.want)
		}
	}
}

func TestReplyIsBounded(t *testing.T) {
	r := NewReply()
	for range 10_000 {
		fmt.Fprint(r, "日本語の返事 ")
	}
	got, cut := r.Message()
	if !cut || len(got) > replyHead+replyTail+200 || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("cut %v, %d bytes, broken characters %v", cut, len(got), strings.ContainsRune(got, '\ufffd'))
	}
	if !strings.Contains(got, "bytes left out; the log of the turn has them") {
		t.Error("it is not said that something was cut")
	}
}

func TestLastLine(t *testing.T) {
	for _, tt := range []struct{ printed, want string }{
		{"", ""},
		{"one\ntwo", "two"},
		{"one\n  two  \n\n \n", "two"},
		{"\x1b[31merror\x1b[0m\r\n", "error"},
		{strings.Repeat("x\n", 10_000) + "end\n", "end"},
		{strings.Repeat("é", 10_000), strings.Repeat("é", lineShown-1) + "…"},
	} {
		l := NewLastLine()
		fmt.Fprint(l, tt.printed)
		if got := l.String(); got != tt.want {
			t.Errorf("last line of %.40q = %q, want %q", tt.printed, got, tt.want)
		}
	}
}

func TestEndingOf(t *testing.T) {
	for _, tt := range []struct {
		exit   process.Exit
		want   mulligan.Ending
		reason string
	}{
		{process.Exit{}, mulligan.Finished, ""},
		{process.Exit{Code: 2}, mulligan.Crashed, "exit status 2"},
		{process.Exit{Code: -1, Signal: "killed"}, mulligan.Crashed, "signal: killed"},
		{process.Exit{Code: -1, Signal: "terminated", TimedOut: true, Limit: 60e9}, mulligan.TimedOut, "timed out after 1m0s"},
		{process.Exit{Code: 0, TimedOut: true, Limit: 60e9}, mulligan.TimedOut, "timed out after 1m0s"},
		{process.Exit{Code: 143, IdledOut: true, Limit: 60e9}, mulligan.TimedOut, "silent for 1m0s"},
		{process.Exit{Code: 0, Cancelled: true}, mulligan.Cancelled, ""},
	} {
		if got, reason := EndingOf(tt.exit, ""); got != tt.want || reason != tt.reason {
			t.Errorf("%+v: %s %q, want %s %q", tt.exit, got, reason, tt.want, tt.reason)
		}
		if tt.want == mulligan.Crashed {
			tt.reason += ": why"
		}
		if got, reason := EndingOf(tt.exit, "why"); got != tt.want || reason != tt.reason {
			t.Errorf("%+v with a complaint: %s %q, want %s %q", tt.exit, got, reason, tt.want, tt.reason)
		}
	}
}

func TestStartFailure(t *testing.T) {
	start := func(err error) error {
		return &process.StartError{Argv: []string{"x"}, Err: &fs.PathError{Op: "exec", Path: "x", Err: err}}
	}
	turn := mulligan.Turn{Dir: t.TempDir()}
	for _, tt := range []struct {
		err    error
		ending mulligan.Ending
	}{
		{start(syscall.ENOENT), mulligan.Unavailable},
		{start(syscall.EACCES), mulligan.Unavailable},
		{start(syscall.ENOEXEC), mulligan.Unavailable},
		{start(syscall.EAGAIN), ""}, // no room for a process is not the program's fault
		{fmt.Errorf("run: %w", process.ErrKeeperLost), mulligan.Crashed},
		{errors.New("the pool is gone"), ""},
	} {
		r, err := StartFailure(tt.err, []string{"x"}, turn)
		if r.Ending != tt.ending || (err != nil) != (tt.ending == "") {
			t.Errorf("%v: %+v, %v; want %q", tt.err, r, err, tt.ending)
		}
	}
}

func TestLogFailsOnce(t *testing.T) {
	stops := 0
	log := NewLog(failing{}, func() { stops++ })
	for range 3 {
		if n, err := log.Write([]byte("abc")); n != 3 || err != nil {
			t.Errorf("write = %d, %v: the pipe would not be drained", n, err)
		}
	}
	if stops != 1 || !errors.Is(log.Err(), syscall.ENOSPC) {
		t.Errorf("stopped %d times, error %v", stops, log.Err())
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
