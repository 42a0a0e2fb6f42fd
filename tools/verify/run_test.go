package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEarlyStepsRunBesideThoseBefore(t *testing.T) {
	met := make(chan string)
	meet := func(word string) func(context.Context, *run) error {
		return func(ctx context.Context, _ *run) error {
			select {
			case met <- word:
			case <-met:
			case <-ctx.Done():
				return ctx.Err()
			}
			return nil
		}
	}
	steps := []step{
		{name: "first", do: meet("first")},
		{name: "second", early: true, do: meet("second")},
		{name: "third", early: true, do: func(_ context.Context, r *run) error { return r.notRun("a thing", "none is here") }},
		{name: "fourth", early: true, do: func(context.Context, *run) error { return errors.New("broke") }},
	}
	var out bytes.Buffer
	r := &run{out: &out}
	for _, s := range r.startEarly(t.Context(), steps) {
		r.runStep(t.Context(), s)
	}
	if !slices.Equal(r.missing, []string{"a thing: none is here"}) || !slices.Equal(r.failed, []string{"fourth"}) {
		t.Errorf("not run %q, failed %q", r.missing, r.failed)
	}
	if order, want := shownSteps(out.String()), []string{"first ok", "second ok", "third not", "fourth failed"}; !slices.Equal(order, want) {
		t.Errorf("shown %q, want %q:\n%s", order, want, &out)
	}
}

// shownSteps returns the lines about steps, each as its first two words.
func shownSteps(out string) (order []string) {
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > 1 {
			order = append(order, words[0]+" "+words[1])
		}
	}
	return order
}

// Spare steps run one by one while the tests run, with commands that leave the processor to those, and are told of in their order.
func TestSpareStepsRunBesideTheTests(t *testing.T) {
	testsRun, firstEnded := make(chan struct{}), make(chan struct{})
	var priority, timedPriority string
	steps := []step{
		{name: "before", do: func(context.Context, *run) error { return nil }},
		{name: "test", tests: true, do: func(context.Context, *run) error {
			close(testsRun)
			<-firstEnded // which would wait forever if the spare ones came after
			return nil
		}},
		{name: "first", spare: true, do: func(ctx context.Context, r *run) error {
			defer close(firstEnded)
			<-testsRun
			out, err := r.newCommand(ctx, nil, "nice").Output()
			priority = strings.TrimSpace(string(out))
			return err
		}},
		{name: "second", spare: true, do: func(_ context.Context, r *run) error {
			select {
			case <-firstEnded:
				return r.notRun("a thing", "none is here")
			default:
				return errors.New("beside the first")
			}
		}},
		{name: "timed", spare: true, timed: true, do: func(ctx context.Context, r *run) error {
			out, err := r.newCommand(ctx, nil, "nice").Output()
			timedPriority = strings.TrimSpace(string(out))
			r.tally.passed++
			return err
		}},
		{name: "last", do: func(context.Context, *run) error { return nil }},
	}
	var out bytes.Buffer
	r := &run{root: t.TempDir(), out: &out}
	for _, s := range r.startSpare(t.Context(), steps) {
		r.runStep(t.Context(), s)
	}
	if want := []string{"before ok", "test ok", "first ok", "second not", "timed ok", "last ok"}; !slices.Equal(shownSteps(out.String()), want) {
		t.Errorf("shown %q, want %q:\n%s", shownSteps(out.String()), want, &out)
	}
	if priority != "19" || timedPriority == "19" || !slices.Equal(r.missing, []string{"a thing: none is here"}) || r.tally.passed != 1 {
		t.Errorf("run with priority %s, and %s where time counts; not run %q, passed %d", priority, timedPriority, r.missing, r.tally.passed)
	}
}

// Without tests the spare steps run where they are.
func TestSpareStepsWithoutTests(t *testing.T) {
	var out bytes.Buffer
	r, ran := &run{out: &out}, ""
	note := func(name string) func(context.Context, *run) error {
		return func(_ context.Context, r *run) error {
			if ran += name; r.patient {
				t.Errorf("%s leaves the processor to nobody", name)
			}
			return nil
		}
	}
	for _, s := range r.startSpare(t.Context(), []step{{name: "a", spare: true, do: note("a")}, {name: "b", do: note("b")}}) {
		r.runStep(t.Context(), s)
	}
	if ran != "ab" {
		t.Errorf("ran %q", ran)
	}
}

// What go compiles does not depend on the clone's folder, and the flags that a person has set stay, wherever they are set.
func TestSetUpCompiling(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOFLAGS=-modcacherw\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", file)
	t.Setenv("CGO_ENABLED", "1")
	for set, want := range map[string]string{"": "-trimpath -ldflags=-w -modcacherw", "-mod=mod": "-trimpath -ldflags=-w -mod=mod", "-ldflags=-s": "-trimpath -ldflags=-w -ldflags=-s"} {
		t.Setenv("GOFLAGS", set)
		if err := setUpCompiling(t.Context(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
		if got := os.Getenv("GOFLAGS"); got != want {
			t.Errorf("%q became %q, want %q", set, got, want)
		}
	}
	if got := os.Getenv("CGO_ENABLED"); got != "0" {
		t.Errorf("CGO_ENABLED is %s", got)
	}
}
