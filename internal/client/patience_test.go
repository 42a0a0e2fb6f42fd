package client

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/lockfile"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
)

// TestStopASlowProcess: Stop ends a process that answers after the limit of one answer. The client prints one notice
// meanwhile.
func TestStopASlowProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(started())
	late, told := make(chan struct{}), make(chan struct{}, 10)
	stop, err := s.host.Serve(this, func(verb string) (string, error) {
		<-late
		if verb == string(protocol.Stop) {
			told <- struct{}{}
		}
		return "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	var notices []string
	c := New(s.env).Patient(func(text string) {
		notices = append(notices, text)
		close(late)
	})
	if err := c.Stop(t.Context(), this, false); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 {
		t.Errorf("it was told %d times", len(told))
	}
	if len(notices) != 1 || !strings.HasSuffix(notices[0], " is there; asking again, for 2m0s at most") {
		t.Errorf("the person was told %q", notices)
	}
}

// TestStopASilentProcess: a process that does not answer is not asked without end, and the error names the limit.
func TestStopASilentProcess(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(started())
	never := make(chan struct{})
	stop, err := s.host.Serve(this, func(string) (string, error) { <-never; return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	t.Cleanup(func() { close(never) })
	c := New(s.env).Patient(func(string) {})
	c.slow.limit = time.Second
	err = c.Stop(t.Context(), this, false)
	if busy := (*usererror.Error)(nil); !errors.As(err, &busy) || busy.Code != mulligan.ExitBusy || !strings.HasSuffix(busy.Words, " is there; it was asked for 1s") || busy.Hint != tryAgainHint {
		t.Errorf("it says %v", err)
	}
}

// TestSlowHost: a host of the journal that lets no command in for longer than one waits is asked again, to find a session
// and to stop it.
func TestSlowHost(t *testing.T) {
	for name, ask := range map[string]func(Client) error{
		"find": func(c Client) error {
			_, err := c.Find(t.Context(), this, nil)
			return err
		},
		"stop": func(c Client) error { return c.Stop(t.Context(), this, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write(started())
			s.close()
			dir, err := s.env.StateDir()
			if err != nil {
				t.Fatal(err)
			}
			lock, err := lockfile.Lock(filepath.Join(dir, "host.lock"))
			if err != nil {
				t.Fatal(err)
			}
			late := false
			c := New(s.env).Patient(func(string) {
				late = true
				if err := lock.Unlock(); err != nil {
					t.Error(err)
				}
				s.open()
				if _, err := s.host.Serve(this, func(string) (string, error) { return "", nil }); err != nil {
					t.Error(err)
				}
			})
			if err := ask(c); err != nil || !late {
				t.Errorf("late: %v, %v", late, err)
			}
		})
	}
}
